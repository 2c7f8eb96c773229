import { statement } from '@fd/platform';
import { isUnshared } from '../sessions/sessions.queries.js';

/**
 * Selects the purposes for which the user has withdrawn every consent given through one partner or, without consents
 * through that partner, every consent given anywhere. Purposes without any consent, such as the PAN before it is
 * verified, are not selected. What is given and withdrawn through a partner that does not reach the account counts for nothing at others.
 * @param partner SQL of the partner's id
 */
const withdrawnPurposes = (partner: string): string => `
  SELECT g.purpose FROM onboarding.consents g
   WHERE g.user_id = :userId AND g.purpose = ANY (:purposes)
     AND (g.partner_id = ${partner} OR NOT (${isUnshared('g.user_id', 'g.partner_id')}))
   GROUP BY g.purpose
  HAVING coalesce(bool_and(g.withdrawn_at IS NOT NULL) FILTER (WHERE g.partner_id = ${partner}),
                  bool_and(g.withdrawn_at IS NOT NULL))`;

/** The withdrawn ones of some purposes for a partner. Raw: most steps run it. */
export const FIND_WITHDRAWN = statement(
  { userId: 'uuid', partnerId: 'uuid', purposes: 'text[]', arePartnersSeparate: 'bool' },
  withdrawnPurposes(':partnerId'),
  { purpose: 'text' },
);

/**
 * Whether the consents through any one partner cover some purposes. Those of a disabled partner count only if the user has no other
 * partner: running calls finish. Raw: each call to a provider outside of a session runs it, and the purposes are compared by partner.
 */
export const COVERS = statement(
  { userId: 'uuid', purposes: 'text[]', arePartnersSeparate: 'bool' },
  `SELECT EXISTS (
     SELECT FROM onboarding.consents terms
       JOIN onboarding.partners through ON through.id = terms.partner_id
      WHERE terms.user_id = :userId AND terms.purpose = 'TERMS_OF_USE' AND terms.withdrawn_at IS NULL
        -- what is given through a partner that does not reach the account counts for nothing in it
        AND NOT (${isUnshared('terms.user_id', 'terms.partner_id')})
        AND (through.disabled_at IS NULL OR NOT EXISTS (
          SELECT FROM onboarding.consents c JOIN onboarding.partners p ON p.id = c.partner_id
           WHERE c.user_id = :userId AND c.purpose = 'TERMS_OF_USE' AND c.withdrawn_at IS NULL AND p.disabled_at IS NULL))
        AND NOT EXISTS (${withdrawnPurposes('terms.partner_id')})) AS "isCovered"`,
  { isCovered: 'bool' },
);

/**
 * Consents to one purpose that a user may give within a day through one partner: a withdrawn consent is kept for years.
 * Withdrawals are never refused; a consent beyond the limit stays withdrawn, and calls that need it stay refused.
 */
export const MAX_GIVEN_PER_DAY = 20;

/**
 * Records a consent through the partner of a session, or `instead` if each one through this partner is withdrawn. Not if the same consent is
 * still in force, or too many were given today; no row without such a session, or after the erasure of the user, for which it waits.
 * `isWithdrawn`: whether one of the purposes stays withdrawn. Raw and one statement: each login and PAN check runs it, and the unique index
 * decides between parallel calls.
 */
export const GIVE_CONSENT = statement(
  {
    id: 'uuid',
    userId: 'uuid',
    sessionId: 'uuid',
    purpose: 'text',
    noticeVersion: 'text',
    instead: 'text?',
    insteadVersion: 'text?',
    ipHash: 'bytea',
    purposes: 'text[]',
    arePartnersSeparate: 'bool',
  },
  `
WITH session AS (
  SELECT s.partner_id, :instead::text IS NOT NULL AND coalesce((
           SELECT bool_and(c.withdrawn_at IS NOT NULL) FROM onboarding.consents c
            WHERE c.user_id = :userId AND c.partner_id = s.partner_id AND c.purpose = :purpose), false) AS is_instead
    FROM onboarding.sessions s JOIN onboarding.users u ON u.id = s.user_id
   WHERE s.id = :sessionId AND s.user_id = :userId FOR KEY SHARE OF u
), caller AS (
  SELECT partner_id, CASE WHEN is_instead THEN :instead ELSE :purpose END AS purpose,
         CASE WHEN is_instead THEN :insteadVersion ELSE :noticeVersion END AS notice_version
    FROM session
), given AS (
  INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash, is_united)
  SELECT :id, :userId, partner_id, caller.purpose, caller.notice_version, :ipHash, true FROM caller
   WHERE (SELECT count(*) FROM onboarding.consents c
           WHERE c.user_id = :userId AND c.partner_id = caller.partner_id AND c.purpose = caller.purpose
             AND c.given_at > now() - interval '1 day') < ${MAX_GIVEN_PER_DAY}
  ON CONFLICT DO NOTHING RETURNING id
)
SELECT EXISTS (SELECT FROM given) AS "isNew", caller.purpose AS given, caller.partner_id AS "partnerId",
       -- the statement does not see the row that it inserts
       EXISTS (SELECT FROM (${withdrawnPurposes('caller.partner_id')}) w
                WHERE w.purpose <> caller.purpose OR NOT EXISTS (SELECT FROM given)) AS "isWithdrawn"
  FROM caller`,
  { isNew: 'bool', given: 'text', partnerId: 'uuid', isWithdrawn: 'bool' },
);

/** Consents to documents that a user may give within a day: each is kept for years. */
export const MAX_DOCUMENTS_PER_DAY = 50;

/**
 * Records the consent to a document by its hash, once while in force. Returns the id of the consent in force; none: too many in a day; no
 * row without such a session. Raw: the unique index decides between parallel calls.
 */
export const AGREE_TO_DOCUMENT = statement(
  {
    id: 'uuid',
    userId: 'uuid',
    sessionId: 'uuid',
    noticeVersion: 'text',
    ipHash: 'bytea',
    documentHash: 'bytea',
    documentIssuer: 'text?',
  },
  `
WITH caller AS (
  SELECT s.partner_id FROM onboarding.sessions s JOIN onboarding.users u ON u.id = s.user_id
   WHERE s.id = :sessionId AND s.user_id = :userId FOR KEY SHARE OF u
), known AS (
  SELECT c.id, c.document_issuer FROM onboarding.consents c, caller
   WHERE c.user_id = :userId AND c.partner_id = caller.partner_id AND c.purpose = 'DEPOSIT_TERMS'
     AND c.document_hash = :documentHash AND c.withdrawn_at IS NULL
), proved AS (
  -- of a consent that was given without the signature
  UPDATE onboarding.consents c SET document_issuer = :documentIssuer FROM known
   WHERE c.id = known.id AND known.document_issuer IS NULL AND :documentIssuer::text IS NOT NULL
), given AS (
  INSERT INTO onboarding.consents
    (id, user_id, partner_id, purpose, notice_version, ip_hash, document_hash, document_issuer)
  SELECT :id, :userId, partner_id, 'DEPOSIT_TERMS', :noticeVersion, :ipHash, :documentHash, :documentIssuer FROM caller
   WHERE NOT EXISTS (SELECT FROM known)
     AND (SELECT count(*) FROM onboarding.consents
           WHERE user_id = :userId AND purpose = 'DEPOSIT_TERMS' AND given_at > now() - interval '1 day'
         ) < ${MAX_DOCUMENTS_PER_DAY}
  -- a parallel call has inserted the same consent
  ON CONFLICT (user_id, partner_id, purpose, document_hash)
    WHERE withdrawn_at IS NULL AND document_hash IS NOT NULL DO UPDATE SET document_hash = excluded.document_hash
  RETURNING id
)
SELECT (SELECT id FROM known UNION ALL SELECT id FROM given) AS id FROM caller`,
  { id: 'uuid?' },
);
