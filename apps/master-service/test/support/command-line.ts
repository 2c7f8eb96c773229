import type { Command } from '@fd/platform';

/** Options of a command that records its operator. */
export const BY_A_TEST = ['--by', 'a-test', '--reason', 'TEST'];

/** The acts in the log lines of STDERR. */
export function actsIn(stderr: string): unknown[] {
  const lines = stderr.split('\n').filter((line) => line.includes('an operator acted'));
  return lines.map((line) => JSON.parse(line) as unknown);
}

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
    return { code: (await command.run(args)) ?? 0, ...written };
  } catch (error) {
    return { code: 1, ...written, stderr: `${written.stderr}${(error as Error).message}` };
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
}
