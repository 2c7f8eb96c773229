import type { Problem } from './problem.js';
import type { IssuerFile } from './read-issuer-file.js';
import type { Path } from './yaml-source.js';

/** Names that must be had once in the whole catalogue. */
export function checkUniqueness(files: readonly IssuerFile[]): Problem[] {
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
