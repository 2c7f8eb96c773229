import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Database, type Queryable } from '@fd/platform';
import { AuditTrail } from '../../core/index.js';
import type { IssuerLead } from '../../integrations/index.js';
import { JourneyRepository } from '../../journey/index.js';
import type { LeadTerms } from './lead-terms.js';

/** Leads by user and issuer. */
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

/** A lead that the issuer has accepted. */
export interface AcceptedLead {
  readonly state: IssuerLead['state'];
  readonly id: string;
  readonly issuerLeadId: string;
  readonly expiresAt: Date;
}

type Lead = OpeningLead | AcceptedLead;

const COLUMNS = `id, state, issuer_lead_id AS "issuerLeadId", expires_at AS "expiresAt", json_build_object(
  'amount', amount::float8, 'tenureDays', tenure_days, 'payoutFrequency', payout_frequency, 'source', source,
  'campaign', campaign) AS terms`;

/** Leads and their steps: at most one open or opening lead for a user and issuer. */
@Injectable()
export class LeadsRepository {
  constructor(
    private readonly database: Database,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Returns the open or opening lead, or creates one with these terms. The unique index decides races.
   * @param hasTerms whether the client has sent terms
   */
  async claimLead(owner: LeadOwner, terms: LeadTerms, hasTerms: boolean): Promise<Lead> {
    const { amount, tenureDays, payoutFrequency, source, campaign } = terms;
    return this.database.transaction(async (transaction) => {
      const [lead] = await transaction.query<[Lead]>(
        // an update without effect returns and locks the row
        `INSERT INTO onboarding.leads AS l
           (id, user_id, issuer_slug, state, amount, tenure_days, payout_frequency, source, campaign)
         VALUES ($1, $2, $3, 'OPENING', $4, $5, $6, $7, $8)
         ON CONFLICT (user_id, issuer_slug) WHERE state IN ('OPENING', 'OPEN') DO UPDATE SET state = l.state
         RETURNING ${COLUMNS}`,
        [uuidv7(), owner.userId, owner.issuer, amount, tenureDays, payoutFrequency, source, campaign],
      );
      if (hasTerms) await this.noteTerms(owner, transaction);
      if (lead.state === 'OPENING') {
        const change = { ...owner, step: 'LEAD', event: 'STARTED', isLimited: true } as const;
        await this.journey.record(change, transaction);
      }
      return lead;
    });
  }

  /** Records that the client has chosen terms. */
  async noteTerms(owner: LeadOwner, connection: Queryable = this.database): Promise<void> {
    await this.journey.record({ ...owner, step: 'FD_DETAIL', event: 'COMPLETED' }, connection);
  }

  /** Returns the open lead if the issuer has confirmed it within the last minute. */
  async findConfirmed({ userId, issuer }: LeadOwner): Promise<AcceptedLead | undefined> {
    const [lead] = await this.database.query<AcceptedLead[]>(
      `SELECT ${COLUMNS} FROM onboarding.leads
        WHERE user_id = $1 AND issuer_slug = $2 AND state = 'OPEN' AND updated_at > now() - interval '1 minute'`,
      [userId, issuer],
    );
    return lead;
  }

  /** Finds a lead of the user with the issuer, in any state. */
  async findById({ userId, issuer }: LeadOwner, id: string): Promise<Lead | undefined> {
    const [lead] = await this.database.query<Lead[]>(
      `SELECT ${COLUMNS} FROM onboarding.leads WHERE id = $1 AND user_id = $2 AND issuer_slug = $3`,
      [id, userId, issuer],
    );
    return lead;
  }

  /** Records that the issuer has opened the lead. @returns false if a parallel call has recorded it */
  async markOpen(owner: LeadOwner, id: string, { leadId, expiresAt }: IssuerLead): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const count = await transaction.execute(
        `UPDATE onboarding.leads SET state = 'OPEN', issuer_lead_id = $2, expires_at = $3, updated_at = now()
          WHERE id = $1 AND state = 'OPENING'`,
        [id, leadId, expiresAt],
      );
      if (count === 0) return false;
      await this.journey.record({ ...owner, step: 'LEAD', event: 'COMPLETED', object: id }, transaction);
      return true;
    });
  }

  /** Records that the issuer has confirmed the lead just now. */
  async noteConfirmed(id: string): Promise<void> {
    await this.database.query(
      "UPDATE onboarding.leads SET updated_at = now() WHERE id = $1 AND state = 'OPEN'",
      [id],
    );
  }

  /** Deletes a lead that the issuer refused. */
  async discard(id: string): Promise<void> {
    await this.database.query("DELETE FROM onboarding.leads WHERE id = $1 AND state = 'OPENING'", [id]);
  }

  /** Closes an open lead. Its steps are due again with the next lead. */
  async close(owner: LeadOwner, id: string, state: 'EXPIRED' | 'CONVERTED'): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const count = await transaction.execute(
        "UPDATE onboarding.leads SET state = $2, updated_at = now() WHERE id = $1 AND state = 'OPEN'",
        [id, state],
      );
      if (count === 0) return;
      await this.journey.record({ ...owner, step: 'LEAD', event: 'RESET' }, transaction);
      await this.journey.record({ ...owner, step: 'KYC_CONTEXT', event: 'RESET' }, transaction);
    });
  }

  /** Records that the user has read the KYC context of a lead. */
  async recordKycContext(owner: LeadOwner, id: string, contextId: string): Promise<void> {
    const { userId: subject, issuer } = owner;
    const read = { action: 'KYC_CONTEXT_READ', subject, issuer, object: id } as const;
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `UPDATE onboarding.leads SET kyc_context_id = $2, updated_at = now()
          WHERE id = $1 AND kyc_context_id IS DISTINCT FROM $2`,
        [id, contextId],
      );
      await this.journey.record({ ...owner, step: 'KYC_CONTEXT', event: 'COMPLETED' }, transaction);
      if (!this.audit.isKnown(read)) await this.audit.record(transaction, read);
    });
    this.audit.keepRepeatable(read);
  }
}
