import { Injectable } from '@nestjs/common';
import type { GivenConsent } from '@fd/contracts';
import { ConsentErrors, GeneralErrors } from '@fd/errors';
import { v7 as uuidv7 } from 'uuid';
import { Database } from '@fd/platform';
import {
  AuditTrail,
  auditRow,
  DECLARATIONS_KEPT_YEARS,
  isOfDisabledPartners,
  KeyedHash,
  type OldRows,
  type SessionIdentity,
} from '../../core/index.js';
import type { TermsConsent } from '../../journey/index.js';
import { fullDay } from '../users/day-budget.js';
import { type ConsentPurpose, NOTICES } from './notices.table.js';

interface NewConsent {
  readonly userId: string;
  /** The session in which it was given, which has the partner. */
  readonly sessionId: string;
  readonly purpose: ConsentPurpose;
  readonly ip: string;
}

export interface RecordedConsent extends Omit<GivenConsent, 'covers' | 'given_at' | 'withdrawn_at'> {
  readonly given_at: Date;
  readonly withdrawn_at: Date | null;
}

interface WithdrawnRecord extends RecordedConsent {
  /** Whether no other consent of the user to this purpose is in force at this partner. */
  readonly isLast: boolean;
}

/** Maximum length of the list; only repeated consents and withdrawals exceed it. */
const MAX_LISTED = 200;

/**
 * Consents that were withdrawn years ago. The latest withdrawal of a purpose at a partner stays as long as the user:
 * without it the user would look like one who was never asked, see `requireInForce`. Covers only one month, so that the
 * remaining rows are not read every day.
 */
export const OLD_CONSENTS: OldRows = {
  name: 'old consents',
  table: 'consents',
  where: `t.withdrawn_at < now() - interval '${DECLARATIONS_KEPT_YEARS} years'
            AND t.withdrawn_at > now() - interval '${DECLARATIONS_KEPT_YEARS} years 1 month'
            AND (NOT EXISTS (SELECT FROM onboarding.users WHERE users.id = t.user_id) OR EXISTS (
              SELECT FROM onboarding.consents later
               WHERE later.user_id = t.user_id AND later.partner_id = t.partner_id AND later.purpose = t.purpose
                 AND (later.withdrawn_at IS NULL OR (later.withdrawn_at, later.id) > (t.withdrawn_at, t.id))))
          ORDER BY t.withdrawn_at`,
  batch: 500,
};

const FIELDS = `c.id AS consent_id, c.purpose, c.notice_version, c.given_at, c.withdrawn_at, p.url AS partner_url,
   encode(c.document_hash, 'hex') AS fact_sheet_hash`;

/** Purposes that every transfer of user data to a provider or an issuer requires. */
const PASSING_ON: readonly ConsentPurpose[] = ['TERMS_OF_USE', 'PAN_VERIFICATION'];

/** The purposes of a step as SQL: those of PASSING_ON and its own. */
const purposesOf = (...own: readonly ConsentPurpose[]): string =>
  `ARRAY[${[...PASSING_ON, ...own].map((purpose) => `'${purpose}'`).join()}]`;

/**
 * Selects the purposes for which the user has withdrawn every consent given through one partner or, without consents
 * through that partner, every consent given anywhere. Purposes without any consent, such as the PAN before it is
 * verified, are not selected.
 * @param user SQL of the user's id
 * @param partner SQL of the partner's id
 * @param purposes SQL of an array
 */
const withdrawnPurposes = (user: string, partner: string, purposes: string): string => `
  SELECT c.purpose FROM onboarding.consents c
   WHERE c.user_id = ${user} AND c.purpose = ANY (${purposes})
   GROUP BY c.purpose
  HAVING coalesce(bool_and(c.withdrawn_at IS NOT NULL) FILTER (WHERE c.partner_id = ${partner}),
                  bool_and(c.withdrawn_at IS NOT NULL))`;

/** As `withdrawnPurposes`, for the partner of the session. $1 user, $2 session, $3 purposes */
const WITHDRAWN_IN_SESSION = `
  SELECT w.purpose FROM onboarding.sessions s, LATERAL (${withdrawnPurposes('$1', 's.partner_id', '$3')}) w
   WHERE s.id = $2 AND s.user_id = $1`;

/**
 * As `withdrawnPurposes`, within a statement that itself inserts a consent and cannot see that row yet.
 * @param partners part of the statement with the column `partner_id`
 * @param given CTE with the given consent; empty if the same is already in force, or too many were given today
 */
export const withdrawnBeside = (
  own: ConsentPurpose,
  { user, partners, given, purposes }: { user: string; partners: string; given: string; purposes: string },
): string => `
  SELECT w.purpose FROM ${partners} p, LATERAL (${withdrawnPurposes(user, 'p.partner_id', purposes)}) w
   WHERE w.purpose <> '${own}' OR NOT EXISTS (SELECT FROM ${given})`;

/**
 * SQL condition: whether consents cover a call to a provider outside of any session; those given through any one partner
 * are enough. Those of a disabled partner count only if the user has no other partner: running calls finish.
 * @param user SQL of the user's id, with the name of its table
 */
export const isCovered = (user: string, ...own: readonly ConsentPurpose[]): string => `EXISTS (
  SELECT FROM onboarding.consents terms JOIN onboarding.partners through ON through.id = terms.partner_id
   WHERE terms.user_id = ${user} AND terms.purpose = 'TERMS_OF_USE' AND terms.withdrawn_at IS NULL
     AND (through.disabled_at IS NULL OR ${isOfDisabledPartners(user)})
     AND NOT EXISTS (${withdrawnPurposes(user, 'terms.partner_id', purposesOf(...own))}))`;

interface ConsentExpressions {
  readonly purpose: ConsentPurpose;
  readonly id: string;
  readonly user: string;
  /** The partner of the session. */
  readonly partner: string;
  readonly ipHash: string;
  /** CTE that must have a row for the consent to be given. */
  readonly from: string;
}

/**
 * Consents to one purpose that a user may give within a day through one partner: a withdrawn consent is kept for years.
 * Withdrawals are never refused; a consent beyond the limit stays withdrawn, and calls that need it stay refused.
 */
const MAX_GIVEN_PER_DAY = 20;

/** Records a consent and returns its id; no row when the same consent is still in force, or too many were given today. */
export const giveConsent = ({ purpose, id, user, partner, ipHash, from }: ConsentExpressions): string => `
  INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash, is_united)
  SELECT ${id}, ${user}, ${partner}, '${purpose}', '${NOTICES[purpose].version}', ${ipHash}, true
    FROM ${from}, LATERAL (SELECT ${user}::uuid AS giver, ${partner}::uuid AS through) g
   WHERE (SELECT count(*) FROM onboarding.consents
           WHERE user_id = giver AND partner_id = through AND purpose = '${purpose}'
             AND given_at > now() - interval '1 day') < ${MAX_GIVEN_PER_DAY}
  ON CONFLICT DO NOTHING RETURNING id`;

/** Consents to documents that a user may give within a day: each is kept for years. */
const MAX_DOCUMENTS_PER_DAY = 50;

/**
 * Records the consent to a document by its hash, once while in force.
 * $1 user, $2 session, $3 consent, $4 hash of the address, $5 row of the audit trail, $6 hash of the document.
 * No row: too many in a day
 */
const AGREE_TO_DOCUMENT = `
WITH caller AS (
  SELECT partner_id FROM onboarding.sessions WHERE id = $2 AND user_id = $1
), known AS (
  SELECT FROM onboarding.consents c, caller
   WHERE c.user_id = $1 AND c.partner_id = caller.partner_id AND c.purpose = 'DEPOSIT_TERMS'
     AND c.document_hash = $6 AND c.withdrawn_at IS NULL
), given AS (
  INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash, document_hash)
  SELECT $3, $1, partner_id, 'DEPOSIT_TERMS', '${NOTICES.DEPOSIT_TERMS.version}', $4, $6 FROM caller
   WHERE NOT EXISTS (SELECT FROM known)
     AND (SELECT count(*) FROM onboarding.consents
           WHERE user_id = $1 AND purpose = 'DEPOSIT_TERMS' AND given_at > now() - interval '1 day'
         ) < ${MAX_DOCUMENTS_PER_DAY}
  -- a parallel call has inserted the same consent
  ON CONFLICT (user_id, partner_id, purpose, document_hash)
    WHERE withdrawn_at IS NULL AND document_hash IS NOT NULL DO UPDATE SET document_hash = excluded.document_hash
  RETURNING id
), audited AS (
  INSERT INTO onboarding.audit_unsealed SELECT e.* FROM given, ${auditRow('$5')} e WHERE given.id = $3
)
SELECT 1 AS kept FROM known UNION ALL SELECT 1 FROM given`;

/** Selects the `seconds` until one more consent may be given. @param max in a day @param counted selects the counted ones */
const untilNext = (max: number, counted: string): string =>
  fullDay({ table: 'consents', time: 'given_at', max }, counted);

/** For `giveConsent`. $1 user, $2 session, $3 purpose */
const UNTIL_NEXT_CONSENT = untilNext(
  MAX_GIVEN_PER_DAY,
  `user_id = $1 AND purpose = $3 AND partner_id = (SELECT partner_id FROM onboarding.sessions WHERE id = $2)`,
);

/** For AGREE_TO_DOCUMENT. $1 user */
const UNTIL_NEXT_DOCUMENT = untilNext(MAX_DOCUMENTS_PER_DAY, `user_id = $1 AND purpose = 'DEPOSIT_TERMS'`);

/** Consents as proof: purpose, notice, time and partner. */
@Injectable()
export class ConsentsRepository implements TermsConsent {
  constructor(
    private readonly database: Database,
    private readonly hash: KeyedHash,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Records the consent of a step, and rejects the step as `requireInForce` does, also if this consent was given and
   * withdrawn too often today.
   * @throws ConsentErrors.withdrawn
   */
  async giveForStep(consent: NewConsent): Promise<void> {
    const { isWithdrawn } = await this.record(consent);
    // a parallel call may have given it meanwhile
    if (isWithdrawn) await this.requireInForce(consent, consent.purpose);
  }

  /**
   * Records a consent. Keeps an equal consent in force (same partner and notice) instead of writing a second one.
   * @returns whether this purpose, or another that every step requires, is still withdrawn
   */
  private async record({ userId, sessionId, purpose, ip }: NewConsent): Promise<{ isWithdrawn: boolean }> {
    const id = uuidv7();
    const given = giveConsent({
      purpose,
      id: '$3',
      user: '$1',
      partner: 'partner_id',
      ipHash: '$4',
      from: 'caller',
    });
    const withdrawn = withdrawnBeside(purpose, {
      user: '$1',
      partners: 'caller',
      given: 'given',
      purposes: '$6',
    });
    const [{ callers, isWithdrawn }] = await this.database.query<[{ callers: number; isWithdrawn: boolean }]>(
      `WITH caller AS (SELECT partner_id FROM onboarding.sessions WHERE id = $2 AND user_id = $1),
            given AS (${given}),
            audited AS (
              INSERT INTO onboarding.audit_unsealed SELECT e.* FROM given, ${auditRow('$5')} e)
       SELECT count(*)::int AS callers, EXISTS (${withdrawn}) AS "isWithdrawn" FROM caller`,
      [
        userId,
        sessionId,
        id,
        this.hash.digest('consents.ip', ip),
        this.audit.rowOf({ action: 'CONSENT_GIVEN', subject: userId, object: id }),
        [...PASSING_ON, purpose],
      ],
    );
    if (callers === 0) throw new Error(`a consent to ${purpose} was given outside of a session`);
    return { isWithdrawn };
  }

  /**
   * @returns the consent in force
   * @throws GeneralErrors.tooManyRequests if it was given and withdrawn too often today
   */
  async give(consent: NewConsent): Promise<RecordedConsent> {
    await this.record(consent);
    const { userId, sessionId, purpose } = consent;
    const [given] = await this.database.query<RecordedConsent[]>(
      `SELECT ${FIELDS} FROM onboarding.consents c JOIN onboarding.partners p ON p.id = c.partner_id
         JOIN onboarding.sessions s ON s.partner_id = c.partner_id
        WHERE c.user_id = $1 AND s.id = $2 AND c.purpose = $3 AND c.withdrawn_at IS NULL
        ORDER BY c.given_at DESC LIMIT 1`,
      [userId, sessionId, purpose],
    );
    return given ?? this.refuse(UNTIL_NEXT_CONSENT, [userId, sessionId, purpose]);
  }

  /**
   * Records the user's consent to the terms of a fact sheet.
   * @param hash 64 digits in hex
   * @throws GeneralErrors.tooManyRequests
   */
  async agreeToFactSheet(
    { userId, sessionId, ip }: Omit<NewConsent, 'purpose'>,
    hash: string,
  ): Promise<void> {
    const id = uuidv7();
    const kept = await this.database.query<object[]>(AGREE_TO_DOCUMENT, [
      userId,
      sessionId,
      id,
      this.hash.digest('consents.ip', ip),
      this.audit.rowOf({ action: 'CONSENT_GIVEN', subject: userId, object: id }),
      Buffer.from(hash, 'hex'),
    ]);
    if (kept.length === 0) await this.refuse(UNTIL_NEXT_DOCUMENT, [userId]);
  }

  /**
   * Rejects a step that shares the user's data if a required consent is withdrawn for the partner of the session: see
   * `withdrawnPurposes`.
   * @param own purposes of the step itself
   * @throws ConsentErrors.withdrawn
   */
  async requireInForce(session: SessionIdentity, ...own: readonly ConsentPurpose[]): Promise<void> {
    await this.requireNoneWithdrawn(session, [...PASSING_ON, ...own]);
  }

  /** As `requireInForce`, for a step that needs only the terms of use. @throws ConsentErrors.withdrawn */
  async requireTermsInForce(session: SessionIdentity): Promise<void> {
    await this.requireNoneWithdrawn(session, ['TERMS_OF_USE']);
  }

  private async requireNoneWithdrawn(
    { userId, sessionId }: SessionIdentity,
    purposes: readonly ConsentPurpose[],
  ): Promise<void> {
    const withdrawn = await this.database.query<object[]>(WITHDRAWN_IN_SESSION, [
      userId,
      sessionId,
      purposes,
    ]);
    if (withdrawn.length > 0) throw ConsentErrors.withdrawn();
  }

  /** @throws GeneralErrors.tooManyRequests with the seconds that the statement selects */
  private async refuse(untilNextConsent: string, values: readonly string[]): Promise<never> {
    const [full] = await this.database.query<{ seconds: number }[]>(untilNextConsent, [...values]);
    // no row: a parallel call has withdrawn the consent that this one has given
    throw GeneralErrors.tooManyRequests({ retryAfterSeconds: full?.seconds ?? 1 });
  }

  /** A user's consents: those in force first, then the newest. */
  async listOfUser(userId: string): Promise<RecordedConsent[]> {
    return this.database.query<RecordedConsent[]>(
      `SELECT ${FIELDS} FROM onboarding.consents c JOIN onboarding.partners p ON p.id = c.partner_id
        WHERE c.user_id = $1
        ORDER BY c.withdrawn_at IS NOT NULL, c.given_at DESC, c.id DESC LIMIT $2`,
      [userId, MAX_LISTED],
    );
  }

  /** @returns undefined if this call did not withdraw it */
  async withdraw(userId: string, consentId: string): Promise<WithdrawnRecord | undefined> {
    return this.database.transaction(async (transaction) => {
      const [withdrawn] = await transaction.query<WithdrawnRecord[]>(
        `UPDATE onboarding.consents c SET withdrawn_at = now() FROM onboarding.partners p
          WHERE c.id = $2 AND c.user_id = $1 AND c.withdrawn_at IS NULL AND p.id = c.partner_id
          RETURNING ${FIELDS}, NOT EXISTS (
            SELECT FROM onboarding.consents o
             WHERE o.user_id = c.user_id AND o.partner_id = c.partner_id AND o.purpose = c.purpose AND o.id <> c.id
               AND o.withdrawn_at IS NULL
          ) AS "isLast"`,
        [userId, consentId],
      );
      if (!withdrawn) return undefined;
      await this.audit.record(transaction, {
        action: 'CONSENT_WITHDRAWN',
        subject: userId,
        object: consentId,
      });
      return withdrawn;
    });
  }
}
