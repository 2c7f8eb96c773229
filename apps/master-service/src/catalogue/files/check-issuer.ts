import { isOnSale, type Vehicle } from '../catalogue.js';
import type { IssuerFile, LocatedVehicle } from './read-issuer-file.js';
import type { Problem } from './yaml-source.js';

/** A tax saver deposit by law: five years and up to 1.5 lakh rupees, at banks only. */
const TAX_SAVER = { days: [1_825, 1_827], mostRupees: 150_000 } as const;

/** By law, public deposits of finance companies run for 12 to 60 months. */
const NBFC_DAYS = [365, 1_827] as const;

export function checkIssuer(file: IssuerFile, now: Date): Problem[] {
  return [
    ...checkPromises(file, now),
    ...file.vehicles.flatMap((written) => checkVehicle(file, written)),
    ...checkSpecials(file),
    ...checkOverlaps(file),
  ];
}

/** Compares the kinds that the file declares with its vehicles. */
function checkPromises({ source, sells, benefits, issuer, vehicles }: IssuerFile, now: Date): Problem[] {
  const problems: Problem[] = [];
  const refuse = (path: readonly PropertyKey[], message: string) =>
    problems.push(source.problem('error', path, message));
  const live = vehicles.filter(({ vehicle }) => vehicle.isVisible && isOnSale(vehicle, now));
  if (sells.women_rate === false && benefits.women !== undefined && Number(benefits.women) > 0) {
    refuse(['benefits', 'women'], 'women: there is a benefit, but sells.women_rate is false');
  }
  if (sells.women_rate === true && benefits.women === undefined && !live.some((v) => v.vehicle.isWomenOnly)) {
    refuse(
      ['sells', 'women_rate'],
      'women_rate: is true, but there is neither a benefit nor a vehicle for women',
    );
  }
  if (sells.tax_saver === true && issuer.issuer_type === 'NBFC') {
    refuse(['sells', 'tax_saver'], 'tax_saver: only banks may sell tax saver deposits');
  }
  if (issuer.is_issuer_live !== true) return problems;
  if (live.length === 0) {
    refuse(['issuer', 'is_issuer_live'], 'is_issuer_live: is true, but no vehicle is on sale now');
    return problems;
  }
  if (sells.tax_saver === true && !live.some(({ vehicle }) => vehicle.isTaxSaver)) {
    refuse(['sells', 'tax_saver'], 'tax_saver: is true, but no tax saver vehicle is on sale now');
  }
  for (const [index, frequency] of (sells.payout_frequencies ?? []).entries()) {
    if (live.some(({ vehicle }) => vehicle.payoutFrequency === frequency)) continue;
    refuse(
      ['sells', 'payout_frequencies', index],
      `${frequency}: is sold, but no vehicle of it is on sale now`,
    );
  }
  return problems;
}

/** Checks a vehicle by law and by the kinds of its issuer. */
function checkVehicle({ source, sells, issuer }: IssuerFile, { vehicle, path }: LocatedVehicle): Problem[] {
  const problems: Problem[] = [];
  const report = (severity: Problem['severity'], message: string) =>
    problems.push(source.problem(severity, path, message));
  if (vehicle.ineffectiveAt && vehicle.ineffectiveAt <= vehicle.effectiveAt) {
    report('error', 'effective_until: must be later than effective_from');
  }
  if (sells.payout_frequencies && !sells.payout_frequencies.includes(vehicle.payoutFrequency)) {
    report('error', `${vehicle.payoutFrequency}: is not in sells.payout_frequencies`);
  }
  if (vehicle.isWomenOnly && sells.women_rate === false) {
    report('error', 'women_only: sells.women_rate is false');
  }
  if (vehicle.isTaxSaver) {
    if (issuer.issuer_type === 'NBFC') report('error', 'tax_saver: only banks may sell tax saver deposits');
    if (sells.tax_saver === false) report('error', 'tax_saver: sells.tax_saver is false');
    if (vehicle.minTenure < TAX_SAVER.days[0] || vehicle.maxTenure > TAX_SAVER.days[1]) {
      report('error', `tax_saver: must run for five years (${TAX_SAVER.days.join(' to ')} days)`);
    }
    if (vehicle.maxInvestment > TAX_SAVER.mostRupees) {
      report('error', `tax_saver: takes at most ${TAX_SAVER.mostRupees} rupees`);
    }
    if (Number(vehicle.lockInPeriod) < TAX_SAVER.days[0] || vehicle.hasEarlyWithdrawal) {
      report('error', 'tax_saver: must be locked in for five years, without early withdrawal');
    }
  } else if (
    issuer.issuer_type === 'NBFC' &&
    (vehicle.minTenure < NBFC_DAYS[0] || vehicle.maxTenure > NBFC_DAYS[1])
  ) {
    report('warning', `days: deposits of an NBFC run for 12 to 60 months (${NBFC_DAYS.join(' to ')} days)`);
  }
  return problems;
}

/** A special vehicle takes precedence over the regular one, so a lower rate would cost the customer money. */
function checkSpecials({ source, vehicles }: IssuerFile): Problem[] {
  return vehicles.flatMap(({ vehicle, path }) => {
    if (!vehicle.isSeniorOnly && !vehicle.isWomenOnly) return [];
    const better = vehicles.find(
      ({ vehicle: other }) =>
        !other.isSeniorOnly &&
        !other.isWomenOnly &&
        other.isVisible &&
        other.isTaxSaver === vehicle.isTaxSaver &&
        other.payoutFrequency === vehicle.payoutFrequency &&
        doOverlap(other, vehicle) &&
        Number(other.rate) > Number(vehicle.rate),
    );
    if (!better) return [];
    const message = `${kindOf(vehicle)}: pays ${vehicle.rate}, less than line ${source.lineOf(better.path)} with ${better.vehicle.rate}`;
    return [source.problem('warning', path, message)];
  });
}

/** Finds two vehicles for the same query at the same time, between which the choice of a rate would be arbitrary. */
function checkOverlaps({ source, vehicles }: IssuerFile): Problem[] {
  const listed = vehicles.filter(({ vehicle }) => vehicle.isVisible);
  return listed.flatMap(({ vehicle, path }, index) => {
    const other = listed
      .slice(0, index)
      .find((earlier) => kindOf(earlier.vehicle) === kindOf(vehicle) && doOverlap(earlier.vehicle, vehicle));
    if (!other) return [];
    const line = source.lineOf(other.path);
    const message = `overlaps line ${line}: ${kindOf(vehicle)} for ${shared(vehicle, other.vehicle)} twice at the same time`;
    return [source.problem('error', path, message)];
  });
}

/** Whether two vehicles share a tenure and an amount at some time. */
function doOverlap(a: Vehicle, b: Vehicle): boolean {
  return (
    a.minTenure <= b.maxTenure &&
    b.minTenure <= a.maxTenure &&
    a.minInvestment <= b.maxInvestment &&
    b.minInvestment <= a.maxInvestment &&
    (b.ineffectiveAt === null || a.effectiveAt < b.ineffectiveAt) &&
    (a.ineffectiveAt === null || b.effectiveAt < a.ineffectiveAt)
  );
}

/** The kind of a vehicle, for people; two vehicles of a kind must not overlap. */
function kindOf(vehicle: Vehicle): string {
  const words = [
    vehicle.payoutFrequency,
    vehicle.isTaxSaver && 'tax saver',
    vehicle.isSeniorOnly && 'senior only',
    vehicle.isWomenOnly && 'women only',
  ];
  return words.filter(Boolean).join(', ');
}

function shared(a: Vehicle, b: Vehicle): string {
  const days = [Math.max(a.minTenure, b.minTenure), Math.min(a.maxTenure, b.maxTenure)];
  const rupees = [Math.max(a.minInvestment, b.minInvestment), Math.min(a.maxInvestment, b.maxInvestment)];
  return `${days.join(' to ')} days and ${rupees.join(' to ')} rupees`;
}
