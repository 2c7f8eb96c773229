import { z } from 'zod';

const MAX_LENGTH = 2_048;

/** An http or https address: a browser opens it as a page, and does not run it as a script. */
export const pageUrl = z
  .string()
  .max(MAX_LENGTH)
  .refine(
    (text) => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol),
    'must be an http or https URL',
  );

/** Where a person goes after a hosted page, if anywhere. */
export const redirectUrl = pageUrl.nullable().default(null);

/** Adds the outcome to an address; it replaces parameters of the same name. */
export function withOutcome(url: string, outcome: Readonly<Record<string, string>>): string {
  const target = new URL(url);
  for (const [name, value] of Object.entries(outcome)) target.searchParams.set(name, value);
  return target.href;
}
