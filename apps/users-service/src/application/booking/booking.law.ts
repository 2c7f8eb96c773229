import type { DatedRule } from '@fd/contracts';

/** The statement of a law that a rule of the booking check applies, for docs/journey.md. */
type Statement = DatedRule<string>;

const READ = 'read in November 2026; to be confirmed';

/** What laws ask before a booking. Nominees: `NOMINATION_RULES` of @fd/contracts. */
export const BOOKING_LAW = {
  adultApplicant: [
    {
      id: 'MINORITY_1875',
      law: 'Indian Contract Act, 1872, with the Majority Act, 1875',
      section: '11; 3',
      from: '1875-03-02',
      to: null,
      source: `Secondary texts, ${READ}`,
      value: 'A person under 18 cannot contract.',
    },
  ],
  adultGuardian: [
    {
      id: 'NOMINATION_MINORS_1985',
      law: 'Banking Regulation Act, 1949; Reserve Bank of India Act, 1934',
      section: '45ZA; 45QB',
      from: '1985-03-29',
      to: null,
      source: `Secondary texts, ${READ}`,
      value: 'An adult receives the money for a nominee under 18.',
    },
  ],
  panOfPerson: [
    {
      id: 'PAN_HOLDERS_1995',
      law: 'Structure of PANs by the Income Tax Department',
      section: 'fourth letter',
      from: '1995-07-01',
      to: null,
      source: `Secondary texts, ${READ}`,
      value:
        'P is a person; C, H, T, F, G, J, L, A and B are companies, families, trusts, firms, governments and other bodies.',
    },
  ],
  operativePan: [
    {
      id: 'PAN_LINKED_2023',
      law: 'Income-tax Rules, 1962',
      section: '114AAA',
      from: '2023-07-01',
      to: '2026-03-31',
      source: `Secondary texts, ${READ}`,
      value: 'A PAN that is not linked to an Aadhaar is inoperative, and tax is deducted at twice the rate.',
    },
    {
      id: 'PAN_LINKED_2026',
      law: 'Income-tax Act, 2025',
      section: '262; 397(2)',
      from: '2026-04-01',
      to: null,
      source: `No change was found, ${READ}`,
      value: 'A PAN that is not linked to an Aadhaar is inoperative, and tax is deducted at twice the rate.',
    },
  ],
  factSheet: [
    {
      id: 'RBI_CONDUCT_2026',
      law: 'RBI directions on responsible business conduct, as amended on 15 June 2026',
      section: 'explicit consent for each product',
      from: '2027-01-01',
      to: null,
      source: `bankpulse.ai rbi-2026-27-119, ${READ}`,
      value: 'The customer explicitly agrees to each product, and the consent is recorded.',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Statement[]>>;
