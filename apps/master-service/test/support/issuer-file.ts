import { type CatalogueText, loadCatalogue } from '../../src/catalogue/files/load-catalogue.js';
import { formatProblem } from '../../src/catalogue/files/yaml-source.js';

export const NOW = new Date('2026-06-10T06:30:00Z');

/** The vehicles of the valid file, and an unused id. */
export const VEHICLE = 'aaaaaaaa-0000-4000-8000-000000000001';
export const OTHER_VEHICLE = 'aaaaaaaa-0000-4000-8000-000000000002';
export const TAX_SAVER = 'aaaaaaaa-0000-4000-8000-000000000003';
export const SPARE = 'aaaaaaaa-0000-4000-8000-000000000009';

/** A valid file. */
export const GOOD = `slug: testbank
issuer:
  id: 7
  f_issuer_id: 6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e2001
  f_code: TESTBANK
  name: Test Bank
  description: A bank
  url: https://logo.example/a.png
  sub_logo: https://logo.example/b.png
  compounding_freq: Quarterly
  issuer_type: BANK
  crisil_rating: AAA
  icra_rating: ''
  trusted_users: '2+'
  subtag_1: ''
  subtag_2: ''
  bank_type: ''
  active_issuer_rank: 1
  is_range_required: false
  upcoming_bank: false
  enable_our_pg: true
  enable_easy_split: false
  is_nominee_required: false
  is_issuer_live: true
  renewal_options: { Principal: true, No Renewal: true, Total Amount: false }
quote:
  day_count: ACT/ACT
sells:
  payout_frequencies: [Maturity, Monthly]
  women_rate: true
  tax_saver: true
benefits:
  senior_citizen: 0.50
  women: 0.10
defaults:
  effective_from: 2025-04-01T00:00:00+05:30
  amount: [1000, 100000]
  lock_in_days: 7
rate_cards:
  - name: Regular
    rates:
      Maturity:
        - { vehicle: ${VEHICLE}, days: [365, 1825], rate: 7.40, label: 1 to 5 years }
      Monthly:
        - { vehicle: ${OTHER_VEHICLE}, days: [365, 1825], rate: '7.35' }
  - name: Tax saver
    tax_saver: true
    lock_in_days: 1825
    early_withdrawal: false
    rates:
      Maturity:
        - { vehicle: ${TAX_SAVER}, days: [1825, 1826], rate: 7 }
`;

export const load = (...texts: CatalogueText[]) => loadCatalogue(texts, NOW);
export const loadText = (text: string) => load({ file: 'testbank.yaml', text });

/** The problems of a file's text, as printed. */
export const messages = (text: string) => loadText(text).problems.map(formatProblem);

/** The valid file with a replaced text, and the line of the replacement. */
export function changed(from: string, to: string): { text: string; line: number } {
  const at = GOOD.indexOf(from);
  if (at < 0) throw new Error(`not in the file: ${from}`);
  return { text: GOOD.replace(from, () => to), line: GOOD.slice(0, at).split('\n').length };
}
