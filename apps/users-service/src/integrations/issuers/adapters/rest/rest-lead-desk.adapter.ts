import { ProviderError } from '@fd/errors';
import type { z } from 'zod';
import type { ProviderClient } from '../../../providers/provider-client.js';
import type { IssuerLead, KycContext, LeadDesk, LeadRequest } from '../../issuer-api.port.js';
import { kycContextAnswer, leadAnswer, refusal } from './rest-messages.js';

/** Leads and KYC contexts, at issuers that have them. */
export class RestLeadDesk implements LeadDesk {
  constructor(private readonly client: ProviderClient) {}

  async open(request: LeadRequest, idempotencyKey: string): Promise<IssuerLead> {
    const { body } = await this.client.call({
      operation: 'open-lead',
      method: 'POST',
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
      isRepeatable: true,
      answers: { 201: leadAnswer },
    });
    return leadOf(body);
  }

  async find(leadId: string): Promise<IssuerLead | undefined> {
    const answer = await this.client.call({
      operation: 'find-lead',
      method: 'GET',
      path: `/leads/${encodeURIComponent(leadId)}`,
      isRepeatable: true,
      answers: { 200: leadAnswer, 404: refusal },
    });
    if (answer.status === 200) return leadOf(answer.body);
    this.expect('unknown_lead', answer);
    return undefined;
  }

  /** They answer a repeat with the same context, so it needs no key. */
  async kycContext(leadId: string): Promise<KycContext | 'unknown-lead' | 'lead-expired'> {
    const answer = await this.client.call({
      operation: 'open-kyc-context',
      method: 'POST',
      path: `/leads/${encodeURIComponent(leadId)}/kyc-context`,
      body: {},
      isRepeatable: true,
      answers: { 200: kycContextAnswer, 201: kycContextAnswer, 404: refusal, 410: refusal },
    });
    if (answer.status === 404) {
      this.expect('unknown_lead', answer);
      return 'unknown-lead';
    }
    if (answer.status === 410) {
      this.expect('lead_expired', answer);
      return 'lead-expired';
    }
    return contextOf(answer.body);
  }

  /** A 404 without their word for it is said by something in front of them, and tells nothing of the lead. */
  private expect(type: string, { status, body }: { status: number; body: z.output<typeof refusal> }): void {
    if (body.error.type === type) return;
    throw new ProviderError(this.client.address.name, 'misconfigured', { detail: `status ${status}` });
  }
}

function leadOf({ lead_id, state, expires_at }: z.output<typeof leadAnswer>): IssuerLead {
  return { leadId: lead_id, state, expiresAt: expires_at };
}

function contextOf(answer: z.output<typeof kycContextAnswer>): KycContext {
  return { contextId: answer.context_id, documents: answer.documents, declarations: answer.declarations };
}
