import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { IssuerDirectory } from '../../integrations/index.js';
import type { Issuer } from '../../config/index.js';
import { JourneyRepository } from './journey.repository.js';

/** What waits for the user to choose an issuer, whoever it is. */
export type ChoiceListener = (userId: string, issuer: Issuer) => Promise<void>;

/** Which issuer a call is about. */
@Injectable()
export class CurrentIssuer {
  private readonly listeners: ChoiceListener[] = [];

  constructor(
    private readonly directory: IssuerDirectory,
    private readonly journey: JourneyRepository,
  ) {}

  /**
   * The issuer that a code names, which is noted as the one the user deals with; without a code the one that the
   * user dealt with last, if any.
   * @throws IssuerErrors.unknown
   */
  async ofCode(userId: string, code: string | undefined): Promise<Issuer | undefined> {
    if (code === undefined) return this.last(userId);
    const issuer = this.directory.byCode(code);
    await this.journey.noteIssuer(userId, issuer.slug);
    return issuer;
  }

  /** Runs with every call by which a user goes on with an issuer, as opposed to looking how things stand there. */
  onChoice(listener: ChoiceListener): void {
    this.listeners.push(listener);
  }

  /**
   * As `ofSlug`, of a call by which the user goes on with the issuer.
   * @throws IssuerErrors.unknown
   */
  async chosen(userId: string, slug: string): Promise<Issuer> {
    const issuer = await this.ofSlug(userId, slug);
    for (const listener of this.listeners) await listener(userId, issuer);
    return issuer;
  }

  /** @throws IssuerErrors.unknown */
  async ofSlug(userId: string, slug: string): Promise<Issuer> {
    const issuer = this.directory.bySlug(slug);
    await this.journey.noteIssuer(userId, issuer.slug);
    return issuer;
  }

  /**
   * Every issuer that a request names, wherever it does, before it was looked at closely; the last one of the user
   * when it names none. What it names wrongly is for its handler to refuse.
   */
  async namedBy(userId: string, { params, query, body }: Request): Promise<readonly Issuer[]> {
    const slug = params['issuer_slug'];
    const codes = [query['issuer_code'], (body as Record<string, unknown> | undefined)?.['issuer_code']];
    const named = this.directory.all.filter((issuer) => issuer.slug === slug || codes.includes(issuer.code));
    if (named.length > 0) return named;
    const last = await this.last(userId);
    return last ? [last] : [];
  }

  private async last(userId: string): Promise<Issuer | undefined> {
    const slug = await this.journey.lastIssuer(userId);
    // an issuer may have left since
    return this.directory.all.find((issuer) => issuer.slug === slug);
  }
}
