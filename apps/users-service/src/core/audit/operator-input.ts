import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Reads personal data that a command is given: from a file (a mounted Secret, say), else from standard input. */
export type OperatorInput = (file: string | undefined) => Promise<string>;

/** How long standard input that may stay open and empty is listened to. */
const LISTEN_MS = 100;

/** Whether standard input holds something. Never waits for somebody who might still write. */
export async function hasInput(input: NodeJS.ReadStream | Readable = process.stdin): Promise<boolean> {
  if ('isTTY' in input && input.isTTY) return false;
  await once(input, 'readable', { signal: AbortSignal.timeout(LISTEN_MS) }).catch(() => undefined);
  const isGiven = input.read() !== null;
  // else it would keep the process
  input.destroy();
  return isGiven;
}

/** Never from an argument: lists of processes and histories show those. */
export const operatorInput: OperatorInput = async (file) =>
  file === undefined ? text(process.stdin) : readFile(file, 'utf8');
