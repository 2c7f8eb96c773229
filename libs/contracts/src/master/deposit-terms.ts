/** How often interest is added to the balance. */
export const COMPOUNDINGS = ['Monthly', 'Quarterly', 'HalfYearly', 'Yearly', 'Simple'] as const;
export type Compounding = (typeof COMPOUNDINGS)[number];

/** How often interest is paid out; Maturity: only at the end. */
export const PAYOUT_FREQUENCIES = ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly'] as const;
export type PayoutFrequency = (typeof PAYOUT_FREQUENCIES)[number];

export function isPayoutFrequency(value: unknown): value is PayoutFrequency {
  return (PAYOUT_FREQUENCIES as readonly unknown[]).includes(value);
}

/** Cumulative: all interest at maturity; non-cumulative: paid out before. */
export const PAYOUT_TERMS = ['C', 'NC'] as const;
export type PayoutTerm = (typeof PAYOUT_TERMS)[number];

/** Only fixed deposits are on sale. */
export const PRODUCT_TYPES = ['FD'] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];

/** Legal type of an issuer: a bank, or a finance company that takes public deposits. */
export const ISSUER_TYPES = ['BANK', 'NBFC'] as const;
export type IssuerType = (typeof ISSUER_TYPES)[number];
