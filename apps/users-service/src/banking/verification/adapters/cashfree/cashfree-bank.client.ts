import { z } from 'zod';
import { optionalName, type ProviderClient } from '../../../../integrations/index.js';
import type { EndState } from '../../bank-accounts.port.js';
import { endOf } from './cashfree-bank.table.js';

/** Fails if a code is unknown. */
const endCode = z.string().transform((code, context) => {
  const end = endOf(code);
  if (end !== undefined) return end;
  context.addIssue('unknown code');
  return z.NEVER;
});

const verification = z.discriminatedUnion('account_status', [
  z.object({
    account_status: z.enum([
      'RECEIVED',
      'PROCESSING',
      'IN_PROCESS',
      'APPROVAL_PENDING',
      'PARTIALLY_APPROVED',
    ]),
  }),
  z.object({
    account_status: z.literal('VALID'),
    account_status_code: z.literal('ACCOUNT_IS_VALID'),
    // some banks do not tell it
    name_at_bank: optionalName,
    bank_name: optionalName,
  }),
  z.object({
    account_status: z.enum(['INVALID', 'FAILED']),
    account_status_code: endCode,
    bank_name: optionalName,
  }),
  z.object({
    account_status: z.enum(['REJECTED', 'CANCELLED', 'MANUALLY_REJECTED']),
    account_status_code: z.string().nullish(),
    bank_name: optionalName,
  }),
]);
export type CashfreeVerification = z.output<typeof verification>;

/** Another verification of the account runs: an earlier start of ours that no answer reached, or another user's. */
const running = z.object({ code: z.string().regex(/^verification_already_under_process$/i) });
/** Refuses the account itself; any other code of this status refuses our request or our wallet. */
const notBegun = z.object({ code: endCode });
const invalidAccount = z.object({ code: z.string().regex(/^(?:bank_account|ifsc)_/) });
/** Documented with 400; 409 is the status for a known reference of Cashfree's other calls. */
const known = z.object({ code: z.literal('user_id_already_exists') });
const unknown = z.object({ code: z.literal('user_id_not_found') });

/** The answer to a request for a verification. `known`: the reference was used before. `running`: or is another one's. */
type Begun =
  | { readonly kind: 'begun'; readonly verification: CashfreeVerification }
  | { readonly kind: 'known' | 'running' }
  | { readonly kind: 'not-begun'; readonly end: EndState };

/** Cashfree's bank account verification, version 2, asynchronous. */
export class CashfreeBankClient {
  readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('verify-account', 'account-verification');
  }

  /** @param userId our reference; Cashfree refuses a second call with it */
  async begin(account: { bank_account: string; ifsc: string }, userId: string): Promise<Begun> {
    const answer = await this.client.call({
      operation: 'verify-account',
      path: '/bank-account/async',
      body: { ...account, user_id: userId },
      answers: {
        200: verification,
        400: z.union([known, invalidAccount]),
        409: z.unknown(),
        422: z.union([running.transform(() => 'running' as const), notBegun]),
      },
    });
    if (answer.status === 409) return { kind: 'known' };
    if (answer.status === 422) {
      return answer.body === 'running' ? { kind: 'running' } : { kind: 'not-begun', end: answer.body.code };
    }
    if (answer.status === 400) {
      return answer.body.code === 'user_id_already_exists'
        ? { kind: 'known' }
        : { kind: 'not-begun', end: 'no-such-account' };
    }
    return { kind: 'begun', verification: answer.body };
  }

  /** Undefined for an unknown reference. */
  async find(userId: string): Promise<CashfreeVerification | undefined> {
    const answer = await this.client.call({
      operation: 'account-verification',
      path: `/bank-account?user_id=${userId}`,
      // no retry: the worker polls again, and the lease covers one try
      isRepeatable: false,
      answers: { 200: verification, 404: unknown },
    });
    return answer.status === 404 ? undefined : answer.body;
  }

  /** Opens the circuit: a verification has ended because our wallet is empty. */
  async reportEmptyWallet(): Promise<void> {
    await this.client.openCircuit('account-verification', 'INSUFFICIENT_BALANCE');
  }
}
