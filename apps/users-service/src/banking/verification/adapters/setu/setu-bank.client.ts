import { z } from 'zod';
import { optionalName, type ProviderClient, providerId } from '../../../../integrations/index.js';
import { endOf, SETU_CODES } from './setu-bank.table.js';

const begun = z.object({ id: providerId });

/** Setu's documentation differs in the case of the word. */
const word = <Word extends string>(expected: Word) => z.string().toLowerCase().pipe(z.literal(expected));

/** Setu's OpenAPI document shows answers without a code; a text then says why a verification failed. */
const failed = z
  .object({
    verification: word('failed'),
    code: z.enum(SETU_CODES).nullish(),
    message: z.string().nullish(),
  })
  .transform(({ code, message }, context) => {
    const end = endOf({ code, message });
    if (end !== undefined) return { verification: 'failed', end } as const;
    context.addIssue({ code: 'custom', path: ['message'], message: 'unknown text' });
    return z.NEVER;
  });

const verification = z.union([
  z.object({ verification: word('pending') }),
  z.object({
    verification: word('success'),
    // the second code: the name is known although the credit failed
    code: z.enum(['BAV00', 'BAVM0']).nullish(),
    // missing if the bank does not tell it
    data: z.object({ name: optionalName }).nullish(),
  }),
  failed,
]);
type SetuVerification = z.output<typeof verification>;

/** The text on the customer's account statement, with one rupee. */
const NARRATION = 'Account verification';

/** Setu's bank account verification by penny drop, asynchronous. */
export class SetuBankClient {
  readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('verify-account', 'account-verification');
  }

  /**
   * Returns Setu's id, or why it refuses the account. Setu accepts no reference of ours: a second call makes a second
   * payment.
   */
  async begin(account: {
    accountNumber: string;
    ifsc: string;
  }): Promise<z.output<typeof begun> | z.output<typeof failed>> {
    const { body } = await this.client.call({
      operation: 'verify-account',
      path: '/api/verify/ban/async',
      body: { ...account, narration: NARRATION },
      answers: { 200: z.union([begun, failed]), 201: begun, 202: begun, 400: failed },
    });
    return body;
  }

  async find(id: string): Promise<SetuVerification> {
    const answer = await this.read('GET', id);
    if (answer.status === 200) return answer.body;
    // Setu's guide and OpenAPI document differ in the method
    const posted = await this.read('POST', id);
    if (posted.status === 200) return posted.body;
    throw this.client.malformed('account-verification', 'neither GET nor POST');
  }

  private read(method: 'GET' | 'POST', id: string) {
    return this.client.call({
      operation: 'account-verification',
      method,
      path: `/api/verify/ban/async/${encodeURIComponent(id)}`,
      // no retry: the worker polls again, and the lease covers one try
      isRepeatable: false,
      answers: { 200: verification, 405: z.unknown() },
    });
  }
}
