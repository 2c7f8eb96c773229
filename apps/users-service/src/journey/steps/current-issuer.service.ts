import { Inject, Injectable } from '@nestjs/common';
import { IssuerErrors } from '@fd/errors';
import { type Issuer, JourneyConfig } from '../../config/index.js';
import { JourneyRepository } from './journey.repository.js';
import { openBefore } from './journey.table.js';

/** Registers an earlier bank account with a chosen issuer. Implemented by a domain above the journey. */
export interface IssuerRegistrations {
  registerAt(issuer: Issuer, userId: string): Promise<void>;
}

export const ISSUER_REGISTRATIONS = Symbol('registrations at a chosen issuer');

/** The last issuer of each user, which a domain above this one keeps. */
export interface LastIssuers {
  noteLastIssuer(userId: string, slug: string): Promise<void>;
  /** @returns its slug; null before the first */
  lastIssuerOf(userId: string): Promise<string | null>;
}

export const LAST_ISSUERS = Symbol('last issuers of users');

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

@Injectable()
export class CurrentIssuer {
  constructor(
    private readonly directory: IssuerDirectory,
    private readonly journey: JourneyRepository,
    @Inject(ISSUER_REGISTRATIONS) private readonly registrations: IssuerRegistrations,
    @Inject(LAST_ISSUERS) private readonly lastIssuers: LastIssuers,
    private readonly config: JourneyConfig,
  ) {}

  /**
   * Returns the issuer with the code of a request and stores it as the user's last one; without a code the user's last
   * issuer, if any.
   * @param isChosen false stores nothing: for a poll, and for a look with a partner that does not reach the account
   * @throws IssuerErrors.unknown, also for a code that is not a text, such as a repeated parameter
   */
  async ofCode(userId: string, code: unknown, isChosen = true): Promise<Issuer | undefined> {
    if (code === undefined || code === null) return this.last(userId);
    if (typeof code !== 'string') throw IssuerErrors.unknown();
    const issuer = this.directory.byCode(code);
    if (isChosen) await this.lastIssuers.noteLastIssuer(userId, issuer.slug);
    return issuer;
  }

  /**
   * Returns the issuer with this slug and stores it as the user's last one.
   * @param isChosen as in `ofCode`
   * @throws IssuerErrors.unknown
   */
  async ofSlug(userId: string, slug: string, isChosen = true): Promise<Issuer> {
    const issuer = this.directory.bySlug(slug);
    if (isChosen) await this.lastIssuers.noteLastIssuer(userId, issuer.slug);
    return issuer;
  }

  /**
   * The user continues the journey with an issuer, by a call that is not refused: registers an earlier bank account there; with
   * STRICT_JOURNEY only once all steps before BANK are done.
   */
  async continueWith(userId: string, issuer: Issuer): Promise<void> {
    if (await this.isAccountDue(issuer, userId)) await this.registrations.registerAt(issuer, userId);
  }

  /** Returns the known issuers among those that a request names, or else the user's last issuer. */
  async namedBy(userId: string, slug: unknown, codes: readonly unknown[]): Promise<readonly Issuer[]> {
    const named = this.directory.all.filter((issuer) => issuer.slug === slug || codes.includes(issuer.code));
    if (named.length > 0) return named;
    const last = await this.last(userId);
    return last ? [last] : [];
  }

  private async isAccountDue(issuer: Issuer, userId: string): Promise<boolean> {
    if (!this.config.isStrict) return true;
    const states = await this.journey.statesOf(userId, issuer.slug);
    return openBefore('BANK', issuer.steps, states).length === 0;
  }

  private async last(userId: string): Promise<Issuer | undefined> {
    const slug = await this.lastIssuers.lastIssuerOf(userId);
    // the issuer may have been removed since
    return this.directory.all.find((issuer) => issuer.slug === slug);
  }
}
