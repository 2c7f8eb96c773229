import { rule } from '@fd/platform';

/** Whether a setting names a provider. Invalid values are reported elsewhere. */
export const isNamed = (list: unknown, provider: string): boolean =>
  Array.isArray(list) && list.includes(provider);

/**
 * Rules that the settings of every named provider are present.
 * @param list the setting that names providers
 * @param needed the settings of each provider
 */
export const neededSettings = <Given>(
  list: keyof Given & string,
  needed: Readonly<Record<string, readonly (keyof Given & string)[]>>,
) =>
  Object.entries(needed).flatMap(([provider, names]) =>
    names.map(
      (name) =>
        [
          (given: Partial<Given>) => !isNamed(given[list], provider) || given[name] !== undefined,
          rule(name, `is required: ${list} names ${provider}`),
        ] as const,
    ),
  );
