import type { IssuerData, IssuerDetailPayload, IssuerListItem } from '@fd/contracts';
import { formatIndiaTime } from '../dates/india-time.js';
import { type Issuer, isOnSale, type Vehicle } from './issuer.js';
import { byRank, presentRate, presentVehicle } from './vehicle.presenter.js';

/** An issuer with everything it sells at an instant. What has ended or not begun is not part of it. */
export function presentDetail(issuer: Issuer, at: Date): IssuerDetailPayload {
  const onSale = issuer.vehicles.filter((vehicle) => isOnSale(vehicle, at));
  return {
    issuerData: presentIssuer(issuer, onSale),
    vehiclesPayload: [...onSale].sort(byRank).map((vehicle) => presentVehicle(vehicle, issuer)),
  };
}

export function presentListItem(issuer: Issuer, at: Date): IssuerListItem {
  const onSale = issuer.vehicles.filter((vehicle) => isOnSale(vehicle, at));
  const shown = onSale.filter(({ isVisible }) => isVisible);
  const [highest] = [...shown].sort((a, b) => Number(b.rate) - Number(a.rate));
  return {
    ...presentIssuer(issuer, onSale),
    slug: issuer.slug,
    payout_frequencies: issuer.payoutFrequencies,
    is_women_rate_offered: issuer.sellsWomenRate,
    is_tax_saver_offered: issuer.sellsTaxSaver,
    min_investment: least(shown.map((vehicle) => vehicle.minInvestment)),
    max_investment: most(shown.map((vehicle) => vehicle.maxInvestment)),
    highest_interest: highest ? presentRate(highest) : null,
  };
}

function presentIssuer(issuer: Issuer, onSale: readonly Vehicle[]): IssuerData {
  const shown = onSale.filter(({ isVisible }) => isVisible);
  return {
    id: issuer.number,
    name: issuer.name,
    description: issuer.description,
    f_code: issuer.code,
    f_issuer_id: issuer.issuerId,
    url: issuer.url,
    sub_logo: issuer.subLogo,
    compounding_freq: issuer.compounding,
    issuer_type: issuer.issuerType,
    crisil_rating: issuer.crisilRating,
    icra_rating: issuer.icraRating,
    trusted_users: issuer.trustedUsers,
    subtag_1: issuer.subtag1,
    subtag_2: issuer.subtag2,
    bank_type: issuer.bankType,
    hero_tag: issuer.heroTag,
    faq: issuer.faq,
    utm_url: issuer.utmUrl,
    pg_setting: issuer.pgSetting,
    bank_disabled_at: issuer.bankDisabledAt && formatIndiaTime(issuer.bankDisabledAt),
    deleted_at: issuer.deletedAt && formatIndiaTime(issuer.deletedAt),
    upcoming_bank_date: issuer.upcomingBankDate && formatIndiaTime(issuer.upcomingBankDate),
    baseline_issuer_rank: issuer.baselineIssuerRank,
    is_range_required: issuer.isRangeRequired,
    upcoming_bank: issuer.isUpcomingBank,
    enable_our_pg: issuer.enableOurPg,
    enable_easy_split: issuer.enableEasySplit,
    is_nominee_required: issuer.isNomineeRequired,
    is_issuer_live: issuer.isLive,
    active_issuer_rank: issuer.activeIssuerRank,
    renewal_options: {
      Principal: issuer.renewalOptions.principal,
      'No Renewal': issuer.renewalOptions.noRenewal,
      'Total Amount': issuer.renewalOptions.totalAmount,
    },
    women_benefit: Number(issuer.womenBenefit),
    senior_citizen_benefit: Number(issuer.seniorBenefit),
    minTenure: least(shown.map((vehicle) => vehicle.minTenure)),
    maxTenure: most(shown.map((vehicle) => vehicle.maxTenure)),
  };
}

/** 0 when nothing is on sale. */
const least = (values: readonly number[]): number => (values.length > 0 ? Math.min(...values) : 0);
const most = (values: readonly number[]): number => Math.max(0, ...values);
