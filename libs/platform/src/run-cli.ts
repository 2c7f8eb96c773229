/** One command of a service's command line. Returns the exit code, 0 by default; errors are printed. */
export interface Command {
  readonly name: string;
  /** Arguments as shown in the help. */
  readonly usage: string;
  readonly summary: string;
  run(args: string[]): Promise<number | void> | number | void;
}

/** Thrown by a command for wrong arguments or an impossible request; the message is for the operator. */
export class CommandError extends Error {}

/** Prints a line of a command's output, with what others have written in it made visible. */
export const say = (line: string): void => void process.stdout.write(`${printable(line)}\n`);

/** Prints a list line by line. Says that it is empty on standard error, so that standard output has only lines of the list. */
export async function sayList(
  lines: Iterable<string> | AsyncIterable<string>,
  ifEmpty: string,
): Promise<void> {
  let isEmpty = true;
  for await (const line of lines) {
    say(line);
    isEmpty = false;
  }
  if (isEmpty) process.stderr.write(`${ifEmpty}\n`);
}

/**
 * Shows control, invisible and reordering characters as code points, such as `<U+001B>`: they would change what the terminal shows of
 * a text that others have written.
 */
export const visible = (text: string): string => text.replaceAll(/\p{C}/gu, codePoint);

/** As `visible`, but keeps the tabs between columns and the ends of lines. */
const printable = (text: string): string => text.replaceAll(/[^\P{C}\t\n]/gu, codePoint);

const codePoint = (hidden: string): string =>
  `<U+${hidden.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`;

/**
 * Runs the command that the arguments name and sets the process's exit code: 0 done, 1 failed, 2 called wrongly. With `--help`
 * among its arguments, prints the usage of the command instead.
 */
export async function runCli(
  program: string,
  commands: readonly Command[],
  argv: readonly string[],
): Promise<void> {
  // a closed pipe (| head) is not a failure
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const [name, ...args] = argv;
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) {
    const rows = commands.map(
      ({ name, usage, summary }) => `  ${`${name} ${usage}`.trim()}\n      ${summary}`,
    );
    process.stderr.write(`Usage: ${program} COMMAND\n\n${rows.join('\n')}\n`);
    process.exitCode = name === undefined || name === '--help' ? 0 : 2;
    return;
  }
  if (args.includes('--help')) {
    process.stdout.write(`Usage: ${`${name} ${command.usage}`.trim()}\n\n${command.summary}\n`);
    process.exitCode = 0;
    return;
  }
  try {
    process.exitCode = (await command.run(args)) ?? 0;
  } catch (error) {
    process.stderr.write(`${printable(explain(error))}\n`);
    process.exitCode = 1;
  }
}

function explain(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map((part) => (part as Error).message).join('; ');
  return error instanceof Error ? error.message : 'failed';
}
