import { ProviderError } from '@fd/errors';
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
import { customerSearchAnswer, refusal, registeredBeneficiary } from './rest-messages.js';
import { RestLeadDesk } from './rest-lead-desk.adapter.js';

/** What matched, in our words. What else they compare says nothing to us. */
const MATCHES: ReadonlyMap<string, ExistingCustomer['matchedOn'][number]> = new Map([
  ['PAN', 'PAN'],
  ['MOBILE', 'PHONE'],
]);

/** The API of an issuer that speaks plain JSON over HTTP and answers at once. */
export function restIssuerApi(client: ProviderClient, { hasLeads }: { hasLeads: boolean }): IssuerApi {
  return {
    customers: new RestCustomers(client),
    beneficiaries: new RestBeneficiaries(client),
    ...(hasLeads ? { leads: new RestLeadDesk(client) } : {}),
  };
}

class RestCustomers implements ExistingCustomers {
  constructor(private readonly client: ProviderClient) {}

  async find({ pan, dateOfBirth, phone }: CustomerQuery): Promise<ExistingCustomer | undefined> {
    const { body } = await this.client.call({
      operation: 'find-customer',
      method: 'POST',
      path: '/customers/search',
      body: { pan, date_of_birth: dateOfBirth, mobile: phone },
      isRepeatable: true,
      answers: { 200: customerSearchAnswer },
    });
    if (!body.found) return undefined;
    return {
      customerId: body.customer.customer_no,
      isKycComplete: body.customer.kyc_status === 'COMPLETE',
      matchedOn: body.customer.matched_on.flatMap((match) => MATCHES.get(match) ?? []),
    };
  }
}

class RestBeneficiaries implements BeneficiaryRegister {
  constructor(private readonly client: ProviderClient) {}

  async register(beneficiary: Beneficiary, idempotencyKey: string): Promise<Registration> {
    const answer = await this.client.call({
      operation: 'register-beneficiary',
      method: 'POST',
      path: '/bank-accounts',
      body: {
        beneficiary_name: beneficiary.holderName,
        account_no: beneficiary.account,
        ifsc: beneficiary.ifsc,
        customer_ref: beneficiary.customerReference,
      },
      idempotencyKey,
      isRepeatable: true,
      answers: { 201: registeredBeneficiary, 422: refusal },
    });
    if (answer.status === 201) return { state: 'registered', reference: answer.body.beneficiary_id };
    return invalidBeneficiary(this.client, answer.body);
  }

  /** They decide at once, so no registration of theirs has a receipt. */
  outcome(): Promise<Registration> {
    return Promise.reject(new ProviderError(this.client.address.name, 'refused', { detail: 'no receipts' }));
  }
}

/** @throws ProviderError when it is our request that they could not use */
function invalidBeneficiary(client: ProviderClient, { error }: z.output<typeof refusal>): Registration {
  if (error.type === 'invalid_beneficiary') return { state: 'invalid-beneficiary' };
  throw new ProviderError(client.address.name, 'refused', { detail: 'status 422' });
}
