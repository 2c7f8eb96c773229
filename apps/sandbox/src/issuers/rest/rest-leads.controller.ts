import { Body, Get, Headers, Param, Post, Res } from '@nestjs/common';
import { Clock } from '@fd/platform';
import type { Response } from 'express';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { after, indiaTime } from '../../http/india-time.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody, readIdempotencyKey } from '../../http/request.js';
import { newLead } from './rest-messages.js';

export const LEAD_LIFE_SECONDS = 7 * 24 * 3_600;

interface Lead {
  readonly id: string;
  readonly expiresAt: Date;
  contextId: string | null;
}

/** The issuer's requirements for all customers before the KYC. */
const KYC_CONTEXT = {
  documents: ['PAN', 'AADHAAR', 'PHOTO'],
  declarations: [
    { code: 'TAX_RESIDENT', text: 'I am a tax resident of India and of no other country.' },
    { code: 'NOT_PEP', text: 'I am not a politically exposed person, nor related to one.' },
    { code: 'TRUE_DATA', text: 'What I have stated is true, and I will report any change.' },
  ],
};

/** The leads of Sahyadri: an intended deposit, reported before the KYC. The other issuers have no leads. */
@OutsideApi('issuers/sahyadri/leads')
export class RestLeadsController {
  private readonly leads = new BoundedMap<string, Lead>();

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
  ) {}

  /** Opens one lead for each idempotency key. */
  @Post()
  open(@Headers('idempotency-key') key: string | undefined, @Body() body: unknown): object {
    const { reference: subject } = readBody(newLead, body);
    const effect = {
      provider: 'issuer:sahyadri',
      kind: 'lead',
      subject,
      idempotencyKey: readIdempotencyKey(key),
    };
    return this.effects.once(effect, () => {
      const expiresAt = after(this.clock.now(), LEAD_LIFE_SECONDS);
      const lead: Lead = { id: uuidv7(), expiresAt, contextId: null };
      this.leads.set(lead.id, lead);
      return this.present(lead);
    });
  }

  @Get(':id')
  find(@Param('id') id: string): object {
    return this.present(this.known(id));
  }

  /** Answers 201 with a new context, then 200 with the same one. */
  @Post(':id/kyc-context')
  kycContext(@Param('id') id: string, @Res({ passthrough: true }) response: Response): object {
    const lead = this.known(id);
    if (this.isExpired(lead)) throw new Refusal(410, 'lead_expired', 'The lead has expired.');
    response.status(lead.contextId === null ? 201 : 200);
    lead.contextId ??= uuidv7();
    return { context_id: lead.contextId, ...KYC_CONTEXT };
  }

  private known(id: string): Lead {
    const lead = this.leads.get(id);
    if (!lead) throw new Refusal(404, 'unknown_lead', 'There is no such lead.');
    return lead;
  }

  private isExpired({ expiresAt }: Lead): boolean {
    return this.clock.now() >= expiresAt;
  }

  private present(lead: Lead): object {
    const state = this.isExpired(lead) ? 'EXPIRED' : 'OPEN';
    return { lead_id: lead.id, state, expires_at: indiaTime(lead.expiresAt) };
  }
}
