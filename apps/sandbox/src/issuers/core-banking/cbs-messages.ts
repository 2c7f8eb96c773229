import { z } from 'zod';
import { field } from '../../http/fields.js';

/** Codes of the core banking system; the HTTP status is always 200. */
const CBS_CODES = {
  '00': 'SUCCESS',
  '01': 'ACCEPTED FOR PROCESSING',
  '14': 'NO SUCH RECORD',
  '30': 'FORMAT ERROR',
  '57': 'BENEFICIARY NOT VALID',
} as const;
type CbsCode = keyof typeof CBS_CODES;

/** An answer without its header. */
export interface CbsResult {
  readonly code: CbsCode;
  readonly body: object;
}

export const FORMAT_ERROR: CbsResult = { code: '30', body: {} };

const header = z.object({ channel: z.string().min(1).max(50), txnRef: z.string().min(1).max(100) });

/** A day that exists, such as `23-05-1990`. */
const cbsDate = z
  .string()
  .regex(/^[0-9]{2}-[0-9]{2}-[0-9]{4}$/)
  .refine((date) => z.iso.date().safeParse(date.split('-').reverse().join('-')).success);

export const customerEnquiry = z.object({
  header,
  body: z.object({
    panNumber: field.pan,
    birthDate: cbsDate,
    mobileNumber: z.string().regex(/^\+91[0-9]{10}$/),
  }),
});

export const beneficiaryAdd = z.object({
  header,
  body: z.object({
    benName: field.personName,
    benAcctNo: field.accountNumber,
    benIfsc: field.ifsc,
    custRef: field.reference,
  }),
});

export const beneficiaryStatus = z.object({ header, body: z.object({ ackNo: field.reference }) });

/** Returns the whole answer to a call. It repeats the call's reference, even if the rest of the call is unusable. */
export function cbsAnswer({ code, body }: CbsResult, call: unknown): object {
  const txnRef = z.object({ header }).safeParse(call).data?.header.txnRef ?? null;
  return { header: { responseCode: code, responseDesc: CBS_CODES[code], txnRef }, body };
}
