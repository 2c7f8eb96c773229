import { Injectable } from '@nestjs/common';
import type { TrackInsightsPayload, TrackInsightsRequest } from '@fd/contracts';
import { Clock } from '@fd/platform';
import { IssuerDirectory } from '../steps/current-issuer.service.js';
import { JourneyRepository } from '../steps/journey.repository.js';
import { readEvents } from './insight-input.js';
import { InsightsRepository } from './insights.repository.js';

/** Events that clients report about the use of the app. */
@Injectable()
export class InsightsService {
  constructor(
    private readonly insights: InsightsRepository,
    private readonly journey: JourneyRepository,
    private readonly issuers: IssuerDirectory,
    private readonly clock: Clock,
  ) {}

  /** Stores each event once. @throws the errors that the controller declares */
  async track(userId: string, request: TrackInsightsRequest): Promise<TrackInsightsPayload> {
    const events = readEvents(request, {
      now: this.clock.now(),
      issuerOf: (code) => this.issuers.all.find((issuer) => issuer.code === code)?.slug,
    });
    const unique = [...new Map(events.map((event) => [event.id, event])).values()];
    const fresh = await this.insights.keep(userId, unique);
    const named = fresh.map(({ issuer }) => issuer).findLast((issuer) => issuer !== null);
    if (named) await this.journey.noteIssuer(userId, named);
    return { accepted: fresh.length, duplicates: events.length - fresh.length };
  }
}
