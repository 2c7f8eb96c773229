import type { TrackInsightsRequest } from '@fd/contracts';
import { INSIGHT_SUBJECTS } from '@fd/contracts';
import { type AppError, type ErrorDefinition, GeneralErrors, InsightErrors } from '@fd/errors';
import { STEPS } from '../steps/journey.table.js';
import { readEvents } from './insight-input.js';

const NOW = new Date('2026-11-21T10:00:00Z');
const ID = '0198c0de-0000-7000-8000-00000000000a';
const event = (more: object = {}) => ({ event_id: ID, event_name: 'PAN_SUBMITTED', ...more });
const read = (request: TrackInsightsRequest) =>
  readEvents(request, { now: NOW, issuerOf: (code) => (code === 'ARAVFIN' ? 'aravalli' : undefined) });

function refusals(request: TrackInsightsRequest): [error: ErrorDefinition, field: string | undefined][] {
  try {
    read(request);
  } catch (error) {
    return (error as AppError).refusals.map((refusal) => [refusal.error, refusal.field]);
  }
  return [];
}

const refusal = (request: TrackInsightsRequest) => refusals(request)[0] ?? [];

describe('reading events', () => {
  it('knows every step of the journey', () => {
    expect([...INSIGHT_SUBJECTS].sort()).toEqual([...STEPS].sort());
  });

  it('accepts only an id and a name', () => {
    expect(read(event())).toEqual([
      { id: ID, name: 'PAN_SUBMITTED', step: null, issuer: null, occurredAt: NOW, properties: {} },
    ]);
  });

  it('accepts all fields', () => {
    const properties = { amount: 50_000.5, payout_frequency: 'Monthly', is_new: true, note: null, $os: 'x' };
    const all = event({
      event_id: ID.toUpperCase(),
      event_name: 'fd_selected',
      step: 'Fd_Detail',
      issuer_code: 'ARAVFIN',
      occurred_at: '2026-11-21T15:00:00+05:30',
      properties,
    });
    expect(read(all)).toEqual([
      {
        id: ID,
        name: 'FD_SELECTED',
        step: 'FD_DETAIL',
        issuer: 'aravalli',
        occurredAt: new Date('2026-11-21T09:30:00Z'),
        properties,
      },
    ]);
  });

  it('accepts a list, and null for absent fields', () => {
    const nothing = { step: null, issuer_code: null, occurred_at: null, properties: null };
    expect(read({ events: [event(nothing), event()] })).toEqual([...read(event()), ...read(event())]);
    expect(read({ ...event(), events: null })).toEqual(read(event()));
  });

  it.each([
    '2026-11-21T10:00:00Z',
    '2026-11-21T10:00Z',
    '2026-11-21T10:00:00.123456+0530',
    '2026-11-22T10:00:00Z',
    '2025-01-01T00:00:00-08:00',
    '2000-01-01T00:00:00Z',
  ])('takes the time %s', (time) => {
    expect(refusal(event({ occurred_at: time }))).toEqual([]);
  });

  const flat = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
  it('accepts 50 events, 20 properties and 500 characters', () => {
    expect(refusal({ events: Array.from({ length: 50 }, () => event()) })).toEqual([]);
    expect(refusal(event({ properties: { ...flat(19), text: 'a'.repeat(500) } }))).toEqual([]);
    expect(refusal(event({ properties: { text: '\u3316'.repeat(83) } }))).toEqual([]);
  });

  it.each([
    ['no id', { event_id: undefined }, 'event_id'],
    ['an id that is no UUID', { event_id: 'x' }, 'event_id'],
    ['an id as a number', { event_id: 1 }, 'event_id'],
    ['no name', { event_name: undefined }, 'event_name'],
    ['an unknown name', { event_name: 'HACKED' }, 'event_name'],
    ['a name as a list', { event_name: ['PAN_SUBMITTED'] }, 'event_name'],
    ['an unknown step', { step: 'MOON' }, 'step'],
    ['an empty step', { step: '' }, 'step'],
    ['an unknown issuer', { issuer_code: 'NOBODY' }, 'issuer_code'],
    ['an issuer as an object', { issuer_code: {} }, 'issuer_code'],
    ['a time without offset', { occurred_at: '2026-11-21T10:00:00' }, 'occurred_at'],
    ['a date alone', { occurred_at: '2026-11-21' }, 'occurred_at'],
    ['a date that does not exist', { occurred_at: '2026-02-30T10:00:00Z' }, 'occurred_at'],
    ['an hour that does not exist', { occurred_at: '2026-11-21T25:00:00Z' }, 'occurred_at'],
    ['a time as a number', { occurred_at: NOW.getTime() }, 'occurred_at'],
    ['more than a day ahead', { occurred_at: '2026-11-22T10:00:01Z' }, 'occurred_at'],
    ['before all of this', { occurred_at: '1999-12-31T23:59:59Z' }, 'occurred_at'],
    ['properties as a list', { properties: [] }, 'properties'],
    ['properties as text', { properties: 'x' }, 'properties'],
    ['21 properties', { properties: flat(21) }, 'properties'],
    ['a property in a property', { properties: { a: { b: 1 } } }, 'properties.a'],
    ['a list in a property', { properties: { a: [1] } }, 'properties.a'],
    ['a long text', { properties: { a: 'a'.repeat(501) } }, 'properties.a'],
    // these characters expand to 6 and to 18
    [
      'a text that is long once it is written out',
      { properties: { a: '\u3316'.repeat(84) } },
      'properties.a',
    ],
    [
      'such a text in percent signs',
      { properties: { a: encodeURIComponent('\ufdfa'.repeat(28)) } },
      'properties.a',
    ],
    ['NUL in a text', { properties: { a: 'a\u0000' } }, 'properties.a'],
    ['half a character', { properties: { a: '\ud800' } }, 'properties.a'],
    ['a number without end', { properties: { a: Infinity } }, 'properties.a'],
    ['an invalid key', { properties: { 'a b': 1 } }, 'properties'],
    ['an empty key', { properties: { '': 1 } }, 'properties'],
    ['a key of 65 characters', { properties: { [`98765 43210${'k'.repeat(54)}`]: 1 } }, 'properties'],
    ['a key of 65 characters', { properties: { ['k'.repeat(65)]: 1 } }, 'properties'],
  ])('refuses %s', (_name, more, field) => {
    expect(refusal(event(more))).toEqual([GeneralErrors.fieldInvalid, field]);
    const later = { events: [event(), event(), event(), event(more)] };
    expect(refusal(later)).toEqual([GeneralErrors.fieldInvalid, `events.3.${field}`]);
  });

  it.each([
    ['no list', 'x', 'events'],
    ['an object', {}, 'events'],
    ['an empty list', [], 'events'],
    ['51 events', Array.from({ length: 51 }, () => event()), 'events'],
    ['null among them', [event(), null], 'events.1'],
    ['a list among them', [[event()]], 'events.0'],
    ['text among them', ['x'], 'events.0'],
  ])('refuses events that are %s', (_name, events, field) => {
    expect(refusal({ events })).toEqual([GeneralErrors.fieldInvalid, field]);
  });

  it('reports the refused fields of all events in their order', () => {
    const events = [
      {},
      event(),
      event({ step: 'x', occurred_at: 'x', properties: { note: '98765 43210' } }),
      null,
    ];
    expect(refusals({ events })).toEqual([
      [GeneralErrors.fieldInvalid, 'events.0.event_id'],
      [GeneralErrors.fieldInvalid, 'events.0.event_name'],
      [GeneralErrors.fieldInvalid, 'events.2.step'],
      [GeneralErrors.fieldInvalid, 'events.2.occurred_at'],
      [InsightErrors.personalDataRefused, 'events.2.properties.note'],
      [GeneralErrors.fieldInvalid, 'events.3'],
    ]);
  });

  it('refuses personal data, and does not repeat a key that may contain it', () => {
    expect(refusal(event({ properties: { note: '98765 43210' } }))).toEqual([
      InsightErrors.personalDataRefused,
      'properties.note',
    ]);
    expect(refusal(event({ properties: { ABCDE1234F: 1 } }))).toEqual([
      InsightErrors.personalDataRefused,
      'properties',
    ]);
    expect(refusal({ events: [event(), event({ properties: { full_name: 'Asha' } })] })).toEqual([
      InsightErrors.personalDataRefused,
      'events.1.properties.full_name',
    ]);
  });
});
