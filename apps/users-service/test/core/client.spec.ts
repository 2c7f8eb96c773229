import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import { join } from 'node:path';
import { ApiError, type Client, createClient, MemoryTokenStorage, NoAnswerError } from '@fd/client';
import {
  ERROR_CODES,
  errorOf,
  type Example,
  EXAMPLES,
  ConsentErrors,
  GeneralErrors,
  JourneyErrors,
  LoginErrors,
  MasterErrors,
  NomineeErrors,
  PanErrors,
  PersonalDetailsErrors,
  SessionErrors,
} from '@fd/errors';
import { examplesOf, inParallel, recordEvidence, runExample, TcpProxy } from '@fd/testing';
import { decodeJwt, SignJWT } from 'jose';
import { provoke, WAITS } from '../support/error-example.js';
import { aPhone, codeOf, inboxOf, wrongCode } from '../support/inbox.js';
import { aPan } from '../support/pan.js';
import { aPerson } from '../support/person.js';
import { clientAt, logInWith, TypedClientJourney } from '../support/typed-client.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
let url: string;
beforeAll(async () => {
  service = await startService();
  url = service.url;
});
afterAll(() => service.close());

/** Gives the stored access token an expiry a minute ago. */
async function expire(storage: MemoryTokenStorage): Promise<void> {
  const { accessToken, refreshToken } = storage.read()!;
  const { keys } = JSON.parse(service.environment['JWT_KEYS']!) as { keys: JsonWebKey[] };
  const past = Math.floor(Date.now() / 1_000) - 60;
  const expired = await new SignJWT({ ...decodeJwt(accessToken), exp: past })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test-key' })
    .sign(createPrivateKey({ key: keys[0]!, format: 'jwk' }));
  storage.write({ accessToken: expired, refreshToken });
}

/** Counts the calls that reach the network, by path. */
function counting(): { calls: Map<string, number>; fetch: typeof fetch } {
  const calls = new Map<string, number>();
  return {
    calls,
    fetch: (request, init) => {
      const { pathname } = new URL((request as Request).url);
      calls.set(pathname, (calls.get(pathname) ?? 0) + 1);
      return fetch(request, init);
    },
  };
}

async function refusalOf(call: Promise<unknown>): Promise<ApiError> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ApiError)) throw new Error('the call was not refused', { cause: thrown });
  return thrown;
}

describe('sessions of the client library', () => {
  it('renews its tokens once when 20 calls are refused in parallel', async () => {
    const { calls, fetch } = counting();
    const storage = new MemoryTokenStorage();
    const client = clientAt(url, { fetch, storage });
    await logInWith(client, aPhone());
    await expire(storage);
    const profiles = await inParallel(20, () => client.users.get('/api/v1/user-profile'));
    expect(new Set(profiles.map(({ payload }) => payload.user_id)).size).toBe(1);
    expect(calls.get('/auth/api/v2/token/refresh')).toBe(1);
    expect(calls.get('/api/v1/user-profile')).toBe(40);
    recordEvidence('client-renews-once', { 'calls refused at once': 20, renewals: 1 });
  });

  it('shares renewed tokens between two clients with one storage', async () => {
    const storage = new MemoryTokenStorage();
    const [one, other] = [clientAt(url, { storage }), clientAt(url, { storage })];
    await logInWith(one, aPhone());
    await expire(storage);
    await Promise.all([one, other].map(({ users }) => users.get('/api/v1/user-profile')));
    // both may have renewed, and then got the same tokens
    await Promise.all([one, other].map(({ users }) => users.get('/api/v1/user-profile')));
    expect(await other.session.isLoggedIn()).toBe(true);
  });

  it('repeats a refused call after the renewal with the same body and idempotency key', async () => {
    const keys: (string | null)[] = [];
    const storage = new MemoryTokenStorage();
    const client = clientAt(url, {
      storage,
      fetch: (request, init) => {
        if (request.url.endsWith('/send-otp')) keys.push(request.headers.get('idempotency-key'));
        return fetch(request, init);
      },
    });
    await logInWith(client, aPhone());
    await expire(storage);
    const email = `asha.${crypto.randomUUID()}@mail.example`;
    const { payload } = await client.users.post('/api/v1/email/send-otp', { body: { email } });
    expect(payload.attemptsUsed).toBe(0);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(await inboxOf(email)).toHaveLength(1);
  });

  it('ends the session when it cannot renew it: reports the end once, removes the tokens and refreshes no more', async () => {
    const { calls, fetch } = counting();
    const ends: string[] = [];
    const client = clientAt(url, { fetch, onSessionEnd: (why) => ends.push(why) });
    await logInWith(client, aPhone());
    const { payload } = await client.users.get('/api/v1/user-sessions');
    const current = payload.sessions.find(({ is_current }) => is_current)!;
    await client.users.delete('/api/v1/user-sessions/{session_id}', {
      path: { session_id: current.session_id },
    });
    const refused = await inParallel(5, () => refusalOf(client.users.get('/api/v1/user-profile')));
    expect(refused.map(({ code }) => code)).toEqual(Array(5).fill(SessionErrors.ended.code));
    expect(ends).toEqual(['refused']);
    expect(calls.get('/auth/api/v2/token/refresh')).toBe(1);
    expect(await client.session.isLoggedIn()).toBe(false);
    expect((await refusalOf(client.users.get('/api/v1/user-profile'))).code).toBe(
      SessionErrors.tokenMissing.code,
    );
  });

  it('ends the session by logging out, even with an expired access token', async () => {
    const storage = new MemoryTokenStorage();
    const client = clientAt(url, { storage });
    await logInWith(client, aPhone());
    await expire(storage);
    const { refreshToken } = storage.read()!;
    await client.session.logOut();
    expect(storage.read()).toBeNull();
    const refused = await refusalOf(
      client.users.post('/auth/api/v2/token/refresh', { body: { refresh_token: refreshToken } }),
    );
    expect(refused.statusCode).toBe(401);
  });
});

describe('calls of the client library', () => {
  let client: Client;
  beforeAll(async () => {
    client = clientAt(url);
    await logInWith(client, aPhone());
  });

  it('repeats a call whose answer was lost with the same idempotency key, so that it has one effect', async () => {
    const proxy = await TcpProxy.before(url);
    let attempts = 0;
    const behindProxy = clientAt(proxy.url, {
      fetch: async (request, init) => {
        attempts++;
        const answer = await fetch(request, init).catch((error: unknown) => {
          proxy.heal();
          throw error;
        });
        return answer;
      },
    });
    try {
      await logInWith(behindProxy, aPhone());
      const email = `asha.${crypto.randomUUID()}@mail.example`;
      attempts = 0;
      proxy.breakOff(12);
      const answer = await behindProxy.users.post('/api/v1/email/send-otp', { body: { email } });
      expect(attempts).toBeGreaterThan(1);
      expect(answer).toMatchObject({ isReplayed: true, payload: { attemptsUsed: 0 } });
      expect(await inboxOf(email)).toHaveLength(1);
      recordEvidence('client-lost-answer', { 'lost answers': attempts - 1, mails: 1 });
    } finally {
      await proxy.close();
    }
  });

  it("throws NoAnswerError without an answer, and repeats a call safely under the caller's key", async () => {
    const unreachable = clientAt('http://127.0.0.1:1', { maxRetries: 1 });
    const thrown = await unreachable.users.get('/health/live').catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(NoAnswerError);
    expect(thrown).toMatchObject({ why: 'lost' });
    const idempotencyKey = crypto.randomUUID();
    const email = `asha.${crypto.randomUUID()}@mail.example`;
    const send = () => client.users.post('/api/v1/email/send-otp', { body: { email }, idempotencyKey });
    expect([(await send()).isReplayed, (await send()).isReplayed]).toEqual([false, true]);
  });

  it('throws a refusal with its text and a code known to the compiler', async () => {
    const phone = aPhone();
    await client.users.post('/auth/register', { body: { phone } });
    const refused = await refusalOf(
      clientAt(url).session.logIn({
        phone,
        otp: wrongCode(await codeOf(phone)),
        partner_url: 'https://app.partner.example',
        consent: true,
      }),
    );
    expect(refused).toMatchObject({
      code: LoginErrors.otpWrong.code,
      statusCode: 400,
      reason: 'OTP_WRONG',
      userMessage: 'The code is wrong. Tries left: 4.',
      isRetryable: false,
      retryAfterSeconds: null,
      requestId: expect.stringMatching(/.{8,}/) as string,
    });
    // @ts-expect-error no call answers with this code
    expect(refused.code === 'SVCUSER9999').toBe(false);
  });

  it('names every invalid field of a refused form', async () => {
    const refused = await refusalOf(
      client.users.post('/api/v1/personal-details', { query: { issuer_code: 'ARAVFIN' } }),
    );
    const items = refused.items.map(({ field, errorCode }) => [field, errorCode]);
    expect(items[0]).toEqual(['gender', PersonalDetailsErrors.missing.code]);
    expect(items).toContainEqual(['communication_address', PersonalDetailsErrors.missing.code]);
    expect(refused.messageOf('gender')).toBe('Fill in this field.');
    expect(refused.messageOf('nothing')).toBeUndefined();
  });

  it("throws at once when Retry-After exceeds the client's limit", async () => {
    const { calls, fetch } = counting();
    const hasty = clientAt(url, { fetch });
    const phone = aPhone();
    const register = () => hasty.users.post('/auth/register', { body: { phone } });
    for (let sends = 0; sends < 5; sends++) await register();
    const refused = await refusalOf(register());
    expect(refused).toMatchObject({
      code: LoginErrors.tooManySends.code,
      statusCode: 429,
      isRetryable: true,
    });
    expect(refused.retryAfterSeconds).toBeGreaterThan(60);
    expect(calls.get('/auth/register')).toBe(6);
  });

  it('knows every error code and whether it is retryable', async () => {
    const unknown: string[] = [];
    for (const code of ERROR_CODES.filter((one) => errorOf(one).httpStatus >= 400)) {
      const answer = () =>
        Promise.resolve(
          Response.json({ error: [{ errorCode: code }] }, { status: errorOf(code).httpStatus }),
        );
      const refused = await refusalOf(
        clientAt(url, { fetch: answer, maxRetries: 0 }).users.get('/health/live'),
      );
      expect([code, refused.isRetryable]).toEqual([code, errorOf(code).retryable]);
      if (refused.code === null) unknown.push(code);
      else expect(refused.code).toBe(code);
    }
    // the rest are codes of findings of the booking check, and of calls that the client cannot make
    expect(unknown).toEqual([
      PanErrors.notOfPerson.code,
      PanErrors.inoperative.code,
      PanErrors.applicantMinor.code,
      ConsentErrors.factSheetNotShown.code,
      NomineeErrors.sharesIncomplete.code,
      NomineeErrors.guardianAgeUnknown.code,
      NomineeErrors.guardianIsNominee.code,
      NomineeErrors.tooManyForIssuer.code,
      NomineeErrors.isApplicant.code,
      JourneyErrors.stepMissing.code,
      GeneralErrors.routeUnknown.code,
      MasterErrors.routeUnknown.code,
    ]);
  });

  it('allows the client to send all its headers from a page of another origin', async () => {
    const { headers } = await fetch(`${url}/api/v1/email/send-otp`, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:5173',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    });
    expect(headers.get('access-control-allow-headers')).toBe('authorization,content-type,idempotency-key');
  });
});

describe('long work of the client library', () => {
  it.concurrent(
    'throws the refusal of an unavailable external service without a repeat, which would count and cost',
    async () => {
      const { calls, fetch } = counting();
      const patient = clientAt(url, { fetch, maxRetries: 1 });
      await logInWith(patient, aPhone());
      const refused = await refusalOf(
        patient.users.post('/api/v1/pan-verification', {
          body: { number: aPan({ digits: '0503' }), dob: '1990-04-21', consent_checked: true },
        }),
      );
      expect(refused).toMatchObject({
        code: PanErrors.registryUnavailable.code,
        statusCode: 503,
        isRetryable: true,
      });
      expect(calls.get('/api/v1/pan-verification')).toBe(1);
    },
  );

  it.concurrent(
    'runs the example in the README of the client library and prints the output shown there',
    async () => {
      const [example] = examplesOf(join(import.meta.dirname, '../../../../libs/client/README.md'));
      const lines = await runExample(example!.code.replace('http://localhost:3001', url), {
        '@fd/client': { ApiError, createClient },
      });
      expect(lines).toEqual([
        'new here true',
        'no such PAN The tax department does not know this PAN.',
        'next step PAN',
      ]);
    },
  );

  // whole-journey.spec.ts leads to a deposit with all issuers
  it.concurrent.each(['kaveri', 'sahyadri'] as const)(
    'takes a person through the client library to a bookable deposit with %s',
    async (issuer) => {
      const client = clientAt(url);
      const booking = await new TypedClientJourney(client, issuer, aPerson()).all();
      expect(booking).toEqual({ is_bookable: true, blockers: [], warnings: [] });
      const journey = await client.users.get('/issuer-apis/{issuer_slug}/v1/journey', {
        path: { issuer_slug: issuer },
      });
      expect(journey.payload).toMatchObject({ next_step: null, percent_complete: 100 });
    },
  );
});

const examples = ERROR_CODES.filter((code) => !code.startsWith('SVCMAS') && !WAITS.includes(code)).flatMap(
  (code) => {
    const how = EXAMPLES[code];
    return 'none' in how ? [] : [[errorOf(code).text, code, how] as [string, string, Example]];
  },
);

describe('examples of the error codes', () => {
  let provoked = 0;

  it.each(examples)('provokes the error "%s" by its example', async (_text, code, example) => {
    expect(await provoke(service, example)).toContain(code);
    provoked++;
  });

  it('provokes every error code that has an example', () => {
    expect(provoked).toBe(examples.length);
    recordEvidence('errors-provoked', { examples: provoked });
  });
});
