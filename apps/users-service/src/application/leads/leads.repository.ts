import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Clock } from '@fd/platform';
import { type EntityManager, Raw, type Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { AuditTrail } from '../../core/index.js';
import type { IssuerLead } from '../../integrations/index.js';
import { JourneyRepository } from '../../journey/index.js';
import type { LeadTerms } from './lead-terms.js';
import { LeadRow } from './lead.entity.js';
import { CLAIM_LEAD } from './leads.queries.js';

export interface LeadOwner {
  readonly userId: string;
  /** Slug. */
  readonly issuer: string;
}

/** A stored lead, which the issuer may not have received yet. */
export interface OpeningLead {
  readonly state: 'OPENING';
  readonly id: string;
  readonly terms: LeadTerms;
}

export interface AcceptedLead {
  readonly state: IssuerLead['state'];
  readonly id: string;
  readonly issuerLeadId: string;
  readonly expiresAt: Date;
}

type Lead = OpeningLead | AcceptedLead;

/** Leads and their steps: at most one open or opening lead for a user and issuer. */
@Injectable()
export class LeadsRepository {
  constructor(
    @InjectRepository(LeadRow) private readonly rows: Repository<LeadRow>,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the open or opening lead, or creates one with these terms.
   * @param hasTerms whether the client has sent terms
   */
  async claimLead(owner: LeadOwner, terms: LeadTerms, hasTerms: boolean): Promise<Lead> {
    const { amount, tenureDays, payoutFrequency, source, campaign } = terms;
    return this.rows.manager.transaction(async (tx) => {
      const [claimed] = await CLAIM_LEAD.rows(tx, {
        ...{ id: uuidv7(), ...owner, tenureDays, payoutFrequency, source, campaign },
        amount: amount === null ? null : String(amount),
      });
      const lead = leadOf(await tx.findOneByOrFail(LeadRow, { id: claimed!.id }));
      if (hasTerms) await this.recordTerms(tx, owner);
      if (lead.state === 'OPENING')
        await this.journey.record(tx, { ...owner, step: 'LEAD', event: 'STARTED', isLimited: true });
      return lead;
    });
  }

  async noteTerms(owner: LeadOwner): Promise<void> {
    await this.rows.manager.transaction((tx) => this.recordTerms(tx, owner));
  }

  private async recordTerms(tx: EntityManager, owner: LeadOwner): Promise<void> {
    await this.journey.record(tx, { ...owner, step: 'FD_DETAIL', event: 'COMPLETED' });
  }

  /** Returns the open lead if the issuer has confirmed it within the last minute. */
  async findConfirmed({ userId, issuer }: LeadOwner): Promise<AcceptedLead | undefined> {
    const row = await this.rows.findOneBy({
      ...{ userId, issuerSlug: issuer },
      // a literal, so that the prepared statement uses the partial index
      state: Raw((column) => `${column} = 'OPEN'`),
      updatedAt: Raw((column) => `${column} > now() - interval '1 minute'`),
    });
    return row ? (leadOf(row) as AcceptedLead) : undefined;
  }

  /** Finds a lead of the user with the issuer, in any state. */
  async findById({ userId, issuer }: LeadOwner, id: string): Promise<Lead | undefined> {
    const row = await this.rows.findOneBy({ id, userId, issuerSlug: issuer });
    return row ? leadOf(row) : undefined;
  }

  /** Records that the issuer has opened the lead. @returns false if a parallel call has recorded it */
  async markOpen(owner: LeadOwner, id: string, { leadId, expiresAt }: IssuerLead): Promise<boolean> {
    return this.rows.manager.transaction(async (tx) => {
      const opened = { state: 'OPEN', issuerLeadId: leadId, expiresAt, updatedAt: () => 'now()' } as const;
      const { affected } = await tx.update(LeadRow, { id, state: 'OPENING' }, opened);
      if (!affected) return false;
      await this.journey.record(tx, { ...owner, step: 'LEAD', event: 'COMPLETED', object: id });
      return true;
    });
  }

  /** @param expiresAt what the issuer says now */
  async noteConfirmed(id: string, expiresAt: Date): Promise<void> {
    await this.rows.update({ id, state: 'OPEN' }, { expiresAt, updatedAt: () => 'now()' });
  }

  /** Deletes a lead that the issuer refused. */
  async discard(id: string): Promise<void> {
    await this.rows.delete({ id, state: 'OPENING' });
  }

  /** Closes an open lead. Its steps are due again with the next lead. */
  async close(owner: LeadOwner, id: string, state: 'EXPIRED' | 'CONVERTED'): Promise<void> {
    await this.rows.manager.transaction(async (tx) => {
      const { affected } = await tx.update(
        LeadRow,
        { id, state: 'OPEN' },
        { state, updatedAt: () => 'now()' },
      );
      if (!affected) return;
      await this.journey.record(tx, { ...owner, step: 'LEAD', event: 'RESET' });
      await this.journey.record(tx, { ...owner, step: 'KYC_CONTEXT', event: 'RESET' });
    });
  }

  /** Closes the open lead if its time has passed: its steps are due again before a deposit. */
  async closeExpired(owner: LeadOwner): Promise<void> {
    const { userId, issuer: issuerSlug } = owner;
    const ahead = this.clock.aheadSeconds;
    const expired = await this.rows.findOneBy({
      ...{ userId, issuerSlug },
      // a literal, as in `findConfirmed`
      state: Raw((column) => `${column} = 'OPEN'`),
      expiresAt: Raw((column) => `${column} <= now() + make_interval(secs => :ahead)`, { ahead }),
    });
    if (expired) await this.close(owner, expired.id, 'EXPIRED');
  }

  /** Completes the step, unless the lead was closed meanwhile. */
  async recordKycContext(owner: LeadOwner, id: string, contextId: string): Promise<void> {
    const { userId: subject, issuer } = owner;
    const read = { action: 'KYC_CONTEXT_READ', subject, issuer, object: id } as const;
    await this.rows.manager.transaction(async (tx) => {
      // a lead is closed before or after it
      const lock = { mode: 'for_no_key_update' } as const;
      const lead = await tx.findOne(LeadRow, { where: { id, state: 'OPEN' }, lock });
      if (lead && lead.kycContextId !== contextId)
        await tx.update(LeadRow, { id }, { kycContextId: contextId, updatedAt: () => 'now()' });
      if (lead) await this.journey.record(tx, { ...owner, step: 'KYC_CONTEXT', event: 'COMPLETED' });
      if (!this.audit.isKnown(read)) await this.audit.record(tx, read);
    });
    this.audit.keepRepeatable(read);
  }
}

function leadOf({ id, state, amount, issuerLeadId, expiresAt, ...row }: LeadRow): Lead {
  if (state !== 'OPENING') return { id, state, issuerLeadId: issuerLeadId!, expiresAt: expiresAt! };
  const { tenureDays, payoutFrequency, source, campaign } = row;
  const terms = { tenureDays, payoutFrequency, source, campaign };
  return { id, state, terms: { ...terms, amount: amount === null ? null : Number(amount) } };
}
