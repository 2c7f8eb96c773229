import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { isUint8Array } from 'node:util/types';

/** The types of events that the services send today. */
export type PartnerEventType =
  | 'journey.step.completed'
  | 'journey.step.failed'
  | 'journey.step.reopened'
  | 'pan.verified'
  | 'pan.refused'
  | 'pan.released'
  | 'ekyc.verified'
  | 'ekyc.failed'
  | 'ekyc.expired'
  | 'bank.verified'
  | 'bank.refused'
  | 'bank.review_started'
  | 'bank.review_decided'
  | 'bank.registered'
  | 'nominee.changed'
  | 'consent.given'
  | 'consent.withdrawn'
  | 'application.ready'
  | 'user.blocked'
  | 'user.erased';

/** Something that happened to a user of the partner. It has no personal data: `link` leads to more. */
export interface PartnerEvent {
  /** UUID, the same in each delivery and in `GET /partner/v1/events`. */
  readonly id: string;
  /** A later release of the services may send types that this version does not know: accept and ignore them. */
  readonly type: PartnerEventType | (string & Record<never, never>);
  /** When it happened, in ISO 8601. The delivery may be later. */
  readonly timestamp: string;
  readonly data: {
    readonly user_id: string;
    readonly issuer_code: string | null;
    readonly step: string | null;
    readonly status: string | null;
    readonly reason_code: string | null;
    /** Path of the call that tells more. */
    readonly link: string | null;
  };
}

/** Why a delivery is refused. `stale` may be a wrong clock of the receiver, `no-matching-signature` a wrong secret. */
export type EventRefusal =
  | 'missing-header'
  | 'malformed-header'
  | 'stale'
  | 'no-matching-signature'
  | 'malformed-body'
  | 'id-differs'
  | 'repeated';

/** Thrown when a delivery is not a genuine, recent and new event. Its texts contain nothing of the delivery and no secret. */
export class EventVerificationError extends Error {
  readonly reason: EventRefusal;

  constructor(reason: EventRefusal, message: string) {
    super(message);
    this.name = 'EventVerificationError';
    this.reason = reason;
  }
}

/** The headers of a request: the Fetch API's `Headers`, or a record such as Node's `request.headers`. */
export type EventHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface EventDelivery {
  /** The body as received. A body that was parsed and serialised again has other bytes. */
  readonly body: string | Uint8Array;
  readonly headers: EventHeaders;
  /** `whsec_...` and `whpk_...`; one of them must match. Both secrets while one replaces the other. */
  readonly secrets: string | readonly string[];
  /** Greatest difference between the time of the delivery and `now` in seconds. Defaults to 300. */
  readonly toleranceSeconds?: number;
  /** Defaults to the time of this machine. */
  readonly now?: Date;
  /**
   * Whether you have the event of this id, whose delivery is then refused as `repeated`: sent again by us, because your answer was
   * lost, or by a stranger who recorded it. Asked about signed ids only. Answer 2xx, or we send it again.
   */
  readonly isKnown?: (id: string) => boolean;
}

/**
 * Returns the event of a delivery that one of SECRETS has signed (Standard Webhooks, `v1` and `v1a`). Without
 * `isKnown` a repeated delivery is returned too: compare `id` with those that you have had.
 * @throws EventVerificationError for every other delivery
 * @throws TypeError for a malformed secret, tolerance, or a body that is not raw
 */
export function verifyEvent(delivery: EventDelivery): PartnerEvent {
  const { body, headers, secrets, toleranceSeconds = 300, now = new Date(), isKnown } = delivery;
  if (typeof body !== 'string' && !isUint8Array(body))
    throw new TypeError('body must be the raw body, a string or bytes: verify before a framework parses it');
  if (!(toleranceSeconds >= 0 && toleranceSeconds < Infinity))
    throw new TypeError('toleranceSeconds must be a number of seconds');
  const checks = checksOf([secrets].flat());

  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!/^[0-9]{1,15}$/.test(timestamp))
    throw new EventVerificationError('malformed-header', 'webhook-timestamp is not a number of seconds');
  if (signatures.length > MOST_SIGNATURES)
    throw new EventVerificationError('malformed-header', 'webhook-signature has too many signatures');
  // written so that an invalid date of `now` refuses
  if (!(Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= toleranceSeconds))
    throw new EventVerificationError(
      'stale',
      'the delivery is too old or too new: repeated, or a clock is wrong',
    );

  const bytes = Buffer.from(body);
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), bytes]);
  if (!checks.some((check) => check(content, signatures)))
    throw new EventVerificationError(
      'no-matching-signature',
      'no secret matches a signature of the delivery',
    );

  const event = eventOf(bytes);
  if (event.id !== id)
    throw new EventVerificationError('id-differs', 'webhook-id is not the id of the event');
  if (isKnown?.(id)) throw new EventVerificationError('repeated', 'the event was delivered before');
  return event;
}

/** A delivery has up to four. Each one that a stranger adds costs a verification. */
const MOST_SIGNATURES = 16;

/** Whether one of SIGNATURES, entries of `webhook-signature`, is that of CONTENT. */
type Check = (content: Uint8Array, signatures: readonly string[]) => boolean;

function checksOf(secrets: readonly string[]): readonly Check[] {
  if (secrets.length === 0) throw new TypeError('secrets is empty');
  return secrets.map((secret, index) => {
    const [, prefix, text = ''] = /^(whsec_|whpk_)(.*)$/s.exec(secret) ?? [];
    const key = bytesOf(text);
    // the lengths that Standard Webhooks allows
    if (prefix === 'whsec_' && key && key.length >= 24 && key.length <= 64) return hmacCheck(key);
    if (prefix === 'whpk_' && key?.length === 32) return ed25519Check(key);
    // never the secret itself: errors are logged
    throw new TypeError(`secrets[${index}] is neither whsec_ nor whpk_ with a key in base64`);
  });
}

function hmacCheck(key: Uint8Array): Check {
  return (content, signatures) => {
    const expected = Buffer.from(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);
    return signatures.some((signature) => {
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  };
}

function ed25519Check(rawKey: Buffer): Check {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: rawKey.toString('base64url') };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return (content, signatures) =>
    signatures.some((signature) => {
      const given = signature.startsWith('v1a,') ? bytesOf(signature.slice(4)) : undefined;
      return given !== undefined && verify(null, content, key, given);
    });
}

/** Decodes canonical base64; undefined for any other text. */
function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

function headerOf(headers: EventHeaders, name: string): string {
  const values = isFetchHeaders(headers)
    ? [headers.get(name)]
    : Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? value : undefined));
  const [value, ...others] = values.filter((one) => typeof one === 'string');
  if (!value) throw new EventVerificationError('missing-header', `${name} is missing`);
  if (others.length > 0) throw new EventVerificationError('malformed-header', `${name} is sent twice`);
  return value;
}

const isFetchHeaders = (headers: EventHeaders): headers is { get(name: string): string | null } =>
  typeof headers['get'] === 'function';

/** Parses the verified bytes, not the string: a lone surrogate has the same bytes as U+FFFD. */
function eventOf(bytes: Uint8Array): PartnerEvent {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new EventVerificationError('malformed-body', 'the body is not JSON');
  }
  if (!isEvent(event)) throw new EventVerificationError('malformed-body', 'the body is not an event');
  return event;
}

function isEvent(value: unknown): value is PartnerEvent {
  if (!isObject(value) || !isObject(value['data'])) return false;
  const texts = [value['id'], value['type'], value['timestamp'], value['data']['user_id']];
  return texts.every((text) => typeof text === 'string');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The code of a refusal: the service no longer keeps the event of `after`. */
const CURSOR_UNKNOWN = 'SVCUSER2922';

/** Time limit of a page. */
const PAGE_TIMEOUT_MS = 10_000;

export interface MissedEventsOptions {
  /** Address of users-service. */
  readonly usersUrl: string;
  /** Key of your backend, `fdb_...`. */
  readonly key: string;
  /** Id of the last event that you fetched. One that was delivered may be later than others that were not. */
  readonly after?: string | undefined;
}

/**
 * Yields the events that the service keeps (30 days), in order: those after `after`, or all of them without it or if the service no
 * longer keeps that event. Delivered events are among them: compare `id` with those that you have had. Fetches 100 at a time, the next
 * ones when they are needed.
 * @throws Error for any other refusal, and without an answer in 10 seconds. Continue later, after the last event that you took.
 */
export async function* missedEvents(options: MissedEventsOptions): AsyncGenerator<PartnerEvent, void> {
  const url = `${options.usersUrl.replace(/\/$/, '')}/partner/v1/events?limit=100`;
  for (let { after } = options, hasMore = true; hasMore;) {
    const answer = await fetch(after ? `${url}&after=${encodeURIComponent(after)}` : url, {
      headers: { authorization: `Bearer ${options.key}` },
      signal: AbortSignal.timeout(PAGE_TIMEOUT_MS),
    });
    const code = answer.ok ? undefined : await codeOf(answer);
    if (after && code === CURSOR_UNKNOWN) {
      // older than 30 days, perhaps because nothing has happened since: all kept events are newer
      after = undefined;
      continue;
    }
    if (!answer.ok) throw new Error(`the service answered ${answer.status}${code ? ` ${code}` : ''}`);
    const { payload } = (await answer.json()) as { payload: { events: PartnerEvent[]; has_more: boolean } };
    yield* payload.events;
    after = payload.events.at(-1)?.id ?? after;
    hasMore = payload.has_more;
  }
}

/** The code of a refusal; undefined if it is not one of the service, but of a gateway. */
async function codeOf(answer: Response): Promise<string | undefined> {
  const body: unknown = await answer.json().catch(() => undefined);
  const [first] = isObject(body) && Array.isArray(body['error']) ? (body['error'] as unknown[]) : [];
  return isObject(first) && typeof first['errorCode'] === 'string' ? first['errorCode'] : undefined;
}
