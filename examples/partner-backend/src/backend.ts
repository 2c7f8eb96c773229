import { createServer, type IncomingMessage } from 'node:http';
import { EventVerificationError, verifyEvent } from '@fd/client/server';
import type { Inbox } from './inbox.js';
import type { Worker } from './worker.js';

/** An event has less than 1 KiB. */
const MOST_BYTES = 65_536;

export interface Options {
  /** `whsec_...` or `whpk_...`; two while one replaces the other. */
  readonly secrets: readonly string[];
  readonly inbox: Inbox;
  readonly worker: Worker;
  readonly log: (text: string) => void;
}

/** Answers deliveries of events at `/events`. */
export function createBackend({ secrets, inbox, worker, log }: Options) {
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

  return createServer({ requestTimeout: 10_000 }, (request, response) => {
    void receive(request).then((status) => {
      response.writeHead(status).end();
      if (status === 204) worker.wake();
    });
  });
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
