// The SQL of calls to providers that still read the consents within their own statements.
import { isOfDisabledPartners } from '../../core/index.js';
import type { ConsentPurpose } from './notices.table.js';

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
