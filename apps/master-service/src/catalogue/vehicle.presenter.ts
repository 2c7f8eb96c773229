import { PAYOUT_FREQUENCIES, type VehiclePayload } from '@fd/contracts';
import { formatIndiaTime, indiaDateOf } from '../dates/india-time.js';
import { formatExactDecimal, parseDecimal } from '../maths/decimal.js';
import { quoteDeposit } from '../maths/maturity.js';
import { type Issuer, rankOf, type Vehicle } from './issuer.js';

export function presentVehicle(vehicle: Vehicle, issuer: Issuer): VehiclePayload {
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

/** The rate in the form that quotes have too, so that the two can be compared as texts. */
export function presentRate({ rate }: Vehicle): string {
  return formatExactDecimal(parseDecimal(rate, 'rate'));
}

/** Vehicles in the order in which a frontend lists them: by rank, those without one last. */
export function byRank(a: Vehicle, b: Vehicle): number {
  return (
    rankOf(a) - rankOf(b) ||
    PAYOUT_FREQUENCIES.indexOf(a.payoutFrequency) - PAYOUT_FREQUENCIES.indexOf(b.payoutFrequency) ||
    a.minTenure - b.minTenure ||
    a.minInvestment - b.minInvestment ||
    (a.vehicleId < b.vehicleId ? -1 : 1)
  );
}

/** Average yield at the shortest tenure, which every depositor gets at least; from the day the vehicle went on sale. */
function yieldOf(vehicle: Vehicle, issuer: Issuer): string {
  const { averageYield } = quoteDeposit({
    principal: '100000',
    annualRatePercent: vehicle.rate,
    tenureDays: vehicle.minTenure,
    startDate: indiaDateOf(vehicle.effectiveAt),
    compounding: issuer.compounding,
    payoutFrequency: vehicle.payoutFrequency,
    switches: issuer.quoteSwitches,
  });
  return averageYield;
}
