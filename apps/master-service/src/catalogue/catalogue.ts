import type { Compounding, IssuerType, PayoutFrequency, ProductType } from '@fd/contracts';
import { MasterErrors } from '@fd/errors';
import type { QuoteSwitches } from '../maths/convention.js';

interface RenewalOptions {
  readonly principal: boolean;
  readonly noRenewal: boolean;
  readonly totalAmount: boolean;
}

/** An issuer's rate for early withdrawal of a deposit held this long. */
export interface WithdrawalTerm {
  /** "7 days" or "3 months", counted from the start of the deposit. */
  readonly held: string;
  /** Penalty in per cent a year on the rate for the time held; null: no interest. */
  readonly penalty: string | null;
  /** Penalty on the issuer's lowest rate, if it sells no deposit for the time held. */
  readonly penaltyWithoutRate: string | null;
}

/** An issuer's terms of early withdrawal. */
export interface WithdrawalTerms {
  /** URL of the terms. */
  readonly source: string;
  /** First day of deposits to which they apply, YYYY-MM-DD. */
  readonly effectiveFrom: string;
  /** Ascending; no withdrawal before the first one. */
  readonly steps: readonly WithdrawalTerm[];
}

/** A deposit issuer in the catalogue, without its vehicles. */
export interface IssuerProfile {
  readonly issuerId: string;
  /** Short number of the issuer, shown to clients as `id`. */
  readonly number: number;
  readonly code: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly issuerType: IssuerType;
  readonly compounding: Compounding;
  readonly quoteSwitches: QuoteSwitches;
  /** Per cent a year added to the card's rate, as a decimal ("0.50"); "0" if it is not given. */
  readonly seniorBenefit: string;
  readonly womenBenefit: string;
  /** Kinds that the issuer sells; the vehicles say what is on sale at the moment. */
  readonly payoutFrequencies: readonly PayoutFrequency[];
  readonly sellsWomenRate: boolean;
  readonly sellsTaxSaver: boolean;
  readonly url: string;
  readonly subLogo: string;
  readonly crisilRating: string;
  readonly icraRating: string;
  readonly trustedUsers: string;
  readonly subtag1: string;
  readonly subtag2: string;
  readonly bankType: string;
  readonly heroTag: string | null;
  readonly faq: string | null;
  readonly utmUrl: string | null;
  readonly pgSetting: string | null;
  readonly bankDisabledAt: Date | null;
  readonly deletedAt: Date | null;
  readonly upcomingBankDate: Date | null;
  readonly baselineIssuerRank: number | null;
  readonly activeIssuerRank: number;
  readonly isRangeRequired: boolean;
  readonly isUpcomingBank: boolean;
  readonly enableOurPg: boolean;
  readonly enableEasySplit: boolean;
  readonly isNomineeRequired: boolean;
  readonly isLive: boolean;
  readonly renewalOptions: RenewalOptions;
  /** Null when they are unknown. */
  readonly prematureWithdrawal: WithdrawalTerms | null;
}

/** An investment vehicle: a rate for a payout frequency within bounds of tenure, amount and time. */
export interface Vehicle {
  readonly vehicleId: string;
  readonly issuerId: string;
  readonly productId: string;
  readonly productType: ProductType;
  readonly details: string;
  readonly issuerCommission: string;
  readonly selfCommission: string;
  readonly rank: number | null;
  readonly payoutFrequency: PayoutFrequency;
  /** Per cent a year as printed, a decimal ("7.40"), without benefits for senior citizens and women. */
  readonly rate: string;
  /** Days, both ends included. */
  readonly minTenure: number;
  readonly maxTenure: number;
  /** Whole rupees, both ends included. */
  readonly minInvestment: number;
  readonly maxInvestment: number;
  readonly tenureLabel: string;
  readonly isSeniorOnly: boolean;
  readonly isWomenOnly: boolean;
  readonly isTaxSaver: boolean;
  readonly hasEarlyWithdrawal: boolean;
  readonly isVisible: boolean;
  /** Days, as text. */
  readonly lockInPeriod: string;
  /** On sale from this instant (included) until the other (excluded; null: until further notice). */
  readonly effectiveAt: Date;
  readonly ineffectiveAt: Date | null;
}

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
