/**
 * Selects whether operators have disabled all partners whose terms the user has accepted; NULL without any.
 * @param user SQL of the user's id
 */
export const isOfDisabledPartners = (user: string): string => `(
  SELECT bool_and(p.disabled_at IS NOT NULL) FROM onboarding.consents c JOIN onboarding.partners p ON p.id = c.partner_id
   WHERE c.user_id = ${user} AND c.purpose = 'TERMS_OF_USE' AND c.withdrawn_at IS NULL)`;

/**
 * SQL condition: whether nothing new begins for a user, because an operator has blocked the user or disabled all of the
 * user's partners.
 * @param user SQL of the user's id
 */
export const isOnHold = (user: string): string =>
  `EXISTS (SELECT 1 FROM onboarding.users u WHERE u.id = ${user} AND (u.blocked_at IS NOT NULL OR ${isOfDisabledPartners('u.id')}))`;
