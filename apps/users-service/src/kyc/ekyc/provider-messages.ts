import { ProviderError } from '@fd/errors';
import { z } from 'zod';
import type { ProviderClient } from '../../integrations/index.js';
import type { ExpectedPerson, Visit } from './ekyc-providers.port.js';

/** What the eKYC providers have in common in their messages. Ids and texts are bounded: they are stored. */
export const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const lastFour = z.string().regex(/^[0-9]{4}$/);

export const refusal = z.object({ error: z.object({ type: z.string().max(100) }) });

/** Left out when nobody was named to compare with. */
export const comparison = z.enum(['YES', 'NO']).nullish();

export function expectedMessage(person: ExpectedPerson | null): object | null {
  return person && { name: person.name, date_of_birth: person.dateOfBirth };
}

export function visitMessage({ reference, redirectUrl, expected }: Visit): object {
  return { reference, redirect_url: redirectUrl, expected: expectedMessage(expected) };
}

/**
 * Whether the provider says that it was not the expected person.
 * @throws ProviderError when a person was to be compared with, and a comparison has no result
 */
export function isAnotherPerson(
  client: ProviderClient,
  comparisons: readonly z.output<typeof comparison>[],
  isCompared: boolean,
): boolean {
  if (comparisons.includes('NO')) return true;
  if (isCompared && comparisons.some((result) => result !== 'YES')) {
    throw malformed(client, 'a comparison without result');
  }
  return false;
}

export function malformed({ address }: ProviderClient, detail: string): ProviderError {
  return new ProviderError(address.name, 'malformed', { detail });
}
