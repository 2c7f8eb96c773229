import { ApiError } from './api-error.js';
import { createClient } from './client.js';
import { NotYetError, waitForBank, waitForEkyc, waitForPan } from './waiting.js';

type Step = readonly [status: number, payload: object, retryAfter?: string, errorCode?: string] | 'lost';

const unavailable: Step = [503, {}, '0'];
const pending: Step = [202, { verification_id: 'v1', pending_code: 'SVCUSER2210' }, '0'];

/** Calls of users-service with STEPS as answers; the last one repeats. */
function answeredBy(...steps: Step[]) {
  const asked: string[] = [];
  const bodies: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const { method, url } = request;
    bodies.push(await request.clone().text());
    const step = steps[Math.min(asked.length, steps.length - 1)]!;
    asked.push(`${method} ${new URL(url).pathname}`);
    if (step === 'lost') throw new TypeError('fetch failed');
    const [status, payload, retryAfter, errorCode] = step;
    const headers = retryAfter === undefined ? undefined : { 'retry-after': retryAfter };
    return Response.json(
      { success: status < 300 ? 1 : 0, payload, error: errorCode ? [{ errorCode }] : [] },
      { status, headers },
    );
  };
  const { users } = createClient({ usersUrl: 'http://users.example', fetch, maxRetries: 0 });
  return { users, asked, bodies };
}

describe('waitFor', () => {
  it('polls a PAN until it is verified, even after temporary refusals', async () => {
    const { users, asked } = answeredBy(pending, unavailable, pending, [200, { full_name: 'ASHA RAO' }]);
    const { payload } = await waitForPan(users, 'v1');
    expect(payload.full_name).toBe('ASHA RAO');
    expect(asked).toEqual(Array.from({ length: 4 }, () => 'GET /api/v1/pan-verification/v1'));
  });

  it('polls an account until it is settled', async () => {
    const { users, asked } = answeredBy([202, { is_synced: false }, '0'], [200, { is_synced: true }]);
    expect((await waitForBank(users, 'v1')).payload.is_synced).toBe(true);
    expect(asked).toEqual(Array.from({ length: 2 }, () => 'GET /api/v1/bank/verification/v1'));
  });

  it.each([
    { is_ekyc_verified: true, ekyc_failed: null, ekyc_status: 'VERIFIED' },
    { is_ekyc_verified: false, ekyc_failed: true, ekyc_status: 'FAILED' },
    { is_ekyc_verified: false, ekyc_failed: null, ekyc_status: 'EXPIRED' },
  ])('polls an eKYC until it is $ekyc_status', async (last) => {
    const open = { is_ekyc_verified: false, ekyc_failed: null, ekyc_status: 'IN_PROGRESS' };
    const { users, asked } = answeredBy([200, open, '0'], [200, last]);
    expect((await waitForEkyc(users, 'aravalli')).payload).toEqual(last);
    expect(asked).toEqual(Array.from({ length: 2 }, () => 'POST /issuer-apis/aravalli/v3/check-status'));
  });

  it('brings back the state of the return address', async () => {
    const open = { is_ekyc_verified: false, ekyc_failed: null, ekyc_status: 'IN_PROGRESS' };
    const { users, bodies } = answeredBy([200, open, '0'], [200, { ...open, is_ekyc_verified: true }]);
    await waitForEkyc(users, 'aravalli', { ekycState: 's1' });
    expect(bodies).toEqual(['{"ekyc_state":"s1"}', '{"ekyc_state":"s1"}']);
  });

  // after a failure `ekyc_failed` stays true until the person opens the next link
  it('polls the next eKYC after a failed one until its own result', async () => {
    const next = { is_ekyc_verified: false, ekyc_failed: true, ekyc_status: 'LINK_CREATED' };
    const verified = { is_ekyc_verified: true, ekyc_failed: false, ekyc_status: 'VERIFIED' };
    const { users, asked } = answeredBy([200, next, '0'], [200, verified]);
    expect((await waitForEkyc(users, 'aravalli')).payload).toEqual(verified);
    expect(asked).toHaveLength(2);
  });

  it('ends when another link has replaced the one it waits for', async () => {
    const open = { is_ekyc_verified: false, ekyc_failed: null, ekyc_status: 'LINK_CREATED' };
    const replaced = { ...open, ekyc_request_id: 'r2' };
    const { users } = answeredBy([200, { ...open, ekyc_request_id: 'r1' }, '0'], [200, replaced]);
    expect((await waitForEkyc(users, 'aravalli')).payload).toEqual(replaced);
  });

  it.each([
    ['a PAN', waitForPan, 'SVCUSER2208'],
    ['an account', waitForBank, 'SVCUSER2753'],
    ['a registration', waitForBank, 'SVCUSER2403'],
  ] as const)('ends with the stored 503 of %s, asked once', async (_, wait, code) => {
    const { users, asked } = answeredBy([503, {}, '0', code]);
    await expect(wait(users, 'v1', { limitMs: 10_000 })).rejects.toMatchObject({ code, statusCode: 503 });
    expect(asked).toHaveLength(1);
  });

  it.each(['SVCUSER2404', 'SVCUSER2991'])('polls an eKYC after 503 %s', async (code) => {
    const { users, asked } = answeredBy([503, {}, '0', code], [200, { is_ekyc_verified: true }]);
    expect((await waitForEkyc(users, 'aravalli')).payload.is_ekyc_verified).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it.each(['REVIEW', 'MISMATCH'])('ends while an operator compares names: %s', async (band) => {
    const { users, asked } = answeredBy([202, { name_match: { band } }, '0']);
    expect((await waitForBank(users, 'v1', { limitMs: 10_000 })).status).toBe(202);
    expect(asked).toHaveLength(1);
  });

  it('asks again after a lost answer', async () => {
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((done: () => void) => {
      queueMicrotask(done);
      return 0;
    }) as unknown as typeof setTimeout);
    const { users, asked } = answeredBy('lost', [200, {}]);
    expect((await waitForPan(users, 'v1')).status).toBe(200);
    expect(asked).toHaveLength(2);
  });

  it('ends with a permanent refusal', async () => {
    const { users, asked } = answeredBy(pending, [400, {}]);
    await expect(waitForPan(users, 'v1')).rejects.toThrow(ApiError);
    expect(asked).toHaveLength(2);
  });

  it('pauses for Retry-After, else for growing times from a second', async () => {
    const { users, asked } = answeredBy([202, {}, '1'], [202, {}], [200, {}]);
    const pauses: unknown[] = [];
    const { setTimeout: later } = globalThis;
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((done: () => void, ms: number) => {
      pauses.push(ms);
      return later(done, 0);
    }) as typeof setTimeout);
    await waitForBank(users, 'v1');
    expect(pauses).toEqual([1_000, 2_000]);
    expect(asked).toHaveLength(3);
  });

  it("throws the signal's reason when its signal aborts", async () => {
    const { users } = answeredBy([202, {}, '60']);
    const controller = new AbortController();
    const waiting = waitForBank(users, 'v1', { signal: controller.signal });
    controller.abort(new Error('the page was left'));
    await expect(waiting).rejects.toThrow('the page was left');
    await expect(waitForBank(users, 'v1', { signal: controller.signal })).rejects.toThrow(
      'the page was left',
    );
  });

  it('ends at its limit, with the last refusal as the cause', async () => {
    const { users } = answeredBy(unavailable);
    const error: unknown = await waitForBank(users, 'v1', { limitMs: 50 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotYetError);
    expect((error as NotYetError).cause).toBeInstanceOf(ApiError);
  });
});

it('creates no client of master-service without its URL', () => {
  expect(createClient({ usersUrl: 'http://users.example' }).master).toBeUndefined();
});
