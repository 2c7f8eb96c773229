import type { PayoutFrequency } from '@fd/contracts';
import { isOnSale, isRegular, type Vehicle } from '../catalogue.js';
import type { IssuerFile, LocatedVehicle } from './read-issuer-file.js';
import type { Problem } from './yaml-source.js';

/**
 * Warns of gaps between the regular vehicles of a frequency: tenures and amounts inside the outer bounds without a vehicle, now
 * or after a later change.
 */
export function checkGaps(file: IssuerFile, now: Date): Problem[] {
  const frequencies = file.sells.payout_frequencies ?? [];
  return frequencies.flatMap((frequency) => {
    const reported = new Set<string>();
    return instantsOfChange(file.vehicles, now).flatMap((at) => {
      const when = at === now ? '' : ` from ${at.toISOString()} on`;
      return gapsAt(file, frequency, at, when).filter(({ message }) => {
        // a lasting gap is reported once, when it opens
        const hole = message.slice(0, message.length - when.length);
        return !reported.has(hole) && reported.add(hole);
      });
    });
  });
}

function instantsOfChange(vehicles: readonly LocatedVehicle[], now: Date): Date[] {
  const changes = vehicles
    .flatMap(({ vehicle }) => [vehicle.effectiveAt, vehicle.ineffectiveAt])
    .filter((instant): instant is Date => instant !== null && instant > now)
    .map(Number);
  return [now, ...[...new Set(changes)].sort((a, b) => a - b).map((time) => new Date(time))];
}

function gapsAt(file: IssuerFile, frequency: PayoutFrequency, at: Date, when: string): Problem[] {
  const regular = file.vehicles.filter(
    ({ vehicle }) => vehicle.payoutFrequency === frequency && isRegular(vehicle) && isOnSale(vehicle, at),
  );
  return holesOf(regular.map(({ vehicle }) => vehicle)).map(({ days, rupees }) => {
    const before = regular.findLast(({ vehicle }) => vehicle.maxTenure < days[0]) ?? regular[0]!;
    const message = `${frequency}: nothing is sold for ${days.join(' to ')} days and ${rupees.join(' to ')} rupees${when}`;
    return file.source.problem('warning', before.path, message);
  });
}

interface Hole {
  readonly days: readonly [from: number, to: number];
  readonly rupees: readonly [from: number, to: number];
}

/** Gaps of a set of bands within its outer bounds; merges adjoining ones with the same amounts. */
function holesOf(bands: readonly Vehicle[]): Hole[] {
  if (bands.length === 0) return [];
  const dayCuts = cutsOf(bands.map((band) => [band.minTenure, band.maxTenure]));
  const rupeeCuts = cutsOf(bands.map((band) => [band.minInvestment, band.maxInvestment]));
  const holes: Hole[] = [];
  for (const rupees of rupeeCuts) {
    for (const days of dayCuts) {
      const isServed = bands.some(
        (band) =>
          band.minTenure <= days[0] &&
          days[0] <= band.maxTenure &&
          band.minInvestment <= rupees[0] &&
          rupees[0] <= band.maxInvestment,
      );
      const last = holes.at(-1);
      if (isServed) continue;
      if (last && last.rupees === rupees && last.days[1] + 1 === days[0]) {
        holes[holes.length - 1] = { rupees, days: [last.days[0], days[1]] };
      } else holes.push({ days, rupees });
    }
  }
  return holes;
}

/** Splits ranges at all their ends: in each part every range is either present or absent. */
function cutsOf(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const starts = [...new Set(ranges.flatMap(([from, to]) => [from, to + 1]))].sort((a, b) => a - b);
  return starts.slice(0, -1).map((start, index) => [start, starts[index + 1]! - 1]);
}
