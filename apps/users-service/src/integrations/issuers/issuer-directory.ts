import { Injectable } from '@nestjs/common';
import { IssuerErrors } from '@fd/errors';
import { type Issuer, JourneyConfig } from '../../config/index.js';

/** The issuers of this release. */
@Injectable()
export class IssuerDirectory {
  readonly all: readonly Issuer[];

  constructor({ issuers }: JourneyConfig) {
    this.all = issuers;
  }

  /** @throws IssuerErrors.unknown */
  bySlug(slug: string): Issuer {
    return this.find('slug', slug);
  }

  /** @throws IssuerErrors.unknown */
  byCode(code: string): Issuer {
    return this.find('code', code);
  }

  private find(key: 'slug' | 'code', value: string): Issuer {
    const issuer = this.all.find((candidate) => candidate[key] === value);
    if (issuer) return issuer;
    const given = value.toLowerCase();
    const meant = this.all.find(({ slug, code, id }) => [slug, code.toLowerCase(), id].includes(given));
    throw IssuerErrors.unknown(meant && { hint: `Did you mean ${meant[key]}?` });
  }
}
