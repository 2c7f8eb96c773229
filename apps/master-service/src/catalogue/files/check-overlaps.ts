import type { Vehicle } from '../issuer.js';
import type { Problem } from './problem.js';
import type { IssuerFile } from './read-issuer-file.js';

/** Two vehicles for the same wish at the same time: which rate holds would be a matter of chance. */
export function checkOverlaps({ source, vehicles }: IssuerFile): Problem[] {
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

/** Whether two vehicles hold some tenure and amount in common at some time. */
export function doOverlap(a: Vehicle, b: Vehicle): boolean {
  return (
    a.minTenure <= b.maxTenure &&
    b.minTenure <= a.maxTenure &&
    a.minInvestment <= b.maxInvestment &&
    b.minInvestment <= a.maxInvestment &&
    (b.ineffectiveAt === null || a.effectiveAt < b.ineffectiveAt) &&
    (a.ineffectiveAt === null || b.effectiveAt < a.ineffectiveAt)
  );
}

/** What a vehicle is, for a person: two of the same kind must not meet. */
export function kindOf(vehicle: Vehicle): string {
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
