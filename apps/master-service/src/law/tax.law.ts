import type { DatedRule, DeclarationForm, IssuerType, LawText } from '@fd/contracts';

/** Tax that an issuer deducts from the interest of a resident individual. */
export interface TdsTerms {
  /** The law's name of the year. */
  readonly yearName: LawText;
  /** Rupees of interest from one payer in a year. Up to this limit no tax is deducted; above it from all interest. */
  readonly threshold: Readonly<Record<IssuerType, { readonly general: number; readonly senior: number }>>;
  /** Per cent. */
  readonly rate: { readonly withPan: string; readonly withoutPan: string };
  readonly sectionWithoutPan: string;
  /** The forms by which the depositor declares that no tax is due: below 60, and from 60. */
  readonly form: { readonly general: DeclarationForm; readonly senior: DeclarationForm };
  readonly sectionOfForm: string;
}

/** By the first day of the tax year of the interest. */
export const TDS_RULES: readonly DatedRule<TdsTerms>[] = [
  {
    id: 'TDS_194A_2025',
    law: 'Income-tax Act, 1961, as amended by the Finance Act, 2025',
    section: '194A',
    from: '2025-04-01',
    to: '2026-03-31',
    source: 'taxheal.com/fixed-deposit-limits-in-fy-2025-26, read in November 2026',
    value: {
      yearName: { en: 'Financial year', hi: 'वित्त वर्ष' },
      threshold: {
        BANK: { general: 50_000, senior: 100_000 },
        NBFC: { general: 10_000, senior: 10_000 },
      },
      rate: { withPan: '10', withoutPan: '20' },
      sectionWithoutPan: '206AA',
      form: { general: '15G', senior: '15H' },
      sectionOfForm: '197A',
    },
  },
  {
    id: 'TDS_393_2026',
    law: 'Income-tax Act, 2025',
    section: '393',
    from: '2026-04-01',
    to: null,
    source:
      'News digests on Form 121 (zeebiz.com), read in November 2026; no change of the thresholds was found',
    value: {
      yearName: { en: 'Tax year', hi: 'कर वर्ष' },
      threshold: {
        BANK: { general: 50_000, senior: 100_000 },
        NBFC: { general: 10_000, senior: 10_000 },
      },
      rate: { withPan: '10', withoutPan: '20' },
      sectionWithoutPan: '397(2)',
      form: { general: '121', senior: '121' },
      sectionOfForm: '393(6)',
    },
  },
];
