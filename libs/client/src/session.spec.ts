import { ApiError, NoAnswerError } from './api-error.js';
import { createClient } from './client.js';
import { MemoryTokenStorage } from './token-storage.js';

const OLD = { accessToken: 'old', refreshToken: 'refresh-1' };
const RENEWED = { access_token: 'new', refresh_token: 'refresh-2' };

const envelope = (status: number, payload: object): Response =>
  Response.json({ success: status < 400 ? 1 : 0, payload, error: [] }, { status });

/** A client of a service that accepts only the token "new", and renews by REFRESH. */
function clientOf(refresh: () => Promise<Response>) {
  const storage = new MemoryTokenStorage(OLD);
  const ends: string[] = [];
  const client = createClient({
    usersUrl: 'http://users.example/',
    masterUrl: 'http://master.example',
    storage,
    maxRetries: 0,
    onSessionEnd: (why) => ends.push(why),
    fetch: (request) => {
      if (request.url.endsWith('/token/refresh')) return refresh();
      const isKnown = request.headers.get('authorization') === 'Bearer new';
      return Promise.resolve(envelope(isKnown ? 200 : 401, { user_id: 'u' }));
    },
  });
  return { client, storage, ends, profile: () => client.users.get('/api/v1/user-profile') };
}

describe('a renewal', () => {
  it('replaces the old tokens by new ones', async () => {
    const { storage, ends, profile } = clientOf(() => Promise.resolve(envelope(200, RENEWED)));
    expect((await profile()).payload).toEqual({ user_id: 'u' });
    expect(storage.read()).toEqual({ accessToken: 'new', refreshToken: 'refresh-2' });
    expect(ends).toEqual([]);
  });

  it.each<[string, () => Promise<Response>, new (...parts: never[]) => Error]>([
    ['the service is unavailable', () => Promise.resolve(envelope(503, {})), ApiError],
    ['no answer comes', () => Promise.reject(new TypeError('fetch failed')), NoAnswerError],
  ])(
    'keeps the session when a refresh fails because %s, and the next call retries',
    async (_, refresh, thrown) => {
      let isAway = true;
      const { storage, ends, profile } = clientOf(() =>
        isAway ? refresh() : Promise.resolve(envelope(200, RENEWED)),
      );
      await expect(profile()).rejects.toBeInstanceOf(thrown);
      expect([storage.read(), ends]).toEqual([OLD, []]);
      isAway = false;
      expect((await profile()).status).toBe(200);
    },
  );

  /** A client whose refresh has been sent, and gets its answer by `answer`. */
  async function renewing() {
    let answer = (_: Response): void => undefined;
    const held = new Promise<Response>((resolve) => (answer = resolve));
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const { storage, ends, profile } = clientOf(() => {
      asked();
      return held;
    });
    const call = profile();
    await isAsked;
    return { storage, ends, call, answer };
  }

  it('does not restore a session that was logged out meanwhile', async () => {
    const { storage, call, answer } = await renewing();
    storage.write(null);
    answer(envelope(200, RENEWED));
    await expect(call).rejects.toMatchObject({ statusCode: 401 });
    expect(storage.read()).toBeNull();
  });

  it('keeps a login that came meanwhile when it is refused', async () => {
    const { storage, ends, call, answer } = await renewing();
    const next = { accessToken: 'new', refreshToken: 'refresh-of-the-login' };
    storage.write(next);
    answer(envelope(401, {}));
    expect((await call).status).toBe(200);
    expect([storage.read(), ends]).toEqual([next, []]);
  });

  it('ends the session when the renewal is refused, and reports that once', async () => {
    const { storage, ends, profile } = clientOf(() => Promise.resolve(envelope(401, {})));
    await expect(Promise.all([profile(), profile()])).rejects.toMatchObject({ statusCode: 401 });
    expect([storage.read(), ends]).toEqual([null, ['refused']]);
  });
});

describe('the fetch of one call', () => {
  const logged = (calls: string[], answer: (request: Request) => Promise<Response>) => (request: Request) => {
    const { method, headers } = request;
    const key = headers.get('idempotency-key');
    calls.push([method, new URL(request.url).pathname, key, headers.get('authorization')].join(' '));
    return answer(request);
  };

  it('makes each of its attempts; the fetch of the client renews the tokens', async () => {
    const { client } = clientOf(() => Promise.resolve(envelope(200, RENEWED)));
    const calls: string[] = [];
    const fetch = logged(calls, ({ headers }) =>
      Promise.resolve(envelope(headers.get('authorization') === 'Bearer new' ? 200 : 401, { is: 'done' })),
    );
    const answer = await client.users.call('POST', '/api/v1/step-of-a-journey', {
      ...{ idempotencyKey: 'k', body: { a: 1 }, fetch },
    });
    expect(answer).toMatchObject({ status: 200, payload: { is: 'done' } });
    expect(calls).toEqual([
      'POST /api/v1/step-of-a-journey k Bearer old',
      'POST /api/v1/step-of-a-journey k Bearer new',
    ]);
  });

  it('makes a login with the key of the caller, and a call to the catalogue', async () => {
    const { client, storage } = clientOf(() => Promise.reject(new TypeError('not called')));
    const calls: string[] = [];
    const fetch = logged(calls, () => Promise.resolve(envelope(200, RENEWED)));
    const body = { phone: '919999900001', otp: '1', partner_url: 'https://a.example', consent: true };
    await client.session.logIn(body, { idempotencyKey: 'k', fetch });
    expect(storage.read()).toEqual({ accessToken: 'new', refreshToken: 'refresh-2' });
    await client.master.get('/api/v1/issuers', { fetch });
    expect(calls).toEqual(['POST /auth/api/v2/register/verify k ', 'GET /api/v1/issuers  ']);
  });
});

it('replaces the session when the person starts anew', async () => {
  const storage = new MemoryTokenStorage(OLD);
  const calls: unknown[] = [];
  const client = createClient({
    usersUrl: 'http://users.example/',
    masterUrl: 'http://master.example',
    storage,
    fetch: async (request) => {
      calls.push([new URL(request.url).pathname, request.headers.get('authorization'), await request.json()]);
      return envelope(200, { ...RENEWED, user_id: 'next' });
    },
  });
  expect((await client.session.startAnew()).payload).toMatchObject({ user_id: 'next' });
  expect(calls).toEqual([['/api/v1/account-confirmation/start-anew', 'Bearer old', { start_anew: true }]]);
  expect(storage.read()).toEqual({ accessToken: 'new', refreshToken: 'refresh-2' });
});

it('reports once that another client of the storage has logged out', async () => {
  const { client, storage, ends, profile } = clientOf(() => Promise.resolve(envelope(200, RENEWED)));
  await profile();
  storage.write(null);
  await expect(profile()).rejects.toMatchObject({ statusCode: 401 });
  await expect(profile()).rejects.toMatchObject({ statusCode: 401 });
  expect(await client.session.isLoggedIn()).toBe(false);
  expect(ends).toEqual(['logged-out']);
});

describe('a logout', () => {
  it('ends the session locally first, even if the service cannot be reached', async () => {
    const { client, storage, ends } = clientOf(() => Promise.reject(new TypeError('fetch failed')));
    const loggedOut = client.session.logOut();
    // the service has not answered
    await Promise.resolve().then(() => Promise.resolve());
    expect([storage.read(), ends]).toEqual([null, ['logged-out']]);
    await expect(loggedOut).rejects.toBeInstanceOf(NoAnswerError);
    expect(ends).toEqual(['logged-out']);
  });

  it('renews an expired token for the service, and stores nothing', async () => {
    const { client, storage, ends } = clientOf(() => Promise.resolve(envelope(200, RENEWED)));
    await client.session.logOut();
    expect([storage.read(), ends]).toEqual([null, ['logged-out']]);
  });

  it('is no refused session when the service has ended it already', async () => {
    const { client, storage, ends } = clientOf(() => Promise.resolve(envelope(401, {})));
    await client.session.logOut();
    expect([storage.read(), ends]).toEqual([null, ['logged-out']]);
  });
});
