/** What an issuer is by law: a bank, or a finance company that takes public deposits. */
export const ISSUER_TYPES = ['BANK', 'NBFC'] as const;
export type IssuerType = (typeof ISSUER_TYPES)[number];
