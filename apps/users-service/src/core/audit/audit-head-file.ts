import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError } from '@fd/platform';
import { type Head, headText, readHead } from './audit-chain.js';

/** One line, as `audit verify` prints a head. */
const MAX_BYTES = 200;

/** Reads the last kept head. @throws CommandError if the file is missing or is not a head */
export async function readHeadFile(file: string): Promise<Head> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new CommandError(`${file} is missing: --begin makes it, once`);
    throw new CommandError(`${file} cannot be read: ${error.code}`);
  });
  const head = text.length <= MAX_BYTES && text.endsWith('\n') ? readHead(text.slice(0, -1)) : undefined;
  if (!head) throw new CommandError(`${file} contains no head: the file was changed`);
  return head;
}

/**
 * Writes a head atomically: after a crash the file holds the former or the new head.
 * @param isFirst refuses to replace an existing file
 */
export async function writeHeadFile(
  file: string,
  head: Head,
  { isFirst }: { isFirst: boolean },
): Promise<void> {
  const made = `${file}.${randomUUID()}`;
  try {
    await writeFile(made, `${headText(head)}\n`, { flag: 'wx', mode: 0o600, flush: true });
    // unlike a rename, a link replaces nothing
    await (isFirst ? link(made, file) : rename(made, file));
    await syncFolder(dirname(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'is there already: leave --begin out' : `cannot be written: ${code}`;
    throw new CommandError(`${file} ${why}`);
  } finally {
    await rm(made, { force: true });
  }
}

/** A rename is durable only after an fsync of the folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
