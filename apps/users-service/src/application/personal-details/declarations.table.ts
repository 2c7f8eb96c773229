/**
 * What an issuer may want a person to declare. A new text gets a new version, which everybody is asked for anew; what
 * was accepted before stays on record.
 */
export const DECLARATIONS = {
  OWN_FUNDS: {
    version: '2026-11',
    text: 'The money that I deposit is mine. It comes from the source that I have named, and from nothing unlawful.',
  },
  FATCA: {
    version: '2026-11',
    text: 'What I have said about the countries in which I pay taxes is true. I will report a change within 30 days, and the issuer may pass it on to the tax authorities.',
  },
  TERMS: {
    version: '2026-11',
    text: 'I have read the terms of the deposit, including those of its early withdrawal, and I agree to them.',
  },
} as const;

export type DeclarationCode = keyof typeof DECLARATIONS;
export const DECLARATION_CODES = Object.keys(DECLARATIONS) as DeclarationCode[];
