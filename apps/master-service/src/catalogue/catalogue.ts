import type { Issuer, Vehicle } from './issuer.js';

/** All issuers at one revision, in memory, never changed: a newer revision is a new object. */
export class Catalogue {
  /** Issuers that were not taken out of business, by rank and then by code. */
  readonly issuers: readonly Issuer[];
  /** All that they have sold, sell and will sell. */
  readonly vehicles: readonly Vehicle[];
  private readonly byId: ReadonlyMap<string, Issuer>;
  private readonly byCode: ReadonlyMap<string, Issuer>;

  constructor(issuers: readonly Issuer[]) {
    this.issuers = issuers
      .filter((issuer) => issuer.deletedAt === null)
      .sort((a, b) => a.activeIssuerRank - b.activeIssuerRank || (a.code < b.code ? -1 : 1));
    this.vehicles = this.issuers.flatMap(({ vehicles }) => vehicles);
    this.byId = new Map(this.issuers.map((issuer) => [issuer.issuerId, issuer]));
    this.byCode = new Map(this.issuers.map((issuer) => [issuer.code, issuer]));
  }

  /** @param issuerId UUID in any case */
  withId(issuerId: string): Issuer | undefined {
    return this.byId.get(issuerId.toLowerCase());
  }

  withCode(code: string): Issuer | undefined {
    return this.byCode.get(code);
  }
}
