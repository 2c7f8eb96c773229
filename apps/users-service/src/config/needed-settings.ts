import type { Problem } from '@fd/platform';

/** Whether a setting names a provider. Invalid values are reported elsewhere. */
export const isNamed = (list: unknown, provider: string): boolean =>
  Array.isArray(list) && list.includes(provider);

/**
 * Settings of named providers that are missing.
 * @param list the setting that names providers
 * @param needed the settings of each provider
 */
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
