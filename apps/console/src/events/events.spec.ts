import type { DeliveryTry, EventDelivery } from '../shell/sandbox-api.js';
import { readableTime } from '../shell/words.js';
import {
  answerOf,
  arrivalText,
  deliveryText,
  eventIn,
  isPaused,
  isRetried,
  matching,
  partsOf,
} from './events.js';

const AN_EVENT = {
  id: 'e1',
  type: 'bank.registered',
  timestamp: '2026-11-21T12:00:00.000Z',
  data: {
    user_id: 'u1',
    issuer_code: 'ARAVFIN',
    step: 'BANK',
    status: 'DONE',
    reason_code: null,
    link: '/issuer-apis/aravalli/v1/journey',
  },
};

const aTry = (changes: Partial<DeliveryTry> = {}): DeliveryTry => ({
  id: 'a',
  received_at: '2026-11-21T17:30:00.000+05:30',
  event_id: 'e1',
  try_number: 1,
  headers: { 'webhook-id': 'e1', 'webhook-signature': 'v1,AAAA' },
  body: JSON.stringify(AN_EVENT),
  signature_problem: null,
  status: 204,
  waited_ms: null,
  ...changes,
});

const aDelivery = (changes: Partial<EventDelivery> = {}): EventDelivery => ({
  state: 'DELIVERED',
  failures: 0,
  last_answer: '204',
  next_try_at: null,
  ...changes,
});

describe('events of the sample partner', () => {
  it('finds the event in the body of a delivery', () => {
    expect(eventIn(JSON.stringify(AN_EVENT))).toEqual(AN_EVENT);
  });

  it.each(['', '{', 'null', '[]', '7', '{"type":"x"}', '{"type":"x","data":null}', '{"type":1,"data":{}}'])(
    'finds no event in %j',
    (body) => {
      expect(eventIn(body)).toBeUndefined();
    },
  );

  it('lists what an event is about, without what it lacks', () => {
    expect(partsOf(AN_EVENT)).toEqual([
      ['User', 'u1'],
      ['Issuer', 'ARAVFIN'],
      ['Step', 'BANK'],
      ['Status', 'DONE'],
    ]);
  });

  it.each([
    [{ status: 204 }, '204', 'good'],
    [{ status: 500 }, '500', 'bad'],
    [{ status: null, waited_ms: null }, 'hangs', 'warn'],
    [{ status: null, waited_ms: 10_012 }, 'no answer in 10 seconds', 'bad'],
    [{ status: null, waited_ms: 900 }, 'no answer in 1 second', 'bad'],
  ])('shows the answer %j as %s, %s', (changes, text, kind) => {
    expect(answerOf(aTry(changes))).toEqual({ text, kind });
  });

  it.each([
    ['', 'a b c'],
    ['bank.registered', 'a b'],
    ['ARAVFIN 500', 'b'],
    ['e2', 'c'],
    ['not verified', 'c'],
    ['no signature', 'c'],
    ['nowhere', ''],
  ])('finds by the search "%s": %s', (search, found) => {
    const tries = [
      aTry(),
      aTry({ id: 'b', status: 500 }),
      aTry({ id: 'c', headers: { 'webhook-id': 'e2' }, body: '{}', signature_problem: 'No signature fits.' }),
    ];
    const ids = matching(tries, search).map(({ id }) => id);
    expect(ids.join(' ')).toBe(found);
  });

  it('announces how many deliveries are new', () => {
    const [a, b, c] = [aTry(), aTry({ id: 'b' }), aTry({ id: 'c', body: '{' })];
    expect(arrivalText([], undefined)).toBe('');
    expect(arrivalText([a], 'a')).toBe('');
    expect(arrivalText([a], undefined)).toBe('New delivery: bank.registered');
    expect(arrivalText([b, a], 'a')).toBe('New delivery: bank.registered');
    expect(arrivalText([c, b, a], 'a')).toBe('2 new deliveries, the latest: unreadable');
    // the last known one was dropped
    expect(arrivalText([c, b], 'a')).toBe('2 new deliveries, the latest: unreadable');
  });

  it.each([
    [{}, 'latest answer: 204'],
    [{ state: 'WAITING', last_answer: null }, ''],
    [{ failures: 1, last_answer: 'NO_ANSWER_IN_TIME' }, '1 failed try, latest answer: No answer in time'],
    [{ state: 'PARKED', failures: 9, last_answer: '500' }, '9 failed tries, latest answer: 500'],
  ] as const)('says of a delivery %j: %s', (changes, text) => {
    expect(deliveryText(aDelivery(changes))).toBe(text);
  });

  it('says when a failed delivery is tried again', () => {
    const next = '2026-11-21T12:05:00.000Z';
    const waiting = aDelivery({ state: 'WAITING', failures: 2, last_answer: '500', next_try_at: next });
    expect(deliveryText(waiting)).toBe(`2 failed tries, latest answer: 500, next try: ${readableTime(next)}`);
    expect([waiting, aDelivery({ failures: 2 }), aDelivery({ state: 'WAITING' })].map(isRetried)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('counts deliveries as paused as long as the latest answer was 410', () => {
    expect([[], [aTry()], [aTry({ status: 410 })], [aTry(), aTry({ status: 410 })]].map(isPaused)).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });
});
