import { formatIndiaTime } from '../../dates/india-time.js';
import type { IssuerProfile, Vehicle } from '../issuer.js';

type Names<T> = { readonly [Field in keyof Required<T>]: string };

/** Every field of an issuer under the name that its file has for it. One that is added must be named here too. */
export const ISSUER_FIELDS: Names<Omit<IssuerProfile, 'issuerId'>> = {
  number: 'id',
  code: 'f_code',
  slug: 'slug',
  name: 'name',
  description: 'description',
  issuerType: 'issuer_type',
  compounding: 'compounding_freq',
  quoteSwitches: 'quote',
  seniorBenefit: 'benefits.senior_citizen',
  womenBenefit: 'benefits.women',
  payoutFrequencies: 'sells.payout_frequencies',
  sellsWomenRate: 'sells.women_rate',
  sellsTaxSaver: 'sells.tax_saver',
  url: 'url',
  subLogo: 'sub_logo',
  crisilRating: 'crisil_rating',
  icraRating: 'icra_rating',
  trustedUsers: 'trusted_users',
  subtag1: 'subtag_1',
  subtag2: 'subtag_2',
  bankType: 'bank_type',
  heroTag: 'hero_tag',
  faq: 'faq',
  utmUrl: 'utm_url',
  pgSetting: 'pg_setting',
  bankDisabledAt: 'bank_disabled_at',
  deletedAt: 'deleted_at',
  upcomingBankDate: 'upcoming_bank_date',
  baselineIssuerRank: 'baseline_issuer_rank',
  activeIssuerRank: 'active_issuer_rank',
  isRangeRequired: 'is_range_required',
  isUpcomingBank: 'upcoming_bank',
  enableOurPg: 'enable_our_pg',
  enableEasySplit: 'enable_easy_split',
  isNomineeRequired: 'is_nominee_required',
  isLive: 'is_issuer_live',
  renewalOptions: 'renewal_options',
};

export const VEHICLE_FIELDS: Names<Omit<Vehicle, 'vehicleId'>> = {
  issuerId: 'issuer',
  productId: 'product_id',
  productType: 'product_type',
  details: 'details',
  issuerCommission: 'issuer_commission',
  selfCommission: 'self_commission',
  rank: 'rank',
  payoutFrequency: 'payout frequency',
  rate: 'rate',
  minTenure: 'days from',
  maxTenure: 'days to',
  minInvestment: 'amount from',
  maxInvestment: 'amount to',
  tenureLabel: 'label',
  isSeniorOnly: 'senior_only',
  isWomenOnly: 'women_only',
  isTaxSaver: 'tax_saver',
  hasEarlyWithdrawal: 'early_withdrawal',
  isVisible: 'visible',
  lockInPeriod: 'lock_in_days',
  effectiveAt: 'effective_from',
  ineffectiveAt: 'effective_until',
};

/** A field's value as one text: equal texts mean equal values. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'string') return value || '""';
  if (value instanceof Date) return formatIndiaTime(value);
  if (Array.isArray(value)) return value.map(shown).join(', ');
  if (typeof value === 'object') {
    // PostgreSQL keeps the keys of a JSON object in an order of its own
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.map(([key, part]) => `${key} ${shown(part)}`).join(', ');
  }
  return JSON.stringify(value);
}
