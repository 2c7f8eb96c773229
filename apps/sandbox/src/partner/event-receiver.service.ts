import { Injectable, type RawBodyRequest } from '@nestjs/common';
import type { Request, Response } from 'express';
import { v7 as uuidv7 } from 'uuid';
import { BoundedMap } from '../http/bounded-map.js';
import { SilentCalls } from '../http/silent-calls.service.js';
import { BackendSecrets } from './backend-secrets.js';
import { signatureProblem } from './delivery-signature.js';

/** Maximum of stored tries; the oldest are dropped first. */
export const TRIES_CAPACITY = 300;

/** Maximum of stored characters of a body. */
const BODY_CHARACTERS = 16 * 1024;

/** What the backend can be told to do with verified deliveries, and the status of its answer. */
const ANSWERS = { accept: 204, fail: 500, hang: null, gone: 410 } as const;
export type Behaviour = keyof typeof ANSWERS;
export const BEHAVIOURS = Object.keys(ANSWERS) as readonly Behaviour[];

/** A partner's backend must not act on a delivery that anybody may have sent. */
const UNVERIFIED = 400;

/** A try to deliver an event. */
export interface DeliveryTry {
  /** UUIDv7, in the order of arrival. */
  readonly id: string;
  /** By the machine's clock, as the time in the headers. */
  readonly receivedAt: Date;
  /** The same in each try for an event; null without the header. */
  readonly eventId: string | null;
  /** 1 for the first known try for the event. */
  readonly number: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Why the signature is not verified; null if it is. */
  readonly problem: string | null;
  /** Status of the answer; null: none. */
  readonly status: number | null;
  /** How long the sender has waited for a missing answer; null while it waits. */
  waitedMs: number | null;
}

/** The backend of the sample partner as a receiver of events. */
@Injectable()
export class EventReceiver {
  behaviour: Behaviour = 'accept';
  private readonly tries = new BoundedMap<string, DeliveryTry>(TRIES_CAPACITY);
  private readonly held = new Set<Response>();

  constructor(
    private readonly secrets: BackendSecrets,
    private readonly silentCalls: SilentCalls,
  ) {}

  /** Newest first. */
  list(): DeliveryTry[] {
    return [...this.tries.values()].reverse();
  }

  /** Number of the known tries for an event. */
  triesOf(eventId: string | null): number {
    return [...this.tries.values()].filter((one) => one.eventId === eventId).length;
  }

  /** Cuts the deliveries that hang, as a restart does. */
  behaveAs(behaviour: Behaviour): void {
    this.behaviour = behaviour;
    for (const response of this.held) response.destroy();
  }

  receive({ headers: given, rawBody = Buffer.alloc(0) }: RawBodyRequest<Request>, response: Response): void {
    const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
    const receivedAt = new Date();
    const problem = this.problemOf(headers, rawBody, receivedAt);
    const status = problem === null ? ANSWERS[this.behaviour] : UNVERIFIED;
    const eventId = headers['webhook-id'] ?? null;
    const received: DeliveryTry = {
      ...{ id: uuidv7(), receivedAt, eventId, number: this.triesOf(eventId) + 1 },
      ...{ headers, body: rawBody.toString().slice(0, BODY_CHARACTERS), problem, status, waitedMs: null },
    };
    this.tries.set(received.id, received);
    if (status === null) this.hang(response, received);
    else response.status(status).end();
  }

  private problemOf(headers: Readonly<Record<string, string>>, body: Buffer, at: Date): string | null {
    const secret = this.secrets.read()?.secret;
    if (secret === undefined) return 'The sandbox has no secret to check it with.';
    return signatureProblem(secret, { headers, body }, at.getTime() / 1_000);
  }

  private hang(response: Response, received: DeliveryTry): void {
    const begunAt = performance.now();
    this.held.add(response);
    response.once('close', () => {
      this.held.delete(response);
      received.waitedMs = Math.round(performance.now() - begunAt);
    });
    this.silentCalls.hold(response);
  }
}
