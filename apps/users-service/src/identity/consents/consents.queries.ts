/**
 * What a person agrees to, with the version of the notice that is shown with it. A new version of a notice asks for
 * a new consent; what was given to an older one stays on record.
 */
const NOTICES = {
  /** Using the service at all: asked at login. */
  TERMS_OF_USE: '2026-11',
  /** Asking the PAN registry who the holder is. */
  PAN_VERIFICATION: '2026-11',
  /** Verifying the customer with a code sent to the phone that is linked to their Aadhaar. */
  AADHAAR_EKYC: '2026-11',
  /** Reading the customer's Aadhaar from their document locker. */
  DOCUMENT_LOCKER: '2026-11',
} as const;

export type ConsentPurpose = keyof typeof NOTICES;

/** Without these no data of the user is passed on to a provider or an issuer. */
export const PASSING_ON: readonly ConsentPurpose[] = ['TERMS_OF_USE', 'PAN_VERIFICATION'];

/**
 * Selects the purposes to which a user has withdrawn every consent.
 * @param user SQL of the user's id
 * @param purposes SQL of an array; those of PASSING_ON, when left out
 */
export const withdrawnPurposes = (
  user: string,
  purposes = `ARRAY[${PASSING_ON.map((purpose) => `'${purpose}'`).join()}]`,
): string => `
  SELECT purpose FROM onboarding.consents WHERE user_id = ${user} AND purpose = ANY (${purposes})
   GROUP BY purpose HAVING bool_and(withdrawn_at IS NOT NULL)`;

/** Steps that pass data on. */
const PASSING_ON_STEPS = ['CHECK_ETB', 'LEAD', 'KYC_CONTEXT', 'EKYC', 'BANK'];

/** What is refused while a consent is withdrawn. */
export const SUSPENDED_STEPS: Readonly<Record<string, readonly string[]>> = {
  TERMS_OF_USE: PASSING_ON_STEPS,
  PAN_VERIFICATION: PASSING_ON_STEPS,
  AADHAAR_EKYC: ['EKYC'],
  DOCUMENT_LOCKER: ['EKYC'],
} satisfies Record<ConsentPurpose, readonly string[]>;

interface ConsentExpressions {
  readonly purpose: ConsentPurpose;
  readonly id: string;
  readonly user: string;
  /** The partner in whose session it is given. */
  readonly partner: string;
  readonly ipHash: string;
  /** The part without whose row nothing is given. */
  readonly from: string;
}

/**
 * Consents to one purpose that a user may give within a day: each is kept for years once it is withdrawn. Withdrawing is never
 * refused; a consent beyond stays withdrawn, and what needs it is refused as it was.
 */
const MAX_GIVEN_PER_DAY = 20;

/** Records a consent and returns its id; no row when the same consent is still in force, or too many were given today. */
export const giveConsent = ({ purpose, id, user, partner, ipHash, from }: ConsentExpressions): string => `
  INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash, is_united)
  SELECT ${id}, ${user}, ${partner}, '${purpose}', '${NOTICES[purpose]}', ${ipHash}, true
    FROM ${from}, LATERAL (SELECT ${user}::uuid AS giver) g
   WHERE (SELECT count(*) FROM onboarding.consents WHERE user_id = giver AND purpose = '${purpose}'
             AND given_at > now() - interval '1 day') < ${MAX_GIVEN_PER_DAY}
  ON CONFLICT DO NOTHING RETURNING id`;
