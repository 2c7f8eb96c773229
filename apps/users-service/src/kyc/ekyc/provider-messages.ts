import { ProviderError } from '@fd/errors';
import { z } from 'zod';
import type { ProviderClient } from '../../integrations/index.js';
import type { ExpectedPerson, Visit } from './ekyc-providers.port.js';

/** What the eKYC providers have in common in their messages. Ids and texts are bounded: they are stored. */
export const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const lastFour = z.string().regex(/^[0-9]{4}$/);

export const refusal = z.object({ error: z.object({ type: z.string().max(100) }) });

/** @throws ProviderError unless the provider itself says that it does not know what it is asked about */
export function requireForgotten(client: ProviderClient, { error }: z.output<typeof refusal>): void {
  // anything else that is not found is something in front of the provider, which says nothing about it
  if (error.type !== 'not_found') throw malformed(client, 'status 404');
}

/** Left out when nobody was named to compare with. */
const comparison = z.enum(['YES', 'NO']).nullish();

/** What came of comparing the person with the expected one. Some documents have only the year of birth. */
export const comparisons = {
  name_match: comparison,
  date_of_birth_match: comparison,
  year_of_birth_match: comparison,
};

type Comparisons = { readonly [Field in keyof typeof comparisons]?: z.output<typeof comparison> };

export function expectedMessage(person: ExpectedPerson | null): object | null {
  return person && { name: person.name, date_of_birth: person.dateOfBirth };
}

export function visitMessage({ reference, redirectUrl, expected }: Visit): object {
  return { reference, redirect_url: redirectUrl, expected: expectedMessage(expected) };
}

/**
 * Whether the provider says that it was not the expected person, by name and by date of birth, or its year.
 * @throws ProviderError when a person was to be compared with, and a comparison has no result
 */
export function isAnotherPerson(
  client: ProviderClient,
  { name_match, date_of_birth_match, year_of_birth_match }: Comparisons,
  isCompared: boolean,
): boolean {
  if ([name_match, date_of_birth_match, year_of_birth_match].includes('NO')) return true;
  if (isCompared && (name_match !== 'YES' || (date_of_birth_match ?? year_of_birth_match) !== 'YES')) {
    throw malformed(client, 'a comparison without result');
  }
  return false;
}

export function malformed({ address }: ProviderClient, detail: string): ProviderError {
  return new ProviderError(address.name, 'malformed', { detail });
}
