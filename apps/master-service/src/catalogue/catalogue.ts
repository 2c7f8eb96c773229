import { MasterErrors } from '@fd/errors';
import type { IssuerProfile, WithdrawalTerm, WithdrawalTerms } from './issuer-profile.entity.js';
import type { Vehicle } from './vehicle.entity.js';

export type { IssuerProfile, Vehicle, WithdrawalTerm, WithdrawalTerms };

/** Vehicles for requests: an array, or rows of a table. */
export interface VehicleList extends Iterable<Vehicle> {
  filter(test: (vehicle: Vehicle) => boolean): Vehicle[];
}

/** An issuer with its former, current and announced vehicles, for requests. */
export interface ListedIssuer extends IssuerProfile {
  readonly vehicles: VehicleList;
}

/** An issuer whose vehicles are an array, for imports. */
export interface Issuer extends ListedIssuer {
  readonly vehicles: readonly Vehicle[];
}

export function isOnSale(vehicle: Pick<Vehicle, 'effectiveAt' | 'ineffectiveAt'>, at: Date): boolean {
  // as numbers, since a quote compares the dates of every vehicle, and a Date would be converted each time
  const instant = at.getTime();
  if (instant < vehicle.effectiveAt.getTime()) return false;
  return vehicle.ineffectiveAt === null || instant < vehicle.ineffectiveAt.getTime();
}

/** Whether everyone may have it. */
export const isRegular = ({ isSeniorOnly, isWomenOnly, isTaxSaver, isVisible }: Vehicle): boolean =>
  isVisible && !isSeniorOnly && !isWomenOnly && !isTaxSaver;

/** Sort key of a vehicle; those without a rank come last. */
export function rankOf({ rank }: Vehicle): number {
  return rank ?? Number.MAX_SAFE_INTEGER;
}

/** All issuers of a revision, in memory and immutable: a newer revision is a new object. */
export class Catalogue {
  /** Issuers that are not deleted, by rank and then by code. */
  readonly issuers: readonly ListedIssuer[];
  private readonly byId: ReadonlyMap<string, ListedIssuer>;
  private readonly byCode: ReadonlyMap<string, ListedIssuer>;

  constructor(issuers: readonly ListedIssuer[]) {
    this.issuers = issuers
      .filter((issuer) => issuer.deletedAt === null)
      .sort((a, b) => a.activeIssuerRank - b.activeIssuerRank || (a.code < b.code ? -1 : 1));
    this.byId = new Map(this.issuers.map((issuer) => [issuer.issuerId, issuer]));
    this.byCode = new Map(this.issuers.map((issuer) => [issuer.code, issuer]));
  }

  *vehicles(): Generator<Vehicle> {
    for (const { vehicles } of this.issuers) yield* vehicles;
  }

  /** Returns the issuer with this UUID, in any case. */
  withId(issuerId: string): ListedIssuer | undefined {
    return this.byId.get(issuerId.toLowerCase());
  }

  /** Returns the issuer with this code. @throws MasterErrors.issuerUnknown, with a hint if a slug, an id or another case was given */
  withCode(code: string): ListedIssuer {
    const issuer = this.byCode.get(code);
    if (issuer) return issuer;
    const meant = this.alike(code);
    throw MasterErrors.issuerUnknown(meant && { hint: `Did you mean ${meant.code}?` });
  }

  /** The issuer with this slug or id, or with this code in another case. */
  private alike(name: string): ListedIssuer | undefined {
    const given = name.toLowerCase();
    return this.issuers.find(({ slug, code, issuerId }) =>
      [slug, code.toLowerCase(), issuerId].includes(given),
    );
  }
}
