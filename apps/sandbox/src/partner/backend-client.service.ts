import { Inject, Injectable } from '@nestjs/common';
import type {
  PartnerEventPayload,
  PartnerEventsPayload,
  PartnerEventView,
  ReplayedEventPayload,
} from '@fd/contracts';
import { SANDBOX_CONFIG, type SandboxConfig } from '../config/sandbox-config.js';
import { BoundedMap } from '../http/bounded-map.js';
import { BackendSecrets } from './backend-secrets.js';
import { EventReceiver } from './event-receiver.service.js';

/** Number of the newest events that are kept. */
export const EVENTS_KEPT = 20;

const LIMIT_MS = 4_000;

/** Why users-service did not answer with a success. */
export class BackendProblem extends Error {
  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}

/** The backend of the sample partner as a client of users-service, with its key, which a browser must not have. */
@Injectable()
export class BackendClient {
  private readonly newest = new BoundedMap<string, PartnerEventView>(EVENTS_KEPT);
  /** Id of the last event that was read. */
  private cursor: string | undefined;
  /** Events that are not sent until they are replayed, with the number of their tries then: a further one shows a replay. */
  private readonly settled = new BoundedMap<string, { payload: PartnerEventPayload; tries: number }>(
    EVENTS_KEPT,
  );
  private reading: Promise<PartnerEventPayload[]> | undefined;

  constructor(
    @Inject(SANDBOX_CONFIG) private readonly config: SandboxConfig,
    private readonly secrets: BackendSecrets,
    private readonly receiver: EventReceiver,
  ) {}

  /**
   * The newest events with their deliveries, newest first. Callers at the same time share one round of calls.
   * @throws BackendProblem
   */
  async list(): Promise<PartnerEventPayload[]> {
    this.reading ??= this.readAll().finally(() => (this.reading = undefined));
    return this.reading;
  }

  /**
   * @returns whether the event is delivered again; false while its delivery is still tried
   * @throws BackendProblem
   */
  async replay(id: string): Promise<boolean> {
    const path = `/${encodeURIComponent(id)}/replay`;
    const { is_replayed: isReplayed } = await this.call<ReplayedEventPayload>(path, 'POST');
    this.settled.delete(id);
    return isReplayed;
  }

  private async readAll(): Promise<PartnerEventPayload[]> {
    await this.readOn();
    const all: PartnerEventPayload[] = [];
    for (const id of [...this.newest.keys()]) {
      const payload = await this.show(id);
      if (payload) all.push(payload);
      else this.newest.delete(id);
    }
    return all.reverse();
  }

  /** Reads the events after the last known one, as a backend does that was down. */
  private async readOn(): Promise<void> {
    for (;;) {
      const query = this.cursor === undefined ? '' : `?after=${this.cursor}`;
      try {
        const { events, has_more: hasMore } = await this.call<PartnerEventsPayload>(query);
        for (const event of events) this.newest.set(event.id, event);
        this.cursor = events.at(-1)?.id ?? this.cursor;
        if (!hasMore) return;
      } catch (error) {
        const isCursorUnknown = (error as BackendProblem).status === 400 && this.cursor !== undefined;
        if (!isCursorUnknown) throw error;
        // it is older than 30 days, or of another database
        this.cursor = undefined;
        this.newest.clear();
      }
    }
  }

  /** @returns undefined for an event of a person who was erased meanwhile */
  private async show(id: string): Promise<PartnerEventPayload | undefined> {
    const tries = this.receiver.triesOf(id);
    const known = this.settled.get(id);
    if (known?.tries === tries) return known.payload;
    try {
      const payload = await this.call<PartnerEventPayload>(`/${id}`);
      if (payload.delivery.state === 'WAITING') this.settled.delete(id);
      else this.settled.set(id, { payload, tries });
      return payload;
    } catch (error) {
      if ((error as BackendProblem).status === 404) return undefined;
      throw error;
    }
  }

  private async call<Payload>(path: string, method = 'GET'): Promise<Payload> {
    const key = this.secrets.read()?.key;
    if (key === undefined) throw new BackendProblem('The sandbox has no key of the backend.');
    const response = await fetch(`${this.config.console.users}/partner/v1/events${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(LIMIT_MS),
    }).catch(() => {
      throw new BackendProblem('users-service does not answer.');
    });
    const { status } = response;
    if (!response.ok) throw new BackendProblem(`users-service answers ${status}.`, status);
    return ((await response.json()) as { payload: Payload }).payload;
  }
}
