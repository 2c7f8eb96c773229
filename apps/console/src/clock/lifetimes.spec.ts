import type { Exchange } from '../calls/exchange.js';
import type { EkycFacts } from '../journey/facts.js';
import { NO_FACTS } from '../journey/facts.js';
import { inUnits, lifetimesOf } from './lifetimes.js';

const T = Date.parse('2026-01-01T10:00:00Z');
const iso = (seconds: number): string => new Date(T + seconds * 1_000).toISOString();
const tokenOf = (sub: string, iatSeconds = 0): string => {
  const iat = T / 1_000 + iatSeconds;
  return `h.${Buffer.from(JSON.stringify({ sub, iat, exp: iat + 900 })).toString('base64url')}.s`;
};

const person = {
  ...{ phone: '919812345678', pan: 'P', dob: 'D', email: 'E', aadhaar: 'A', account: 'A', ifsc: 'I' },
};

function call(
  method: string,
  path: string,
  payload: object,
  more: { body?: object; token?: string } = {},
): Exchange {
  const { body, token } = more;
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    ...{ id: 1, title: '', isBackground: false, durationMs: 1, at: iso(0) },
    request: { method, url: `http://localhost:3001${path}`, headers, body },
    answer: { status: 200, headers: {}, body: { payload } },
  };
}

const register = (phone = person.phone) =>
  call('POST', '/auth/register', { otpExpiresAt: iso(600) }, { body: { phone } });
const logIn = (token: string) =>
  call(
    'POST',
    '/auth/api/v2/register/verify',
    { access_token: token, refresh_expires_in: 604_800 },
    { body: { phone: person.phone } },
  );
const ekyc = (stage: EkycFacts['stage']) => ({
  ...NO_FACTS,
  ekyc: { method: 'HOSTED', requestId: 'r', url: 'u', stage },
});

/** What expires, with its seconds after T. */
const lives = (exchanges: readonly Exchange[], more: object = {}) =>
  lifetimesOf({ exchanges, person, token: '', facts: NO_FACTS, slug: 'kaveri', ...more }, T).map(
    ({ what, until }) => [what, (until - T) / 1_000],
  );

describe('what expires in a journey', () => {
  const token = tokenOf('u');

  it('includes a code until it is used, for this phone only', () => {
    expect(lives([])).toEqual([]);
    expect(lives([register()])).toEqual([['Login code', 600]]);
    expect(lives([register('919800000000')])).toEqual([]);
    expect(lives([logIn(token), register()], { token })).toEqual([
      ['Access token', 900],
      ['Session', 604_800],
    ]);
    expect(lives([register(), logIn(token)])).toEqual([['Login code', 600]]);
  });

  it('includes the newest token and its session, by the times in the token', () => {
    const renewed = tokenOf('u', 960);
    const refresh = call('POST', '/auth/api/v2/token/refresh', {
      ...{ access_token: renewed, refresh_expires_in: 604_800 },
    });
    expect(lives([refresh, logIn(token)], { token: renewed })).toEqual([
      ['Access token', 1_860],
      ['Session', 605_760],
    ]);
    expect(lives([], { token: 'an.expired.token' })).toEqual([]);
    expect(lives([], { token })).toEqual([['Access token', 900]]);
  });

  it.each([
    [
      'a token whose session goes on',
      1_000,
      ['Access token: the next call renews it', 'Session: log in again'],
    ],
    ['a token whose session is over', 604_800, ['Access token: log in again', 'Session: log in again']],
  ])('says what to do after the end of %s', (_case, seconds, expected) => {
    const shown = { exchanges: [logIn(token)], person, token, facts: NO_FACTS, slug: 'kaveri' };
    const list = lifetimesOf(shown, T + seconds * 1_000);
    expect(list.map(({ what, then }) => `${what}: ${then}`)).toEqual(expected);
  });

  it('includes the link, code or locker of an open eKYC of this user and issuer', () => {
    const link = (slug: string, of = token) =>
      call('POST', `/issuer-apis/${slug}/v3/check-status`, { ekyc_expires_at: iso(1_800) }, { token: of });
    const aadhaar = call(
      'POST',
      '/issuer-apis/kaveri/v1/aadhaar-ekyc/send-otp',
      { otpExpiresAt: iso(500) },
      { token },
    );
    const locker = call(
      'POST',
      '/issuer-apis/kaveri/v1/document-locker/session',
      { expires_at: iso(700) },
      { token },
    );
    const begun = { token, facts: ekyc('begun') };
    expect(lives([locker, aadhaar, link('kaveri')], begun).slice(0, 3)).toEqual([
      ['eKYC link', 1_800],
      ['Aadhaar code', 500],
      ['Locker session', 700],
    ]);
    for (const [exchange, state] of [
      [link('nilgiri'), begun],
      [link('kaveri', tokenOf('another')), begun],
      [link('kaveri'), { token, facts: ekyc('decided') }],
      [link('kaveri'), { token }],
    ] as const)
      expect(lives([exchange], state).map(([what]) => what)).toEqual(['Access token']);
  });

  it('includes the mailed code until it is verified', () => {
    const mailed = call('POST', '/api/v1/email/send-otp', { endTime: iso(600) }, { token });
    const verified = call('POST', '/api/v1/email/verify-otp', {}, { token });
    expect(lives([mailed], { token })[0]).toEqual(['Email code', 600]);
    expect(lives([verified, mailed], { token })[0]).toEqual(['Access token', 900]);
  });
});

describe('a duration', () => {
  it.each([
    [0, '0 s'],
    [12_000, '12 s'],
    [598_000, '9 min 58 s'],
    [600_000, '10 min'],
    [3_720_000, '1 h 2 min'],
    [86_400_000, '1 day'],
    [691_190_000, '7 days 23 h'],
    [691_200_000, '8 days'],
  ])('shows %d ms as %s', (ms, text) => {
    expect(inUnits(ms)).toBe(text);
  });

  it('writes a duration in the given number of units', () => {
    expect(inUnits(695_400_000, 3)).toBe('8 days 1 h 10 min');
  });
});
