import { z } from 'zod';
import { wireField } from '../../wire/wire-fields.js';

/** What the core banking system says about a call; the HTTP status is 200 whatever it is. */
export const CBS_CODES = {
  '00': 'SUCCESS',
  '01': 'ACCEPTED FOR PROCESSING',
  '14': 'NO SUCH RECORD',
  '30': 'FORMAT ERROR',
  '57': 'BENEFICIARY NOT VALID',
} as const;
export type CbsCode = keyof typeof CBS_CODES;

/** What is told about a call, apart from the header around it. */
export interface CbsResult {
  readonly code: CbsCode;
  readonly body: object;
}

const header = z.object({ channel: z.string().min(1).max(50), txnRef: z.string().min(1).max(100) });

/** A day that exists, as `23-05-1990`. */
const cbsDate = z
  .string()
  .regex(/^[0-9]{2}-[0-9]{2}-[0-9]{4}$/)
  .refine((date) => z.iso.date().safeParse(date.split('-').reverse().join('-')).success);

export const customerEnquiry = z.object({
  header,
  body: z.object({
    panNumber: wireField.pan,
    birthDate: cbsDate,
    mobileNumber: z.string().regex(/^\+91[0-9]{10}$/),
  }),
});

export const beneficiaryAdd = z.object({
  header,
  body: z.object({
    benName: wireField.personName,
    benAcctNo: wireField.accountNumber,
    benIfsc: wireField.ifsc,
    custRef: wireField.reference,
  }),
});

export const beneficiaryStatus = z.object({ header, body: z.object({ ackNo: wireField.reference }) });

/** The whole answer to a call, whose reference is repeated even if nothing else of it could be used. */
export function cbsAnswer({ code, body }: CbsResult, call: unknown): object {
  const txnRef = z.object({ header }).safeParse(call).data?.header.txnRef ?? null;
  return { header: { responseCode: code, responseDesc: CBS_CODES[code], txnRef }, body };
}
