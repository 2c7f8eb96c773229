import { Inject, Injectable } from '@nestjs/common';
import type { TrackInsightsPayload, TrackInsightsRequest } from '@fd/contracts';
import { Clock } from '@fd/platform';
import type { SessionIdentity } from '../../core/index.js';
import { IssuerDirectory, LAST_ISSUERS, type LastIssuers } from '../steps/current-issuer.service.js';
import { readEvents, sizeOf } from './insight-input.js';
import { InsightsRepository } from './insights.repository.js';

/** The consent to the terms of use, which a domain above this one keeps. */
export interface TermsConsent {
  /** @throws ConsentErrors.withdrawn */
  requireTermsInForce(session: SessionIdentity): Promise<void>;
}

export const TERMS_CONSENT = Symbol('consent to the terms of use');

/** Age of an event that says where the user is. */
const RECENT_MS = 600_000;

/** Events that clients report about the use of the app. */
@Injectable()
export class InsightsService {
  constructor(
    private readonly insights: InsightsRepository,
    private readonly issuers: IssuerDirectory,
    private readonly clock: Clock,
    @Inject(TERMS_CONSENT) private readonly consent: TermsConsent,
    @Inject(LAST_ISSUERS) private readonly lastIssuers: LastIssuers,
  ) {}

  /** Stores each event once. @throws the errors that the controller declares */
  async track(session: SessionIdentity, request: TrackInsightsRequest): Promise<TrackInsightsPayload> {
    const { userId } = session;
    // first, since the search for personal data takes milliseconds
    await this.consent.requireTermsInForce(session);
    const day = await this.insights.countToday(userId, sizeOf(request));
    const now = this.clock.now();
    const events = readEvents(request, {
      now,
      issuerOf: (code) => this.issuers.all.find((issuer) => issuer.code === code)?.slug,
    });
    const unique = [...new Map(events.map((event) => [event.id, event])).values()];
    const fresh = await this.insights.keep(userId, day, unique);
    // the user has gone on since the others, which a phone without a network reports late
    const recent = fresh.filter(({ occurredAt }) => occurredAt.getTime() > now.getTime() - RECENT_MS);
    const named = recent.map(({ issuer }) => issuer).findLast((issuer) => issuer !== null);
    if (named) await this.lastIssuers.noteLastIssuer(userId, named);
    return { accepted: fresh.length, duplicates: events.length - fresh.length };
  }
}
