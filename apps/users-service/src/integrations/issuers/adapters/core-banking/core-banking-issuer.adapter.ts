import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { ProviderClient } from '../../../providers/provider-client.js';
import { providerId, providerText } from '../../../providers/provider-text.js';
import type {
  Beneficiary,
  CustomerQuery,
  ExistingCustomer,
  IssuerApi,
  Registration,
} from '../../issuer-api.port.js';

/** An answer of the bank: the code in its header decides the outcome; the HTTP status is always 200. */
const envelope = z.object({ header: z.object({ responseCode: z.string() }), body: z.unknown() });

/** Code and body; undefined for an answer without the bank's envelope. */
function opened(answer: unknown): { code: string; body: unknown } | undefined {
  const { data } = envelope.safeParse(answer);
  return data && { code: data.header.responseCode, body: data.body };
}

const coded = <Code extends string, Body extends z.ZodType>(code: Code, body: Body) =>
  z.object({ code: z.literal(code), body });

const unknown = z.object({ code: z.literal('14') });
/** Our request was invalid. */
const unusable = z.object({ code: z.literal('30') });

const enquiryBody = z.object({
  custId: providerId,
  kycFlag: z.enum(['Y', 'N']),
  matchFlags: providerText(20),
});
const enquiryAnswer = z.discriminatedUnion('code', [coded('00', enquiryBody), unknown, unusable]);

const additionAnswer = z.discriminatedUnion('code', [coded('01', z.object({ ackNo: providerId })), unusable]);

const statusAnswer = z.discriminatedUnion('code', [
  coded('00', z.object({ benStatus: z.literal('A'), benId: providerId })),
  coded('01', z.object({ benStatus: z.literal('P') })),
  coded('57', z.object({ benStatus: z.literal('R') })),
  unknown,
  unusable,
]);

/** Our identity in the header of each call. */
const CHANNEL = 'DEPOSITS';

/** Matched data, one letter each. Unknown letters are ignored. */
const MATCHES: Partial<Record<string, ExistingCustomer['matchedOn'][number]>> = { P: 'PAN', M: 'PHONE' };

/** `1990-04-21` as `21-04-1990`. */
const dayFirst = (date: string): string => date.split('-').reverse().join('-');

const OPERATIONS = ['find-customer', 'register-beneficiary', 'beneficiary-outcome'] as const;

interface CbsCall<Shape extends z.ZodType> {
  readonly operation: (typeof OPERATIONS)[number];
  /** The bank's name of the operation, also its path. */
  readonly service: string;
  readonly body: object;
  readonly idempotencyKey?: string;
  readonly answer: Shape;
}

/** Adapter for an issuer's core banking system, which answers everything with 200 and decides some requests later. */
export class CoreBankingIssuer implements IssuerApi {
  private readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations(...OPERATIONS);
  }

  async findCustomer({ pan, dateOfBirth, phone }: CustomerQuery): Promise<ExistingCustomer | undefined> {
    const result = await this.call({
      operation: 'find-customer',
      service: 'customerEnquiry',
      body: { panNumber: pan, birthDate: dayFirst(dateOfBirth), mobileNumber: `+${phone}` },
      answer: enquiryAnswer,
    });
    if (result.code === '14') return undefined;
    const { custId, kycFlag, matchFlags } = result.body;
    return {
      customerId: custId,
      isKycComplete: kycFlag === 'Y',
      matchedOn: [...matchFlags].flatMap((flag) => MATCHES[flag] ?? []),
    };
  }

  async registerBeneficiary(beneficiary: Beneficiary, idempotencyKey: string): Promise<Registration> {
    const { body } = await this.call({
      operation: 'register-beneficiary',
      service: 'beneficiaryAdd',
      body: {
        benName: beneficiary.holderName,
        benAcctNo: beneficiary.account,
        benIfsc: beneficiary.ifsc,
        custRef: beneficiary.customerReference,
      },
      idempotencyKey,
      answer: additionAnswer,
    });
    return { state: 'accepted', receipt: body.ackNo };
  }

  async registrationOutcome(receipt: string): Promise<Registration> {
    const result = await this.call({
      operation: 'beneficiary-outcome',
      service: 'beneficiaryStatus',
      body: { ackNo: receipt },
      answer: statusAnswer,
    });
    switch (result.code) {
      case '00':
        return { state: 'registered', reference: result.body.benId };
      case '01':
        return { state: 'accepted', receipt };
      case '57':
        return { state: 'invalid-beneficiary' };
      case '14':
        throw this.client.failed('refused', 'receipt not known');
    }
  }

  /** Makes a call in the bank's envelope. @throws ProviderError also for an invalid request */
  private async call<Shape extends z.ZodType<{ code: string }>>({
    service,
    body,
    answer,
    ...call
  }: CbsCall<Shape>): Promise<Exclude<z.output<Shape>, { code: '30' }>> {
    const { body: result } = await this.client.call({
      ...call,
      path: `/cbs/${service}`,
      body: { header: { channel: CHANNEL, txnRef: uuidv7() }, body },
      // only changes have a key
      isRepeatable: true,
      answers: { 200: z.preprocess(opened, answer) },
    });
    if (result.code === '30') throw this.client.failed('refused', 'code 30');
    return result as Exclude<z.output<Shape>, { code: '30' }>;
  }
}
