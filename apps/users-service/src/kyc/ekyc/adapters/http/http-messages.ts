import { z } from 'zod';
import { type ProviderClient, providerName } from '../../../../integrations/index.js';
import type { DocumentPerson, ExpectedPerson, Visit } from '../../ekyc-providers.port.js';

/** Common parts of the eKYC providers with our own format. Ids and texts are bounded because they are stored. */
export const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const lastFour = z.string().regex(/^[0-9]{4}$/);

export const refusal = z.object({ error: z.object({ type: z.string().max(100) }) });

/** @throws ProviderError unless the provider itself reports an unknown id */
export function requireForgotten<Operation extends string>(
  client: ProviderClient<Operation>,
  operation: Operation,
  { error }: z.output<typeof refusal>,
): void {
  // any other 404 comes from a gateway and says nothing about the id
  if (error.type !== 'not_found') throw client.malformed(operation, 'status 404');
}

/** The holder of a document. Some documents have only the year of birth; a document without either proves nothing. */
export const holder = z
  .object({
    name: providerName,
    date_of_birth: z.iso.date().nullish(),
    year_of_birth: z
      .string()
      .regex(/^[0-9]{4}$/)
      .nullish(),
    // a masked one says nothing
    phone: z
      .string()
      .regex(/^91[0-9]{10}$/)
      .nullish()
      .catch(null),
  })
  .transform(({ name, date_of_birth: date, year_of_birth: year, phone }, context): DocumentPerson => {
    const born = date ?? year;
    if (born && (!year || born.startsWith(year))) return { name, born, ...(phone && { phone }) };
    context.addIssue({ code: 'custom', path: ['date_of_birth'] });
    return z.NEVER;
  });

export function expectedMessage(person: ExpectedPerson | null): object | null {
  return person && { name: person.name, date_of_birth: person.dateOfBirth };
}

export function visitMessage({ reference, redirectUrl, expected }: Visit): object {
  return { reference, redirect_url: redirectUrl, expected: expectedMessage(expected) };
}
