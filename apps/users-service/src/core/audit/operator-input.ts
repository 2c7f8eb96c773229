import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/** Reads personal data that a command is given: from a file (a mounted Secret, say), else from standard input. */
export type OperatorInput = (file: string | undefined) => Promise<string>;

/** Never from an argument: lists of processes and histories show those. */
export const operatorInput: OperatorInput = async (file) =>
  file === undefined ? text(process.stdin) : readFile(file, 'utf8');
