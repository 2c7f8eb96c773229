import { ProviderError } from '@fd/errors';
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';
import type { ProviderClient } from '../../../providers/provider-client.js';
import type {
  Beneficiary,
  BeneficiaryRegister,
  CustomerQuery,
  ExistingCustomer,
  ExistingCustomers,
  IssuerApi,
  Registration,
} from '../../issuer-api.port.js';
import { additionAnswer, enquiryAnswer, statusAnswer } from './cbs-messages.js';

/** Who we are, in the header of each call. */
const CHANNEL = 'DEPOSITS';

/** What matched: one letter each. What else they compare says nothing to us. */
const MATCHES: Partial<Record<string, ExistingCustomer['matchedOn'][number]>> = { P: 'PAN', M: 'PHONE' };

/** The API of an issuer that opens its core banking system: it answers everything with 200, and some of it later. */
export function coreBankingIssuerApi(client: ProviderClient): IssuerApi {
  const calls = new CbsCalls(client);
  return { customers: new CbsCustomers(calls), beneficiaries: new CbsBeneficiaries(calls) };
}

interface CbsCall<Shape extends z.ZodType> {
  readonly operation: string;
  /** Name of theirs, which is the path too. */
  readonly service: string;
  readonly body: object;
  readonly idempotencyKey?: string;
  readonly answer: Shape;
}

/** Calls in their envelope. */
class CbsCalls {
  constructor(private readonly client: ProviderClient) {}

  /** @throws ProviderError also when they could not use the call */
  async make<Shape extends z.ZodType<{ code: string }>>({
    operation,
    service,
    body,
    idempotencyKey,
    answer,
  }: CbsCall<Shape>): Promise<Exclude<z.output<Shape>, { code: '30' }>> {
    const { body: result } = await this.client.call({
      operation,
      method: 'POST',
      path: `/cbs/${service}`,
      body: { header: { channel: CHANNEL, txnRef: uuidv7() }, body },
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      // what changes something has a key, all else reads
      isRepeatable: true,
      answers: { 200: answer },
    });
    if (result.code === '30') throw this.refused('code 30');
    return result as Exclude<z.output<Shape>, { code: '30' }>;
  }

  refused(detail: string): ProviderError {
    return new ProviderError(this.client.address.name, 'refused', { detail });
  }
}

class CbsCustomers implements ExistingCustomers {
  constructor(private readonly calls: CbsCalls) {}

  async find({ pan, dateOfBirth, phone }: CustomerQuery): Promise<ExistingCustomer | undefined> {
    const result = await this.calls.make({
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
}

class CbsBeneficiaries implements BeneficiaryRegister {
  constructor(private readonly calls: CbsCalls) {}

  async register(beneficiary: Beneficiary, idempotencyKey: string): Promise<Registration> {
    const result = await this.calls.make({
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
    return { state: 'accepted', receipt: result.body.ackNo };
  }

  async outcome(receipt: string): Promise<Registration> {
    const result = await this.calls.make({
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
        throw this.calls.refused('receipt not known');
    }
  }
}

/** `1990-04-21` as `21-04-1990`. */
const dayFirst = (date: string): string => date.split('-').reverse().join('-');
