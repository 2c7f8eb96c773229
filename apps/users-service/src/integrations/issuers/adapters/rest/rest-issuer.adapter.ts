import { z } from 'zod';
import type { ProviderClient } from '../../../providers/provider-client.js';
import { providerId, providerName, providerParagraph } from '../../../providers/provider-text.js';
import type {
  Beneficiary,
  CustomerQuery,
  ExistingCustomer,
  IssuerApi,
  IssuerLead,
  KycContext,
  LeadApi,
  LeadRequest,
  Registration,
} from '../../issuer-api.port.js';

/** A refusal by the issuer: a stable type, and text that we ignore. */
const refusal = z.object({ error: z.object({ type: z.string() }) });

const customerSearch = z.discriminatedUnion('found', [
  z.object({ found: z.literal(false) }),
  z.object({
    found: z.literal(true),
    customer: z.object({
      customer_no: providerId,
      kyc_status: z.enum(['COMPLETE', 'DUE']),
      matched_on: z.array(z.string()),
    }),
  }),
]);

const registered = z
  .object({ beneficiary_id: providerId, state: z.literal('ACTIVE') })
  .transform(({ beneficiary_id: reference }): Registration => ({ state: 'registered', reference }));

const withdrawn = z.object({ beneficiary_id: providerId, state: z.literal('WITHDRAWN') });

const lead = z
  .object({
    lead_id: providerId,
    state: z.enum(['OPEN', 'EXPIRED', 'CONVERTED']),
    expires_at: z.iso.datetime({ offset: true }),
  })
  .transform(({ lead_id: leadId, state, expires_at }): IssuerLead => ({
    leadId,
    state,
    expiresAt: new Date(expires_at),
  }));

const kycContext = z
  .object({
    context_id: providerId,
    documents: z.array(providerName).max(50),
    declarations: z.array(z.object({ code: providerName, text: providerParagraph(2_000) })).max(50),
  })
  .transform(({ context_id: contextId, ...rest }): KycContext => ({ contextId, ...rest }));

/** Matched data in our terms. Unknown values are ignored. */
const MATCHES: ReadonlyMap<string, ExistingCustomer['matchedOn'][number]> = new Map([
  ['PAN', 'PAN'],
  ['MOBILE', 'PHONE'],
]);

/** Adapter for an issuer with plain JSON over HTTP that answers at once. */
export class RestIssuer implements IssuerApi {
  readonly leads?: LeadApi;
  private readonly client;

  constructor(client: ProviderClient, { hasLeads }: { hasLeads: boolean }) {
    this.client = client.forOperations('find-customer', 'register-beneficiary', 'withdraw-beneficiary');
    if (hasLeads) this.leads = new RestLeadApi(client);
  }

  async findCustomer({ pan, dateOfBirth, phone }: CustomerQuery): Promise<ExistingCustomer | undefined> {
    const { body } = await this.client.call({
      operation: 'find-customer',
      path: '/customers/search',
      body: { pan, date_of_birth: dateOfBirth, mobile: phone },
      isRepeatable: true,
      answers: { 200: customerSearch },
    });
    if (!body.found) return undefined;
    return {
      customerId: body.customer.customer_no,
      isKycComplete: body.customer.kyc_status === 'COMPLETE',
      matchedOn: body.customer.matched_on.flatMap((match) => MATCHES.get(match) ?? []),
    };
  }

  async registerBeneficiary(beneficiary: Beneficiary, idempotencyKey: string): Promise<Registration> {
    const { status, body } = await this.client.call({
      operation: 'register-beneficiary',
      path: '/bank-accounts',
      body: {
        beneficiary_name: beneficiary.holderName,
        account_no: beneficiary.account,
        ifsc: beneficiary.ifsc,
        customer_ref: beneficiary.customerReference,
      },
      idempotencyKey,
      answers: { 201: registered, 422: refusal },
    });
    if (status === 201) return body;
    if (body.error.type === 'invalid_beneficiary') return { state: 'invalid-beneficiary' };
    // our request was invalid
    throw this.client.failed('refused', 'status 422');
  }

  /** The issuer decides at once, so there are no receipts. */
  registrationOutcome(): Promise<Registration> {
    return Promise.reject(this.client.failed('refused', 'no receipts'));
  }

  async withdrawBeneficiary(reference: string, idempotencyKey: string): Promise<void> {
    const { status, body } = await this.client.call({
      operation: 'withdraw-beneficiary',
      path: `/bank-accounts/${encodeURIComponent(reference)}/withdrawal`,
      body: {},
      idempotencyKey,
      answers: { 200: withdrawn, 404: refusal },
    });
    // without the issuer's error type the answer comes from a gateway
    if (status === 404 && body.error.type !== 'unknown_beneficiary')
      throw this.client.failed('misconfigured', 'status 404');
  }
}

class RestLeadApi implements LeadApi {
  private readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('open-lead', 'find-lead', 'open-kyc-context');
  }

  async open(request: LeadRequest, idempotencyKey: string): Promise<IssuerLead> {
    const { body } = await this.client.call({
      operation: 'open-lead',
      path: '/leads',
      body: {
        reference: request.reference,
        amount: request.amount,
        tenure_days: request.tenureDays,
        payout: request.payoutFrequency,
        source: request.source,
        campaign: request.campaign,
      },
      idempotencyKey,
      answers: { 201: lead },
    });
    return body;
  }

  async find(leadId: string): Promise<IssuerLead | undefined> {
    const answer = await this.client.call({
      operation: 'find-lead',
      path: `/leads/${encodeURIComponent(leadId)}`,
      answers: { 200: lead, 404: refusal },
    });
    if (answer.status === 200) return answer.body;
    this.expect('unknown_lead', answer);
    return undefined;
  }

  /** A repeat returns the same context, so it needs no key. */
  async kycContext(leadId: string): Promise<KycContext | 'unknown-lead' | 'lead-expired'> {
    const answer = await this.client.call({
      operation: 'open-kyc-context',
      path: `/leads/${encodeURIComponent(leadId)}/kyc-context`,
      body: {},
      isRepeatable: true,
      answers: { 200: kycContext, 201: kycContext, 404: refusal, 410: refusal },
    });
    if (answer.status === 200 || answer.status === 201) return answer.body;
    const isExpired = answer.status === 410;
    this.expect(isExpired ? 'lead_expired' : 'unknown_lead', answer);
    return isExpired ? 'lead-expired' : 'unknown-lead';
  }

  /** Without the issuer's error type the answer comes from a gateway and says nothing about the lead. */
  private expect(type: string, { status, body }: { status: number; body: z.output<typeof refusal> }): void {
    if (body.error.type !== type) throw this.client.failed('misconfigured', `status ${status}`);
  }
}
