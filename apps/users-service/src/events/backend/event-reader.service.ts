import { Injectable } from '@nestjs/common';
import type { PartnerEventPayload, PartnerEventsPayload, ReplayedEventPayload } from '@fd/contracts';
import { EventErrors, GeneralErrors } from '@fd/errors';
import { EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { JourneyConfig } from '../../config/index.js';
import { EventLog, replayEvent } from '../outbox/event-log.repository.js';
import { viewOf } from '../outbox/event-view.js';
import type { EventState, PartnerEvent } from '../outbox/partner-event.entity.js';

const PAGE = 100;

const SHOWN_STATES: Readonly<Record<Exclude<EventState, 'ERASED'>, 'WAITING' | 'DELIVERED' | 'PARKED'>> = {
  DUE: 'WAITING',
  DELIVERED: 'DELIVERED',
  PARKED: 'PARKED',
};

@Injectable()
export class EventReader {
  constructor(
    private readonly log: EventLog,
    private readonly config: JourneyConfig,
    private readonly manager: EntityManager,
  ) {}

  /** @throws EventErrors.cursorUnknown */
  async list(partnerId: string, after: unknown, limit = PAGE): Promise<PartnerEventsPayload> {
    const position = after === undefined ? '0' : await this.positionOf(partnerId, after);
    const events = await this.log.listAfter(partnerId, position, limit + 1);
    return {
      events: events.slice(0, limit).map((event) => viewOf(event, this.config.issuers)),
      has_more: events.length > limit,
    };
  }

  /** @throws GeneralErrors.recordUnknown */
  async show(partnerId: string, id: string): Promise<PartnerEventPayload> {
    const event = await this.find(partnerId, id);
    const { state, tries, lastTriedAt, lastAnswer, nextTryAt } = event;
    return {
      event: viewOf(event, this.config.issuers),
      delivery: {
        state: SHOWN_STATES[state],
        failures: tries,
        last_tried_at: lastTriedAt?.toISOString() ?? null,
        last_answer: lastAnswer,
        next_try_at: state === 'DUE' ? nextTryAt.toISOString() : null,
      },
    };
  }

  /** @throws GeneralErrors.recordUnknown */
  async replay(partnerId: string, id: string): Promise<ReplayedEventPayload> {
    const event = await this.find(partnerId, id);
    return { is_replayed: await replayEvent(this.manager, event.id) };
  }

  /** An event of the partner that it may see: one with a place in its order, of a person who is not erased. */
  private async find(
    partnerId: string,
    id: string,
  ): Promise<PartnerEvent & { state: Exclude<EventState, 'ERASED'> }> {
    const event = isUuid(id) ? await this.log.find(partnerId, id) : null;
    if (!event || event.position === null || event.state === 'ERASED') throw GeneralErrors.recordUnknown();
    return event as PartnerEvent & { state: Exclude<EventState, 'ERASED'> };
  }

  private async positionOf(partnerId: string, after: unknown): Promise<string> {
    const read = typeof after === 'string' && isUuid(after) ? await this.log.find(partnerId, after) : null;
    if (!read?.position) throw EventErrors.cursorUnknown();
    return read.position;
  }
}
