import { createServer, type IncomingMessage } from 'node:http';
import { EventVerificationError, type PartnerEvent, verifyEvent } from '@fd/client/server';
import type { Inbox } from './inbox.js';

export interface Options {
  /** `whsec_...` or `whpk_...`; two while one replaces the other. */
  readonly secrets: readonly string[];
  /** Base URL of users-service, and the key of this backend. */
  readonly usersUrl: string;
  readonly key: string;
  readonly inbox: Inbox;
  /** What an event makes this partner do. After a failure it is called again, before the work of later events. */
  readonly work: (event: PartnerEvent) => Promise<void>;
  readonly log: (text: string) => void;
  /** Pause after a failure. Defaults to 5 seconds. */
  readonly retryMs?: number;
}

/** An event has less than 1 KiB. */
const MOST_BYTES = 65_536;

/** The service no longer keeps the event of `after`. */
const CURSOR_UNKNOWN = 'SVCUSER2922';

/** Answers deliveries of events, and fetches those that it missed. */
export function createBackend({ secrets, usersUrl, key, inbox, work, log, retryMs = 5_000 }: Options) {
  let worker = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;

  /** Works on one event at a time, since those of a user depend on each other. */
  async function workOff(): Promise<void> {
    for (let event = inbox.waiting[0]; event; event = inbox.waiting[0]) {
      await work(event);
      inbox.finish(event);
    }
  }
  function wakeWorker(): void {
    worker = worker.then(workOff).catch((error: unknown) => {
      log(`will try again: ${String(error)}`);
      clearTimeout(retry);
      retry = setTimeout(wakeWorker, retryMs).unref();
    });
  }

  /** Returns the HTTP status. Only 2xx ends the deliveries of an event, so it is stored before. */
  async function receive(request: IncomingMessage): Promise<number> {
    if (request.method !== 'POST' || request.url !== '/events') return 404;
    try {
      const body = await bodyOf(request);
      if (!body) return 413;
      inbox.add(verifyEvent({ body, headers: request.headers, secrets }));
      return 204;
    } catch (error) {
      log(`refused a delivery: ${String(error)}`);
      return error instanceof EventVerificationError ? 400 : 500;
    }
  }

  /** Fetches what the service keeps since the last time. Call it at the start, and from time to time. */
  async function catchUp(): Promise<void> {
    let after = inbox.lastPulled;
    for (let hasMore = true; hasMore;) {
      const answer = await fetch(`${usersUrl}/partner/v1/events?limit=100${after ? `&after=${after}` : ''}`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(10_000),
      });
      if (after && answer.status === 400 && (await codeOf(answer)) === CURSOR_UNKNOWN) {
        // older than 30 days, perhaps because nothing has happened since: what is kept is newer
        after = undefined;
        continue;
      }
      if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
      const { payload } = (await answer.json()) as { payload: { events: PartnerEvent[]; has_more: boolean } };
      inbox.addPulled(payload.events);
      after = payload.events.at(-1)?.id ?? after;
      hasMore = payload.has_more;
    }
    wakeWorker();
  }

  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    void receive(request).then((status) => {
      response.writeHead(status).end();
      if (status === 204) wakeWorker();
    });
  });
  return { server, catchUp };
}

/** The code of a refusal. */
async function codeOf(answer: Response): Promise<string | undefined> {
  const { error } = (await answer.json()) as { error: readonly { readonly errorCode: string }[] };
  return error[0]?.errorCode;
}

/** The raw body, which the signature covers; undefined if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length <= MOST_BYTES) parts.push(part);
  }
  return length <= MOST_BYTES ? Buffer.concat(parts) : undefined;
}
