// Lists, reads and writes files of the workspace.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './workspace.mjs';

/** The files that match PATTERNS of git and are not ignored, new ones included; none without git. */
export function listedFiles(...patterns) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...patterns];
  const { stdout } = spawnSync('git', list, { cwd: root, encoding: 'utf8' });
  return (stdout ?? '').split('\0').filter((path) => path && existsSync(join(root, path)));
}

/** The text of the file at PATH, below the root. */
export const read = (path) => readFileSync(join(root, path), 'utf8');

export const readJson = (path) => JSON.parse(read(path));

/** The text of FILE; empty if there is no such file. */
export const readIfThere = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** Writes TEXT to FILE, whose folder is created if it is missing. */
export function writeTo(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Runs WORK with a new folder whose name contains NAME, and removes the folder. */
export async function inTemporaryFolder(name, work) {
  const folder = mkdtempSync(join(tmpdir(), `fd-${name}-`));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** TEXT, formatted as the content of FILE. */
export async function formatted(file, text) {
  // only now: the bootstrap imports this file before there is any package
  const { format, resolveConfig } = await import('prettier');
  return format(text, { ...(await resolveConfig(file)), filepath: file });
}

/** Whether node was started with the module of URL (import.meta.url). */
export const isProgram = (url) => process.argv[1] && url === pathToFileURL(process.argv[1]).href;
