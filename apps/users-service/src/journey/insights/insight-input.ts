import {
  INSIGHT_EVENTS,
  INSIGHT_SUBJECTS,
  type InsightEventInput,
  type InsightEventName,
  type InsightSubject,
  isCalendarDate,
  isRecord,
  MAX_EVENTS,
  MAX_PROPERTIES,
  type TrackInsightsRequest,
} from '@fd/contracts';
import { type AppError, GeneralErrors, InsightErrors, readAll, readEach } from '@fd/errors';
import { validate as isUuid } from 'uuid';
import { looksPersonal, plainText, type PropertyValue } from './personal-data.js';

export interface InsightEvent {
  /** Lower case. */
  readonly id: string;
  readonly name: InsightEventName;
  readonly step: InsightSubject | null;
  /** Slug. */
  readonly issuer: string | null;
  readonly occurredAt: Date;
  readonly properties: Readonly<Record<string, PropertyValue>>;
}

interface InsightRules {
  readonly now: Date;
  /** Slug of a known code. */
  readonly issuerOf: (code: string) => string | undefined;
}

/** What a batch takes of the user's day. */
export interface BatchSize {
  /** A repeated event counts once. */
  readonly events: number;
  /** Of all properties, as JSON in UTF-8: those of a repeated event are searched, too. */
  readonly bytes: number;
}

/** Limits for reported times: clocks of phones may be wrong, and phones that were offline report late. */
const MAX_AHEAD_MS = 86_400_000;
const EARLIEST_MS = Date.UTC(2000);

const MAX_KEY_LENGTH = 64;
const PROPERTY_KEY = /^[A-Za-z_$][A-Za-z0-9_.$-]*$/;
const TIME =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})$/i;

/**
 * Reads one event, or the list of them.
 * @throws AppError with the refusals of all fields: InsightErrors.personalDataRefused, GeneralErrors.fieldInvalid
 */
export function readEvents(request: TrackInsightsRequest, rules: InsightRules): InsightEvent[] {
  const events = listIn(request);
  if (!events) return [readEvent(request, '', rules)];
  return readEach(events, (input, index) => {
    const field = `events.${index}`;
    if (!isRecord(input)) throw fault(field);
    return readEvent(input, `${field}.`, rules);
  });
}

/**
 * The size of a batch before it is read.
 * @throws GeneralErrors.fieldInvalid for a list whose events are not read
 */
export function sizeOf(request: TrackInsightsRequest): BatchSize {
  const given: InsightEventInput[] = listIn(request)?.filter(isRecord) ?? [request];
  const keys = given.map(({ event_id: id }, index) => (typeof id === 'string' ? id.toLowerCase() : index));
  const bytes = given.map(({ properties }) => Buffer.byteLength(JSON.stringify(properties ?? {})));
  return { events: new Set(keys).size, bytes: bytes.reduce((sum, size) => sum + size, 0) };
}

/** The list of events, or undefined for one event. */
function listIn({ events }: TrackInsightsRequest): readonly unknown[] | undefined {
  if (events === undefined || events === null) return undefined;
  if (!Array.isArray(events) || events.length === 0 || events.length > MAX_EVENTS) throw fault('events');
  return events as readonly unknown[];
}

function readEvent(input: InsightEventInput, path: string, { now, issuerOf }: InsightRules): InsightEvent {
  const check = <T>(field: keyof InsightEventInput, value: T | undefined): T => {
    if (value === undefined) throw fault(path + field);
    return value;
  };
  const optional = <T>(field: keyof InsightEventInput, read: (value: unknown) => T | undefined): T | null => {
    const value = input[field] ?? null;
    return value === null ? null : check(field, read(value));
  };
  return readAll<InsightEvent>({
    id: () => check('event_id', isUuid(input.event_id) ? String(input.event_id).toLowerCase() : undefined),
    name: () => check('event_name', tokenOf(INSIGHT_EVENTS, input.event_name)),
    step: () => optional('step', (value) => tokenOf(INSIGHT_SUBJECTS, value)),
    issuer: () =>
      optional('issuer_code', (value) => (typeof value === 'string' ? issuerOf(value) : undefined)),
    occurredAt: () => optional('occurred_at', (value) => timeOf(value, now)) ?? now,
    properties: () => optional('properties', (value) => propertiesOf(value, `${path}properties`)) ?? {},
  });
}

const fault = (field: string): AppError => GeneralErrors.fieldInvalid({ field });

function tokenOf<T extends string>(known: readonly T[], value: unknown): T | undefined {
  if (typeof value !== 'string' || value.length > 100) return undefined;
  const token = value.toUpperCase();
  return known.find((one) => one === token);
}

function timeOf(value: unknown, now: Date): Date | undefined {
  const match = typeof value === 'string' && value.length <= 40 ? TIME.exec(value) : null;
  if (!match || !isCalendarDate(match[1])) return undefined;
  const time = new Date(match[0]);
  const ms = time.getTime();
  return ms >= EARLIEST_MS && ms <= now.getTime() + MAX_AHEAD_MS ? time : undefined;
}

function propertiesOf(value: unknown, field: string): Record<string, PropertyValue> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length > MAX_PROPERTIES) return undefined;
  for (const [key, property] of entries) {
    // an answer does not repeat a key that may be personal or is malformed
    if (key.length > MAX_KEY_LENGTH) throw fault(field);
    if (looksPersonal(key, null)) throw InsightErrors.personalDataRefused({ field });
    if (!PROPERTY_KEY.test(key)) throw fault(field);
    if (!isPropertyValue(property)) throw fault(`${field}.${key}`);
    if (looksPersonal(key, property)) throw InsightErrors.personalDataRefused({ field: `${field}.${key}` });
  }
  return value as Record<string, PropertyValue>;
}

function isPropertyValue(value: unknown): value is PropertyValue {
  if (typeof value === 'string') {
    // PostgreSQL stores neither NUL nor lone surrogates
    return plainText(value) !== undefined && !value.includes('\0') && !/\p{Surrogate}/u.test(value);
  }
  return value === null || typeof value === 'boolean' || Number.isFinite(value);
}
