import { Injectable } from '@nestjs/common';
import { AppError } from '@fd/errors';
import type { Issuer } from './issuer.js';
import { ISSUERS_FOLDER, loadIssuers } from './load-issuers.js';

/** The issuers that a customer can choose from. Read once: another issuer comes with a release. */
@Injectable()
export class IssuerDirectory {
  readonly all: readonly Issuer[] = loadIssuers(ISSUERS_FOLDER);
  private readonly slugs = new Map(this.all.map((issuer) => [issuer.slug, issuer]));
  private readonly codes = new Map(this.all.map((issuer) => [issuer.code, issuer]));

  /** @throws AppError SVCUSER2902 */
  bySlug(slug: string): Issuer {
    const issuer = this.slugs.get(slug);
    if (!issuer) throw new AppError('SVCUSER2902');
    return issuer;
  }

  /** @throws AppError SVCUSER2902 */
  byCode(code: string): Issuer {
    const issuer = this.codes.get(code);
    if (!issuer) throw new AppError('SVCUSER2902');
    return issuer;
  }
}
