import type { Command } from '@fd/platform';

export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process and captures its output; an error becomes its message on stderr and exit code 1. */
export async function runCommand(command: Command, ...args: string[]): Promise<CommandOutcome> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    jest.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += String(text);
      return true;
    }),
  );
  try {
    return { code: await command.run(args), ...written };
  } catch (error) {
    return { code: 1, ...written, stderr: `${written.stderr}${(error as Error).message}` };
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
}
