import {
  type IssuerData,
  type IssuerDetailPayload,
  type IssuerListItem,
  PAYOUT_FREQUENCIES,
  type VehiclePayload,
} from '@fd/contracts';
import { formatIndiaTime, indiaDateOf } from '../dates/india-time.js';
import { quoteDeposit } from '../maths/maturity.js';
import { formatExactDecimal, parseDecimal } from '../maths/ratio.js';
import { type ListedIssuer, isOnSale, rankOf, type Vehicle } from './catalogue.js';

/** An issuer with the vehicles on sale at an instant. */
export function presentDetail(issuer: ListedIssuer, at: Date): IssuerDetailPayload {
  const onSale = issuer.vehicles.filter((vehicle) => isOnSale(vehicle, at));
  return {
    issuerData: presentIssuer(issuer, onSale),
    vehiclesPayload: [...onSale].sort(byRank).map((vehicle) => presentVehicle(vehicle, issuer)),
  };
}

export function presentListItem(issuer: ListedIssuer, at: Date): IssuerListItem {
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

function presentIssuer(issuer: ListedIssuer, onSale: readonly Vehicle[]): IssuerData {
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

function presentVehicle(vehicle: Vehicle, issuer: ListedIssuer): VehiclePayload {
  return {
    f_product_id: vehicle.productId,
    f_issuer_id: vehicle.issuerId,
    f_investment_vehicle_id: vehicle.vehicleId,
    product_type: vehicle.productType,
    product_details: vehicle.details,
    product_issuer_commision: vehicle.issuerCommission,
    product_self_commision: vehicle.selfCommission,
    product_rank: vehicle.rank,
    product_min_tenure: vehicle.minTenure,
    product_max_tenure: vehicle.maxTenure,
    product_min_investment: vehicle.minInvestment,
    product_max_investment: vehicle.maxInvestment,
    product_senior_citizen: vehicle.isSeniorOnly,
    product_tax_saver: vehicle.isTaxSaver,
    product_women: vehicle.isWomenOnly,
    product_early_withdrawal: vehicle.hasEarlyWithdrawal,
    is_visible: vehicle.isVisible,
    product_effective_date: formatIndiaTime(vehicle.effectiveAt),
    product_ineffective_date: vehicle.ineffectiveAt && formatIndiaTime(vehicle.ineffectiveAt),
    product_payout_term: vehicle.payoutFrequency === 'Maturity' ? 'C' : 'NC',
    product_loc_in_period: vehicle.lockInPeriod,
    product_interest_freq: vehicle.payoutFrequency,
    product_interest: presentRate(vehicle),
    yield: yieldOf(vehicle, issuer),
    product_min_tenure_label: vehicle.tenureLabel,
  };
}

/** The rate in the form of quotes, so that both can be compared as text. */
function presentRate({ rate }: Vehicle): string {
  return formatExactDecimal(parseDecimal(rate, 'rate'));
}

/** Vehicles in the order of a frontend: by rank, those without one last. */
function byRank(a: Vehicle, b: Vehicle): number {
  return (
    rankOf(a) - rankOf(b) ||
    PAYOUT_FREQUENCIES.indexOf(a.payoutFrequency) - PAYOUT_FREQUENCIES.indexOf(b.payoutFrequency) ||
    a.minTenure - b.minTenure ||
    a.minInvestment - b.minInvestment ||
    (a.vehicleId < b.vehicleId ? -1 : 1)
  );
}

/** Average yield at the shortest tenure, the least that a depositor gets, from the day on which the sale began. */
function yieldOf(vehicle: Vehicle, issuer: ListedIssuer): string {
  const { averageYield } = quoteDeposit({
    principalPaise: 10_000_000n,
    annualRatePercent: vehicle.rate,
    tenureDays: vehicle.minTenure,
    startDate: indiaDateOf(vehicle.effectiveAt),
    compounding: issuer.compounding,
    payoutFrequency: vehicle.payoutFrequency,
    switches: issuer.quoteSwitches,
  });
  return averageYield;
}
