import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { timeLimit } from '@fd/envelope';
import { CommandError } from '@fd/platform';
import { validate as isUuid } from 'uuid';

/** Reads personal data for a command from a file (for example a mounted Secret), else from standard input. */
export type OperatorInput = (file: string | undefined) => Promise<string>;

/** How long to wait for standard input, which may stay open and empty. */
const LISTEN_MS = timeLimit(100);

export async function hasInput(input: NodeJS.ReadStream | Readable = process.stdin): Promise<boolean> {
  if ('isTTY' in input && input.isTTY) return false;
  await once(input, 'readable', { signal: AbortSignal.timeout(LISTEN_MS) }).catch(() => undefined);
  const isGiven = input.read() !== null;
  // open input would keep the process running
  input.destroy();
  return isGiven;
}

/** Reads no argument, because process lists and shell histories show arguments. */
export const operatorInput: OperatorInput = async (file) =>
  file === undefined ? text(process.stdin) : readFile(file, 'utf8');

/** The id in lower case as in PostgreSQL, because signatures and encryption cover it. @throws CommandError with PROBLEM */
export function idOf(text: string | undefined, problem: string): string {
  if (!isUuid(text)) throw new CommandError(problem);
  return (text as string).toLowerCase();
}
