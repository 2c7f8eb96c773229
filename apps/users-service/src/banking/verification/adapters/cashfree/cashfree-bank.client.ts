import { z } from 'zod';
import { type ProviderClient, providerName } from '../../../../integrations/index.js';

/** Codes of a verification without result and payment. The last one has the vendor's spelling. */
const PUT_OFF = [
  'FAILED_AT_BANK',
  'NPCI_UNAVAILABLE',
  'CONNECTION_TIMEOUT',
  'SOURCE_BANK_DECLINED',
  'BENE_BANK_DECLINED',
  'IMPS_MODE_FAIL',
  'BENEFICIARY_BANK_OFFLINE',
  'BENFICIARY_BANK_OFFLINE',
] as const;

/** Such codes for a refused start. */
const NOT_BEGUN = [
  ...PUT_OFF.map((code) => code.toLowerCase() as Lowercase<typeof code>),
  // an earlier verification of the account that belongs to another user
  'verification_already_under_process' as const,
];

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
    // a valid account has a holder: a result without a name is malformed
    name_at_bank: providerName,
    bank_name: providerName.nullish(),
  }),
  z.object({
    account_status: z.literal('INVALID'),
    account_status_code: z.enum([
      'INVALID_ACCOUNT_FAIL',
      'INVALID_IFSC_FAIL',
      'ACCOUNT_BLOCKED',
      'FRAUD_ACCOUNT',
      'NRE_ACCOUNT_FAIL',
    ]),
    bank_name: providerName.nullish(),
  }),
  z.object({ account_status: z.literal('FAILED'), account_status_code: z.enum(PUT_OFF) }),
  z.object({
    account_status: z.enum(['REJECTED', 'CANCELLED', 'MANUALLY_REJECTED']),
    account_status_code: z.string().optional(),
  }),
]);
export type CashfreeVerification = z.output<typeof verification>;

const notBegun = z.object({ code: z.enum([...NOT_BEGUN, 'fraud_account']) });
const known = z.object({ code: z.string() });
const unknown = z.object({ code: z.literal('user_id_not_found') });

/** The answer to a request for a verification. `known`: the reference was used before. */
type Begun =
  | { readonly kind: 'begun'; readonly verification: CashfreeVerification }
  | { readonly kind: 'known' }
  | { readonly kind: 'not-begun'; readonly code: z.output<typeof notBegun>['code'] };

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
      method: 'POST',
      path: '/bank-account/async',
      body: { ...account, user_id: userId },
      isRepeatable: false,
      answers: { 200: verification, 409: known, 422: notBegun },
    });
    if (answer.status === 409) return { kind: 'known' };
    if (answer.status === 422) return { kind: 'not-begun', code: answer.body.code };
    return { kind: 'begun', verification: answer.body };
  }

  /** Undefined for an unknown reference. */
  async find(userId: string): Promise<CashfreeVerification | undefined> {
    const answer = await this.client.call({
      operation: 'account-verification',
      method: 'GET',
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
