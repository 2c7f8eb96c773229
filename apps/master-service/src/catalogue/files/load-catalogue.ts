import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Issuer } from '../catalogue.js';
import { checkGaps } from './check-gaps.js';
import { checkIssuer } from './check-issuer.js';
import { type IssuerFile, readIssuerFile } from './read-issuer-file.js';
import { inReadingOrder, type Path, type Problem } from './yaml-source.js';

export interface CatalogueText {
  /** File name without its folder. */
  readonly file: string;
  readonly text: string;
}

export interface LoadedCatalogue {
  /** All issuers; empty when there is any error. */
  readonly issuers: readonly Issuer[];
  /** All problems of all files, by file and line. Only errors make a catalogue unusable. */
  readonly problems: readonly Problem[];
}

/** Reads and checks a catalogue. `now` decides what is on sale. */
export function loadCatalogue(texts: readonly CatalogueText[], now: Date): LoadedCatalogue {
  const read = texts.map(({ file, text }) => readIssuerFile(file, text));
  const files = read.map(({ issuerFile }) => issuerFile).filter((file) => file !== undefined);
  const problems = inReadingOrder([
    ...read.flatMap((result) => result.problems),
    ...files.flatMap((file) => [...checkIssuer(file, now), ...checkGaps(file, now)]),
    ...checkUniqueness(files),
  ]);
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  return { issuers: hasErrors ? [] : files.flatMap(issuerOf), problems };
}

function issuerOf({ profile, vehicles }: IssuerFile): Issuer[] {
  return profile ? [{ ...profile, vehicles: vehicles.map(({ vehicle }) => vehicle) }] : [];
}

/** Names that must be unique in the catalogue. */
function checkUniqueness(files: readonly IssuerFile[]): Problem[] {
  return [
    ...repeats(files, 'slug', (file) => [[file.slug, ['slug']]]),
    ...repeats(files, 'f_code', (file) => [[file.issuer.f_code, ['issuer', 'f_code']]]),
    ...repeats(files, 'f_issuer_id', (file) => [[file.issuer.f_issuer_id, ['issuer', 'f_issuer_id']]]),
    ...repeats(files, 'id', (file) => [[file.issuer.id, ['issuer', 'id']]]),
    ...repeats(files, 'vehicle', (file) =>
      file.vehicles.map(({ vehicle, path }) => [vehicle.vehicleId || undefined, [...path, 'vehicle']]),
    ),
  ];
}

function repeats(
  files: readonly IssuerFile[],
  name: string,
  valuesOf: (file: IssuerFile) => [value: string | number | undefined, path: Path][],
): Problem[] {
  const seen = new Map<string | number, string>();
  const problems: Problem[] = [];
  for (const file of files) {
    for (const [value, path] of valuesOf(file)) {
      if (value === undefined) continue;
      const first = seen.get(value);
      if (first === undefined) seen.set(value, `${file.source.file}:${file.source.lineOf(path)}`);
      else problems.push(file.source.problem('error', path, `${name}: ${value} is used at ${first} already`));
    }
  }
  return problems;
}

/**
 * The catalogue files of a folder, by name; ignores other files.
 * @throws Error of the file system when the folder cannot be read.
 */
export async function readCatalogueFolder(folder: string): Promise<CatalogueText[]> {
  const names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
  return Promise.all(names.map(async (file) => ({ file, text: await readFile(join(folder, file), 'utf8') })));
}
