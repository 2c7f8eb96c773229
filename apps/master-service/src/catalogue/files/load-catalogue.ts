import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Issuer } from '../issuer.js';
import { checkGaps } from './check-gaps.js';
import { checkIssuer } from './check-issuer.js';
import { checkOverlaps } from './check-overlaps.js';
import { checkUniqueness } from './check-uniqueness.js';
import { inReadingOrder, type Problem } from './problem.js';
import { type IssuerFile, readIssuerFile } from './read-issuer-file.js';

export interface CatalogueText {
  /** File name without its folder. */
  readonly file: string;
  readonly text: string;
}

export interface LoadedCatalogue {
  /** All issuers; empty when there is any error. */
  readonly issuers: readonly Issuer[];
  /** All problems of all files, in reading order. Only errors keep a catalogue from being used. */
  readonly problems: readonly Problem[];
}

/** Reads and checks a whole catalogue. `now` decides what is on sale. */
export function loadCatalogue(texts: readonly CatalogueText[], now: Date): LoadedCatalogue {
  const read = texts.map(({ file, text }) => readIssuerFile(file, text));
  const files = read.map(({ issuerFile }) => issuerFile).filter((file) => file !== undefined);
  const problems = inReadingOrder([
    ...read.flatMap((result) => result.problems),
    ...files.flatMap((file) => [...checkIssuer(file, now), ...checkOverlaps(file), ...checkGaps(file, now)]),
    ...checkUniqueness(files),
  ]);
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  return { issuers: hasErrors ? [] : files.flatMap(issuerOf), problems };
}

function issuerOf({ profile, vehicles }: IssuerFile): Issuer[] {
  return profile ? [{ ...profile, vehicles: vehicles.map(({ vehicle }) => vehicle) }] : [];
}

/**
 * The catalogue files of a folder, by name; other files in it are not looked at.
 * @throws Error of the file system when the folder cannot be read.
 */
export async function readCatalogueFolder(folder: string): Promise<CatalogueText[]> {
  const names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
  return Promise.all(names.map(async (file) => ({ file, text: await readFile(join(folder, file), 'utf8') })));
}
