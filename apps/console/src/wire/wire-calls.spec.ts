import type { WireCall } from '../shell/sandbox-api.js';
import { incrementally, isSuccess, KEPT_CALLS, matching, providersOf, readableBody } from './wire-calls.js';

const aCall = (changes: Partial<WireCall> = {}): WireCall => ({
  id: 'a',
  at: '2025-11-21T12:30:00.000+05:30',
  kind: 'call',
  provider: 'msg91',
  method: 'POST',
  path: '/vendors/msg91/api/v5/flow',
  status: 200,
  duration_ms: 12,
  request_headers: { authkey: '***' },
  request_body: '{"template_id":"f1"}',
  response_body: '{"type":"success"}',
  ...changes,
});
const { signal } = new AbortController();

describe('calls on the wire', () => {
  it('asks only for calls that are new, and keeps the newest', async () => {
    const asked: (string | undefined)[] = [];
    const answers = [['b', 'a'], [], ['c'], Array.from({ length: KEPT_CALLS }, (_, n) => `d${n}`)];
    const load = incrementally((after) => {
      asked.push(after);
      return Promise.resolve(answers.shift()!.map((id) => aCall({ id })));
    });
    const first = await load(signal);
    expect(await load(signal)).toBe(first);
    expect((await load(signal)).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
    const last = await load(signal);
    expect([last.length, last[0]!.id, last.at(-1)!.id]).toEqual([KEPT_CALLS, 'd0', `d${KEPT_CALLS - 1}`]);
    expect(asked).toEqual([undefined, 'b', 'b', 'c']);
  });

  it('loses no call when a request fails', async () => {
    const answers = [() => Promise.resolve([aCall({ id: 'a' })]), () => Promise.reject(new Error('away'))];
    const load = incrementally(
      (after) => answers.shift()?.() ?? Promise.resolve([aCall({ id: `${after}+` })]),
    );
    await load(signal);
    await expect(load(signal)).rejects.toThrow('away');
    expect((await load(signal)).map(({ id }) => id)).toEqual(['a+', 'a']);
  });

  it.each([
    [200, true],
    [202, true],
    [404, false],
    [503, false],
    [null, false],
  ])('counts status %s as a success: %s', (status, isGood) => {
    expect(isSuccess(aCall({ status }))).toBe(isGood);
  });

  it.each([
    ['', '', 'msg91 setu cashfree'],
    ['setu', '', 'setu'],
    ['', 'FLOW success', 'msg91'],
    ['', 'no answer', 'setu'],
    ['', '409', 'cashfree'],
    ['', 'webhook', 'cashfree'],
    ['', 'x-api-version: 2024', 'setu'],
    ['cashfree', 'f1', ''],
    ['', 'f1 nowhere', ''],
  ])('finds by provider "%s" and search "%s": %s', (provider, search, found) => {
    const calls = [
      aCall(),
      aCall({
        provider: 'setu',
        path: '/ban',
        status: null,
        request_headers: { 'x-api-version': '2024-12-01' },
        request_body: '{}',
        response_body: '',
      }),
      aCall({
        provider: 'cashfree',
        path: '/hook',
        kind: 'webhook',
        status: 409,
        request_body: '{}',
        response_body: '',
      }),
    ];
    const names = matching(calls, { provider, search }).map((call) => call.provider);
    expect(names.join(' ')).toBe(found);
  });

  it('lists each provider once, and the selected one before its first call', () => {
    const calls = [aCall({ provider: 'setu' }), aCall(), aCall()];
    expect(providersOf(calls, '')).toEqual(['msg91', 'setu']);
    expect(providersOf(calls, 'cashfree')).toEqual(['cashfree', 'msg91', 'setu']);
  });

  it.each([
    ['{"a":1}', undefined, { a: 1 }],
    ['To=%2B91&Body=a+b', 'application/x-www-form-urlencoded', 'To: +91\nBody: a b'],
    ['{"a":', 'application/json', '{"a":'],
    ['<h1>Welcome</h1>', 'text/html', '<h1>Welcome</h1>'],
  ])('reads the body %s', (text, type, body) => {
    expect(readableBody(text, type)).toEqual(body);
  });
});
