import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../wire/bounded-map.js';
import { after, indiaTime } from '../../wire/india-time.js';
import { Refusal } from '../../wire/refusal.js';

/** Leads that are kept; the oldest go first. */
const CAPACITY = 10_000;
export const LEAD_LIFE_SECONDS = 7 * 24 * 3_600;

interface Lead {
  readonly id: string;
  readonly expiresAt: Date;
  contextId: string | null;
}

export interface LeadView {
  readonly lead_id: string;
  readonly state: 'OPEN' | 'EXPIRED';
  readonly expires_at: string;
}

export interface KycContext {
  readonly isNew: boolean;
  readonly view: object;
}

/** Sahyadri's leads: what somebody wants to invest, before the issuer asks for their papers. */
@Injectable()
export class LeadsService {
  private readonly leads = new BoundedMap<string, Lead>(CAPACITY);

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
  ) {}

  /** One lead for each idempotency key. */
  open(reference: string, idempotencyKey: string | undefined): LeadView {
    const effect = { party: 'issuer:sahyadri', kind: 'lead', subject: reference, idempotencyKey };
    return this.effects.once(effect, () => {
      const expiresAt = after(this.clock.now(), LEAD_LIFE_SECONDS);
      const lead: Lead = { id: uuidv7(), expiresAt, contextId: null };
      this.leads.set(lead.id, lead);
      return this.present(lead);
    });
  }

  /** @throws Refusal `unknown_lead` */
  find(id: string): LeadView {
    return this.present(this.known(id));
  }

  /**
   * What the issuer wants to be shown for a lead: the same context each time.
   * @throws Refusal `unknown_lead`, `lead_expired`
   */
  kycContext(id: string): KycContext {
    const lead = this.known(id);
    if (this.isExpired(lead)) throw new Refusal(410, 'lead_expired', 'The lead has expired.');
    const isNew = lead.contextId === null;
    lead.contextId ??= uuidv7();
    return { isNew, view: { context_id: lead.contextId, ...WANTED } };
  }

  private known(id: string): Lead {
    const lead = this.leads.get(id);
    if (!lead) throw new Refusal(404, 'unknown_lead', 'There is no such lead.');
    return lead;
  }

  private isExpired({ expiresAt }: Lead): boolean {
    return this.clock.now() >= expiresAt;
  }

  private present(lead: Lead): LeadView {
    const state = this.isExpired(lead) ? 'EXPIRED' : 'OPEN';
    return { lead_id: lead.id, state, expires_at: indiaTime(lead.expiresAt) };
  }
}

const WANTED = {
  documents: ['PAN', 'AADHAAR', 'PHOTO'],
  declarations: [
    { code: 'TAX_RESIDENT', text: 'I am a tax resident of India and of no other country.' },
    { code: 'NOT_PEP', text: 'I am not a politically exposed person, nor related to one.' },
    { code: 'TRUE_DATA', text: 'What I have stated is true, and I will report any change.' },
  ],
};
