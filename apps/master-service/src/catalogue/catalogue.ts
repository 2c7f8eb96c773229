import type { Compounding, IssuerType, PayoutFrequency, ProductType } from '@fd/contracts';
import { MasterErrors } from '@fd/errors';
import type { QuoteSwitches } from '../maths/convention.js';

export interface RenewalOptions {
  readonly principal: boolean;
  readonly noRenewal: boolean;
  readonly totalAmount: boolean;
}

/** What an issuer pays to one who ends a deposit early after having held it for so long. */
export interface WithdrawalTerm {
  /** "7 days" or "3 months", counted from the start of the deposit. */
  readonly held: string;
  /** Per cent a year off the rate for the time held; null: no interest at all. */
  readonly penalty: string | null;
  /** The same where the issuer sells no deposit for the time held: off its lowest rate. */
  readonly penaltyWithoutRate: string | null;
}

/** An issuer's own rules of ending a deposit early. */
export interface WithdrawalTerms {
  /** Where they stand. */
  readonly source: string;
  /** First day of deposits to which they apply, YYYY-MM-DD. */
  readonly effectiveFrom: string;
  /** Ascending; before the first one nothing is paid back. */
  readonly steps: readonly WithdrawalTerm[];
}

/** One deposit issuer as the catalogue holds it, without its vehicles. */
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
  /** Per cent a year on top of the card's rate, as a decimal ("0.50"); "0" where it is not given. */
  readonly seniorBenefit: string;
  readonly womenBenefit: string;
  /** What the issuer sells at all; whether something is on sale at the moment is the vehicles' matter. */
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
  /** Null where they are not on record. */
  readonly prematureWithdrawal: WithdrawalTerms | null;
}

/** One investment vehicle: a rate for a payout frequency within bounds of tenure, amount and time. */
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
  /** Per cent a year as printed, a decimal ("7.40"), before senior and women benefits. */
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

/** Vehicles as requests ask for them: an array of them, or rows of a table. */
export interface VehicleList extends Iterable<Vehicle> {
  filter(test: (vehicle: Vehicle) => boolean): Vehicle[];
}

/** An issuer with everything it has sold, sells and will sell, as requests see it. */
export interface ListedIssuer extends IssuerProfile {
  readonly vehicles: VehicleList;
}

/** The same as an import reads and writes it. */
export interface Issuer extends ListedIssuer {
  readonly vehicles: readonly Vehicle[];
}

export function isOnSale(vehicle: Pick<Vehicle, 'effectiveAt' | 'ineffectiveAt'>, at: Date): boolean {
  // in numbers: comparing two dates converts both by a call, and a quote does so for every vehicle
  const instant = at.getTime();
  if (instant < vehicle.effectiveAt.getTime()) return false;
  return vehicle.ineffectiveAt === null || instant < vehicle.ineffectiveAt.getTime();
}

/** Place of a vehicle among others; those without a rank come last. */
export function rankOf({ rank }: Vehicle): number {
  return rank ?? Number.MAX_SAFE_INTEGER;
}

/** All issuers at one revision, in memory, never changed: a newer revision is a new object. */
export class Catalogue {
  /** Issuers that were not taken out of business, by rank and then by code. */
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

  /** @param issuerId UUID in any case */
  withId(issuerId: string): ListedIssuer | undefined {
    return this.byId.get(issuerId.toLowerCase());
  }

  /** @throws MasterErrors.issuerUnknown */
  withCode(code: string): ListedIssuer {
    const issuer = this.byCode.get(code);
    if (issuer) return issuer;
    const meant = this.alike(code);
    throw MasterErrors.issuerUnknown(meant && { hint: `Did you mean ${meant.code}?` });
  }

  /** The issuer that is meant by its slug or id, or by its code in other letters. */
  private alike(name: string): ListedIssuer | undefined {
    const given = name.toLowerCase();
    return this.issuers.find(({ slug, code, issuerId }) =>
      [slug, code.toLowerCase(), issuerId].includes(given),
    );
  }
}
