import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { InsightEventName, TrackInsightsPayload, TrackInsightsRequest } from '@fd/contracts';
import { Clock } from '@fd/platform';
import { DataSource } from 'typeorm';
import { IssuerDirectory } from '../../integrations/index.js';
import { JourneyRepository } from '../steps/journey.repository.js';
import { type InsightEvent, readEvents } from './insight-input.js';
import { InsightsRepository } from './insights.repository.js';

/** Events that say that somebody has looked at a deposit of an issuer. */
const DEPOSIT_SEEN: readonly InsightEventName[] = ['FD_SELECTED', 'FD_DETAIL_VIEWED'];

/** What clients report of the way people go. */
@Injectable()
export class InsightsService {
  constructor(
    private readonly insights: InsightsRepository,
    private readonly journey: JourneyRepository,
    private readonly issuers: IssuerDirectory,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Keeps events, each once, however often it is reported.
   * @throws InsightErrors.personalDataRefused, GeneralErrors.fieldInvalid; GeneralErrors.tooManyRequests when the
   * user has reported as many as are kept of a day
   */
  async track(userId: string, request: TrackInsightsRequest): Promise<TrackInsightsPayload> {
    const events = readEvents(request, {
      now: this.clock.now(),
      issuerOf: (code) => this.issuers.all.find((issuer) => issuer.code === code)?.slug,
    });
    const unique = [...new Map(events.map((event) => [event.id, event])).values()];
    const fresh = await this.keep(userId, unique);
    const named = fresh.map(({ issuer }) => issuer).findLast((issuer) => issuer !== null);
    if (named) await this.journey.noteIssuer(userId, named);
    return { accepted: fresh.length, duplicates: events.length - fresh.length };
  }

  private async keep(userId: string, events: readonly InsightEvent[]): Promise<InsightEvent[]> {
    return this.dataSource.transaction(async (manager) => {
      const fresh = await this.insights.keep(manager, userId, events);
      const seen = fresh.filter(({ name }) => DEPOSIT_SEEN.includes(name)).map(({ issuer }) => issuer);
      // in one order, so that two batches do not block each other
      for (const issuer of [...new Set(seen)].sort()) {
        if (issuer === null) continue;
        await this.journey.record({ userId, step: 'FD_DETAIL', event: 'COMPLETED', issuer }, manager);
      }
      return fresh;
    });
  }
}
