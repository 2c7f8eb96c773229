import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Database, type Transaction } from '@fd/platform';
import type { IssuerLead } from '../../integrations/index.js';
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
export interface TakenLead {
  readonly state: IssuerLead['state'];
  readonly id: string;
  readonly issuerLeadId: string;
  readonly expiresAt: Date;
}

type Lead = OpeningLead | TakenLead;

const COLUMNS = `id, state, issuer_lead_id AS "issuerLeadId", expires_at AS "expiresAt", json_build_object(
  'amount', amount::float8, 'tenureDays', tenure_days, 'payoutFrequency', payout_frequency, 'source', source,
  'campaign', campaign) AS terms`;

/** Leads: at most one open or opening lead for a user and issuer. */
@Injectable()
export class LeadsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the open or opening lead, or creates one with these terms. The unique index decides races. */
  async claimLead(transaction: Transaction, owner: LeadOwner, terms: LeadTerms): Promise<Lead> {
    const { amount, tenureDays, payoutFrequency, source, campaign } = terms;
    const [lead] = await transaction.query<[Lead]>(
      // an update without effect returns and locks the row
      `INSERT INTO onboarding.leads AS l
         (id, user_id, issuer_slug, state, amount, tenure_days, payout_frequency, source, campaign)
       VALUES ($1, $2, $3, 'OPENING', $4, $5, $6, $7, $8)
       ON CONFLICT (user_id, issuer_slug) WHERE state IN ('OPENING', 'OPEN') DO UPDATE SET state = l.state
       RETURNING ${COLUMNS}`,
      [uuidv7(), owner.userId, owner.issuer, amount, tenureDays, payoutFrequency, source, campaign],
    );
    return lead;
  }

  /** Returns the open lead if the issuer said less than a minute ago that it is open. */
  async findConfirmed({ userId, issuer }: LeadOwner): Promise<TakenLead | undefined> {
    const [lead] = await this.database.query<TakenLead[]>(
      `SELECT ${COLUMNS} FROM onboarding.leads
        WHERE user_id = $1 AND issuer_slug = $2 AND state = 'OPEN' AND updated_at > now() - interval '1 minute'`,
      [userId, issuer],
    );
    return lead;
  }

  /** A lead of the user with the issuer in any state. */
  async findById({ userId, issuer }: LeadOwner, id: string): Promise<Lead | undefined> {
    const [lead] = await this.database.query<Lead[]>(
      `SELECT ${COLUMNS} FROM onboarding.leads WHERE id = $1 AND user_id = $2 AND issuer_slug = $3`,
      [id, userId, issuer],
    );
    return lead;
  }

  /** @returns whether this call opened the lead, rather than a parallel one */
  async markOpen(transaction: Transaction, id: string, { leadId, expiresAt }: IssuerLead): Promise<boolean> {
    const count = await transaction.execute(
      `UPDATE onboarding.leads SET state = 'OPEN', issuer_lead_id = $2, expires_at = $3, updated_at = now()
        WHERE id = $1 AND state = 'OPENING'`,
      [id, leadId, expiresAt],
    );
    return count > 0;
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

  /** @returns whether this call closed the lead, rather than a parallel one */
  async close(transaction: Transaction, id: string, state: 'EXPIRED' | 'CONVERTED'): Promise<boolean> {
    const count = await transaction.execute(
      "UPDATE onboarding.leads SET state = $2, updated_at = now() WHERE id = $1 AND state = 'OPEN'",
      [id, state],
    );
    return count > 0;
  }

  async recordKycContext(transaction: Transaction, id: string, contextId: string): Promise<void> {
    await transaction.query(
      `UPDATE onboarding.leads SET kyc_context_id = $2, updated_at = now()
        WHERE id = $1 AND kyc_context_id IS DISTINCT FROM $2`,
      [id, contextId],
    );
  }
}
