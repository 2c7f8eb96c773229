import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { IssuerLead } from '../../integrations/index.js';
import type { LeadTerms } from './lead-terms.js';

/** Whose leads with whom. */
export interface LeadOwner {
  readonly userId: string;
  /** Slug. */
  readonly issuer: string;
}

/** A lead that we have written down; the issuer may not have heard of it yet. */
export interface OpeningLead {
  readonly state: 'OPENING';
  readonly id: string;
  readonly terms: LeadTerms;
}

/** A lead that the issuer has taken. */
export interface TakenLead {
  readonly state: IssuerLead['state'];
  readonly id: string;
  readonly issuerLeadId: string;
  readonly expiresAt: Date;
}

interface LeadRow {
  id: string;
  state: 'OPENING' | TakenLead['state'];
  amount: number | null;
  tenure_days: number | null;
  payout_frequency: string | null;
  source: string | null;
  campaign: string | null;
  issuer_lead_id: string;
  expires_at: Date;
}

const COLUMNS = `id, state, amount::float8 AS amount, tenure_days, payout_frequency, source, campaign,
  issuer_lead_id, expires_at`;

/** The leads of each user: at most one that is open, or about to be, with each issuer. */
@Injectable()
export class LeadsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The lead that is open or about to be; a new one with these terms when there is none. The unique index decides. */
  async claim(
    manager: EntityManager,
    { userId, issuer }: LeadOwner,
    terms: LeadTerms,
  ): Promise<OpeningLead | TakenLead> {
    const { amount, tenureDays, payoutFrequency, source, campaign } = terms;
    const [row] = await manager.query<LeadRow[]>(
      // an update that changes nothing, so that the row is answered and stays while this transaction goes on
      `INSERT INTO onboarding.leads AS l
         (id, user_id, issuer_slug, state, amount, tenure_days, payout_frequency, source, campaign)
       VALUES ($1, $2, $3, 'OPENING', $4, $5, $6, $7, $8)
       ON CONFLICT (user_id, issuer_slug) WHERE state IN ('OPENING', 'OPEN') DO UPDATE SET state = l.state
       RETURNING ${COLUMNS}`,
      [uuidv7(), userId, issuer, amount, tenureDays, payoutFrequency, source, campaign],
    );
    return leadOf(row!);
  }

  /** A lead of the user with the issuer, whatever became of it. */
  async find({ userId, issuer }: LeadOwner, id: string): Promise<OpeningLead | TakenLead | undefined> {
    const [row] = await this.dataSource.query<LeadRow[]>(
      `SELECT ${COLUMNS} FROM onboarding.leads WHERE id = $1 AND user_id = $2 AND issuer_slug = $3`,
      [id, userId, issuer],
    );
    return row && leadOf(row);
  }

  /** @returns whether this call was it that opened the lead */
  async markOpen(
    manager: EntityManager,
    { userId }: LeadOwner,
    id: string,
    { leadId, expiresAt }: IssuerLead,
  ): Promise<boolean> {
    const [, count] = await manager.query<[unknown, number]>(
      `UPDATE onboarding.leads SET state = 'OPEN', issuer_lead_id = $3, expires_at = $4, updated_at = now()
        WHERE id = $1 AND user_id = $2 AND state = 'OPENING'`,
      [id, userId, leadId, expiresAt],
    );
    return count > 0;
  }

  /** Takes back a lead that the issuer did not take. */
  async discard({ userId }: LeadOwner, id: string): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM onboarding.leads WHERE id = $1 AND user_id = $2 AND state = 'OPENING'`,
      [id, userId],
    );
  }

  /** @returns whether this call was it that closed the lead */
  async close(
    manager: EntityManager,
    { userId }: LeadOwner,
    id: string,
    state: 'EXPIRED' | 'CONVERTED',
  ): Promise<boolean> {
    const [, count] = await manager.query<[unknown, number]>(
      `UPDATE onboarding.leads SET state = $3, updated_at = now()
        WHERE id = $1 AND user_id = $2 AND state = 'OPEN'`,
      [id, userId, state],
    );
    return count > 0;
  }

  async noteKycContext(
    manager: EntityManager,
    { userId }: LeadOwner,
    id: string,
    contextId: string,
  ): Promise<void> {
    await manager.query(
      'UPDATE onboarding.leads SET kyc_context_id = $3, updated_at = now() WHERE id = $1 AND user_id = $2',
      [id, userId, contextId],
    );
  }
}

function leadOf(row: LeadRow): OpeningLead | TakenLead {
  const { id, state } = row;
  if (state !== 'OPENING') {
    return { id, state, issuerLeadId: row.issuer_lead_id, expiresAt: row.expires_at };
  }
  const { amount, source, campaign } = row;
  const terms = {
    amount,
    source,
    campaign,
    tenureDays: row.tenure_days,
    payoutFrequency: row.payout_frequency,
  };
  return { id, state, terms };
}
