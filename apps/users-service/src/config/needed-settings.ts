import type { Problem } from '@fd/platform';

/** Whether a setting names a provider. Invalid values are reported elsewhere. */
export const isNamed = (list: unknown, provider: string): boolean =>
  Array.isArray(list) && list.includes(provider);

/** Settings that are missing for a provider that the setting LIST names. */
export function* missingSettings<Given>(
  given: Given,
  list: keyof Given & string,
  needed: Readonly<Record<string, readonly (keyof Given & string)[]>>,
): Iterable<Problem> {
  for (const [provider, names] of Object.entries(needed))
    for (const name of names)
      if (isNamed(given[list], provider) && given[name] === undefined)
        yield [name, `is required: ${list} names ${provider}`];
}
