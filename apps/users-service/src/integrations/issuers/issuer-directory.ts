import { Injectable } from '@nestjs/common';
import { IssuerErrors } from '@fd/errors';
import { type Issuer, JourneyConfig } from '../../config/index.js';

/** The issuers that a customer can choose from. A new issuer comes with a release. */
@Injectable()
export class IssuerDirectory {
  readonly all: readonly Issuer[];
  private readonly slugs: ReadonlyMap<string, Issuer>;
  private readonly codes: ReadonlyMap<string, Issuer>;

  constructor({ issuers }: JourneyConfig) {
    this.all = issuers;
    this.slugs = new Map(issuers.map((issuer) => [issuer.slug, issuer]));
    this.codes = new Map(issuers.map((issuer) => [issuer.code, issuer]));
  }

  /** @throws IssuerErrors.unknown */
  bySlug(slug: string): Issuer {
    const issuer = this.slugs.get(slug);
    if (!issuer) throw IssuerErrors.unknown();
    return issuer;
  }

  /** @throws IssuerErrors.unknown */
  byCode(code: string): Issuer {
    const issuer = this.codes.get(code);
    if (!issuer) throw IssuerErrors.unknown();
    return issuer;
  }
}
