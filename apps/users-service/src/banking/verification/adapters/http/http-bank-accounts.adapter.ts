import { z } from 'zod';
import {
  type ProviderClient,
  type ProviderEndpoint,
  providerId,
  providerName,
} from '../../../../integrations/index.js';
import {
  type AccountFinding,
  type AccountToVerify,
  type BankAccounts,
  unnamed,
} from '../../bank-accounts.port.js';

const processing = z.object({ verification_id: providerId, status: z.literal('PROCESSING') });

const completed = z.discriminatedUnion('result', [
  z.object({
    status: z.literal('COMPLETED'),
    result: z.literal('VALID'),
    // null if the bank does not tell it
    name_at_bank: providerName.nullable(),
    bank_name: providerName,
  }),
  z.object({
    status: z.literal('COMPLETED'),
    result: z.enum(['FROZEN', 'CLOSED', 'INVALID_ACCOUNT']),
    bank_name: providerName,
  }),
]);

const unknown = z.object({ error: z.object({ type: z.literal('not_found') }) });

const bankAway = z.object({ error: z.object({ type: z.literal('bank_offline') }) });

/** The bank of one account is down: the provider verifies accounts of others. */
export const httpBankFailureIn: ProviderEndpoint['failureIn'] = ({ status, body }) =>
  status === 503 && bankAway.safeParse(body).success
    ? { failure: 'unavailable', reason: 'elsewhere', code: 'bank_offline' }
    : undefined;

const REFUSALS = { FROZEN: 'frozen', CLOSED: 'closed', INVALID_ACCOUNT: 'no-such-account' } as const;

export class HttpBankAccountsAdapter implements BankAccounts {
  readonly name = 'bank';
  readonly isInteractive = true;

  private readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('verify-account', 'account-verification');
  }

  /** The provider honours the key: repeats send one penny. */
  async find(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async begin(account: AccountToVerify, idempotencyKey: string): Promise<AccountFinding> {
    const { body } = await this.client.call({
      operation: 'verify-account',
      path: '/account-verifications',
      body: { account_number: account.account, ifsc: account.ifsc, holder_name: account.holderName },
      idempotencyKey,
      answers: { 200: completed, 202: processing },
    });
    return findingOf(body);
  }

  async outcome(_account: AccountToVerify, id: string): Promise<AccountFinding | undefined> {
    const answer = await this.client.call({
      operation: 'account-verification',
      path: `/account-verifications/${encodeURIComponent(id)}`,
      answers: { 200: z.union([completed, processing]), 404: unknown },
    });
    return answer.status === 404 ? undefined : findingOf(answer.body);
  }
}

function findingOf(body: z.output<typeof completed> | z.output<typeof processing>): AccountFinding {
  if (body.status === 'PROCESSING') return { state: 'processing', receipt: body.verification_id };
  const { bank_name: bankName } = body;
  if (body.result !== 'VALID') return { state: REFUSALS[body.result], bankName };
  const { name_at_bank: nameAtBank } = body;
  return nameAtBank === null ? unnamed(bankName) : { state: 'valid', nameAtBank, bankName };
}
