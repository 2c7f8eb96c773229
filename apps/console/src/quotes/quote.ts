/** One issuer of `GET /api/v1/issuers`, as far as it is shown. */
export interface Issuer {
  readonly slug: string;
  readonly name: string;
  readonly f_code: string;
  readonly f_issuer_id: string;
  readonly issuer_type: string;
  readonly payout_frequencies: readonly string[];
  /** Per cent a year, added to the printed rate. */
  readonly women_benefit: number;
  readonly senior_citizen_benefit: number;
  readonly is_women_rate_offered: boolean;
}

/** Answer of `GET /api/v1/detail/maturity-amount/{issuer_code}?explain=true`. Amounts are rupees. */
export interface Quote {
  readonly product_interest: string;
  readonly average_yield: string;
  readonly payout_frequency: string;
  readonly maturity_date_ist: string;
  readonly maturity_amount: number;
  readonly payout: readonly { readonly year: number; readonly data: readonly Payout[] }[];
  readonly principal: number;
  readonly interest_amount: number;
  readonly rate_applied: { readonly base: string; readonly senior: string; readonly women: string };
  readonly compounding_rule: string;
  readonly day_count: string;
  readonly rounding: string;
  readonly working: readonly string[];
}

/** Interest paid on one day (YYYY-MM-DD). */
export interface Payout {
  readonly date: string;
  readonly amount: number;
}

interface Compared {
  readonly f_code: string;
  readonly name: string;
  readonly issuer_type: string;
}

/** Payload of `GET /api/v1/compare`. */
export interface Comparison {
  readonly quotes: readonly (Compared & {
    readonly rank: number;
    readonly product_interest: string;
    readonly average_yield: string;
    readonly interest_amount: number;
    readonly maturity_amount: number;
    readonly maturity_date_ist: string;
  })[];
  readonly unavailable: readonly (Compared & { readonly errorCode: string; readonly message: string })[];
}

/** The query of a quote; all values are text. */
export interface QuoteQuery {
  readonly issuer: string;
  readonly product_type: string;
  readonly tenure: string;
  readonly amount: string;
  readonly payout_frequency: string;
  readonly senior_citizen: string;
  readonly women_citizen: string;
  readonly tax_saver: string;
}

export const DEFAULT_QUERY: QuoteQuery = {
  issuer: 'ARAVFIN',
  product_type: 'FD',
  tenure: '730',
  amount: '100000',
  payout_frequency: 'Quarterly',
  senior_citizen: 'false',
  women_citizen: 'false',
  tax_saver: 'false',
};

/** Returns the query in the parameters of a link; missing parameters get their defaults. */
export function queryOf(params: Readonly<Record<string, string>>): QuoteQuery {
  const given = Object.entries(params).filter(([name]) => Object.hasOwn(DEFAULT_QUERY, name));
  return { ...DEFAULT_QUERY, ...Object.fromEntries(given) };
}

export function quotePath({ issuer, amount, ...rest }: QuoteQuery): string {
  const query = new URLSearchParams({ ...rest, investment_amount: amount, explain: 'true' });
  return `/api/v1/detail/maturity-amount/${encodeURIComponent(issuer)}?${query}`;
}

export function factSheetPath({ issuer, amount, ...rest }: QuoteQuery): string {
  const query = new URLSearchParams({ ...rest, investment_amount: amount });
  return `/api/v1/fact-sheet/${encodeURIComponent(issuer)}?${query}`;
}

export function comparePath({ issuer: _, ...rest }: QuoteQuery): string {
  return `/api/v1/compare?${new URLSearchParams({ ...rest })}`;
}

export const payoutsOf = ({ payout }: Quote): readonly Payout[] => payout.flatMap(({ data }) => data);
