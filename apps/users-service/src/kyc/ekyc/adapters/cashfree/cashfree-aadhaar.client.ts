import { z } from 'zod';
import { type ProviderClient, providerName } from '../../../../integrations/index.js';
import type { DocumentPerson } from '../../ekyc-providers.port.js';
import { birth, maskedAadhaar, MAX_DOCUMENT_BYTES } from '../document-person.js';

const document = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('SUCCESS'),
    reference_id: z.union([z.int(), z.string().regex(/^\d{1,20}$/)]).transform(String),
    uid: maskedAadhaar,
    name: providerName,
    // some documents have only the year, which Cashfree's sample has as a number
    dob: birth.nullish(),
    year_of_birth: z.union([birth, z.int().transform(String).pipe(birth)]).nullish(),
  }),
  z.object({ status: z.literal('AADHAAR_NOT_LINKED') }),
]);
/**
 * Cashfree's codes about a person: their session, consent or details. With 401 or 403 too they do not refuse our key,
 * which any other code does.
 */
const refusal = z.object({
  code: z.enum([
    'consent_not_granted',
    'reference_id_not_found',
    'session_expired',
    'url_expired',
    'user_detail_mismatch',
    'verification_id_not_found',
    'verification_id_value_invalid',
  ]),
});
export type CashfreeRefusal = z.output<typeof refusal>;

export const REFUSALS = { 400: refusal, 401: refusal, 403: refusal, 404: refusal, 422: refusal } as const;

export type CashfreeAadhaar =
  | {
      readonly status: 'SUCCESS';
      readonly person: DocumentPerson;
      readonly reference: string;
      readonly lastFour: string;
    }
  | { readonly status: 'AADHAAR_NOT_LINKED' | CashfreeRefusal['code'] };

/** @param by the verification, by our id or by Cashfree's */
export async function readAadhaar(
  client: ProviderClient<'read-aadhaar'>,
  by: { readonly verification_id: string } | { readonly reference_id: string },
): Promise<CashfreeAadhaar> {
  const query = new URLSearchParams(by).toString();
  const answer = await client.call({
    operation: 'read-aadhaar',
    path: `/digilocker/document/AADHAAR?${query}`,
    // the worker asks again
    isRepeatable: false,
    maxAnswerBytes: MAX_DOCUMENT_BYTES,
    answers: { 200: document, ...REFUSALS },
  });
  if (answer.status !== 200) return { status: answer.body.code };
  if (answer.body.status !== 'SUCCESS') return answer.body;
  const { status, name, dob, year_of_birth, uid: lastFour, reference_id: reference } = answer.body;
  const born = dob ?? year_of_birth;
  if (!born) throw client.malformed('read-aadhaar', 'no date of birth');
  return { status, person: { name, born }, reference, lastFour };
}
