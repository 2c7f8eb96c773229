import type { IssuerProfile } from '../issuer.js';
import { resolveSwitches } from '../../maths/convention.js';
import type { benefitsBlock, Fields, issuerBlock, quoteBlock, sellsBlock } from './issuer-file.schema.js';

interface Blocks {
  readonly issuer: Fields<typeof issuerBlock> | undefined;
  readonly quote: Fields<typeof quoteBlock> | undefined;
  readonly sells: Fields<typeof sellsBlock> | undefined;
  readonly benefits: Fields<typeof benefitsBlock> | undefined;
}

/** The issuer that a file's blocks describe; undefined while one of them could not be read. */
export function profileOf(
  slug: string | undefined,
  { issuer, quote, sells, benefits }: Blocks,
): IssuerProfile | undefined {
  if (slug === undefined || !issuer || !quote || !sells || !benefits) return undefined;
  return {
    issuerId: issuer.f_issuer_id,
    number: issuer.id,
    code: issuer.f_code,
    slug,
    name: issuer.name,
    description: issuer.description,
    issuerType: issuer.issuer_type,
    compounding: issuer.compounding_freq,
    quoteSwitches: resolveSwitches({
      dayCount: quote.day_count,
      fullPeriods: quote.full_periods,
      brokenRule: quote.broken_rule,
      payoutBasis: quote.payout_basis,
      places: quote.places,
      rounding: quote.rounding,
    }),
    seniorBenefit: benefits.senior_citizen,
    womenBenefit: benefits.women ?? '0',
    payoutFrequencies: sells.payout_frequencies,
    sellsWomenRate: sells.women_rate,
    sellsTaxSaver: sells.tax_saver,
    ...textsOf(issuer),
    ...switchesOf(issuer),
  };
}

function textsOf(issuer: Fields<typeof issuerBlock>) {
  return {
    url: issuer.url,
    subLogo: issuer.sub_logo,
    crisilRating: issuer.crisil_rating,
    icraRating: issuer.icra_rating,
    trustedUsers: issuer.trusted_users,
    subtag1: issuer.subtag_1,
    subtag2: issuer.subtag_2,
    bankType: issuer.bank_type,
    heroTag: issuer.hero_tag,
    faq: issuer.faq,
    utmUrl: issuer.utm_url,
    pgSetting: issuer.pg_setting,
  };
}

function switchesOf(issuer: Fields<typeof issuerBlock>) {
  return {
    bankDisabledAt: issuer.bank_disabled_at ?? null,
    deletedAt: issuer.deleted_at ?? null,
    upcomingBankDate: issuer.upcoming_bank_date ?? null,
    baselineIssuerRank: issuer.baseline_issuer_rank ?? null,
    activeIssuerRank: issuer.active_issuer_rank,
    isRangeRequired: issuer.is_range_required,
    isUpcomingBank: issuer.upcoming_bank,
    enableOurPg: issuer.enable_our_pg,
    enableEasySplit: issuer.enable_easy_split,
    isNomineeRequired: issuer.is_nominee_required,
    isLive: issuer.is_issuer_live,
    renewalOptions: {
      principal: issuer.renewal_options.Principal,
      noRenewal: issuer.renewal_options['No Renewal'],
      totalAmount: issuer.renewal_options['Total Amount'],
    },
  };
}
