import { auditRow } from '../../core/index.js';
import { type ConsentPurpose, NOTICES } from './notices.table.js';

/** Purposes that every transfer of user data to a provider or an issuer requires. */
export const PASSING_ON: readonly ConsentPurpose[] = ['TERMS_OF_USE', 'PAN_VERIFICATION'];

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
export const WITHDRAWN_IN_SESSION = `
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

/** Selects whether operators have disabled all partners whose terms the user has accepted; NULL without any. */
const isOfDisabledPartners = (user: string): string => `(
  SELECT bool_and(p.disabled_at IS NOT NULL) FROM onboarding.consents c JOIN onboarding.partners p ON p.id = c.partner_id
   WHERE c.user_id = ${user} AND c.purpose = 'TERMS_OF_USE' AND c.withdrawn_at IS NULL)`;

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

/**
 * SQL condition: whether nothing new begins for a user, because an operator has blocked the user or disabled all of the
 * user's partners.
 * @param user SQL of the user's id
 */
export const isOnHold = (user: string): string =>
  `EXISTS (SELECT 1 FROM onboarding.users u WHERE u.id = ${user} AND (u.blocked_at IS NOT NULL OR ${isOfDisabledPartners('u.id')}))`;

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
export const AGREE_TO_DOCUMENT = `
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
