import { setTimeout as sleep } from 'node:timers/promises';
import type { EkycStatusPayload } from '@fd/contracts';
import { EkycErrors, GeneralErrors, IssuerErrors, SessionErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import type { FindOptionsWhere } from 'typeorm';
import { UsersRepository } from '../../src/identity/users/users.repository.js';
import { EkycRequestRow } from '../../src/kyc/entities/ekyc-request.entity.js';
import { EkycRequestsRepository } from '../../src/kyc/ekyc/ekyc-requests.repository.js';
import { EkycStates } from '../../src/kyc/ekyc/redirection.js';
import { AuditTrail } from '../../src/core/audit/audit-trail.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { ProviderCallLimit } from '../../src/core/caller/provider-call-limit.js';
import { PanClaims } from '../../src/kyc/pan/pan-claims.repository.js';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { PiiCipher } from '../../src/core/pii/pii-cipher.js';
import { effectsOf } from '../support/effects.js';
import { finishEkyc } from '../support/ekyc.js';
import { check, stepOf } from '../support/hosted-ekyc.js';
import { as, logIn, renewed, verifyBody } from '../support/login.js';
import { aPhone, codeOf } from '../support/inbox.js';
import { ISSUER_SLUGS, issuerPath } from '../support/issuers.js';
import { verifyPan } from '../support/pan.js';
import { aPartner, ecKeys } from '../support/partner.js';
import { answersJson, BEHAVIOURS, ScriptedProvider, SHORT_WAIT } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const PARTNER_KEYS = ecKeys();

const A_LINK = expect.stringMatching(/^https:\/\/\S+\/ekyc\/[0-9a-f-]{36}$/) as string;

const path = (slug: string) => `/issuer-apis/${slug}/v3/check-status`;

const aUser = async () => as(service.api, await logIn(service));

describe('POST /issuer-apis/{issuer_slug}/v3/check-status', () => {
  /** Counts calls in the process as so many polls of a client, until few are left in this minute. */
  const usePolls = async (id: string, count: number): Promise<void> => {
    for (let i = 0; i < count; i++)
      expect(await service.app.get(ProviderCallLimit).allowsPoll(id)).toBe(true);
  };

  it('asks the provider at most sixty times a minute, and then returns the last known status', async () => {
    const provider = await ScriptedProvider.start();
    provider.behaviour = answersJson(200, { state: 'created', expires_at: '2999-01-01T00:00:00+05:30' });
    const busy = await service.replica({ EKYC_URL: provider.url });
    const user = await logIn(service);
    const first = await check(as(service.api, user), 'aravalli', {
      redirection_url: 'https://app.partner.example/back',
    });
    await usePolls(first.ekyc_request_id!, 45);
    const polls: EkycStatusPayload[] = [];
    for (let i = 0; i < 30; i++) polls.push(await check(as(busy.api, user)));
    expect(new Set(polls.map(({ ekyc_request_id }) => ekyc_request_id))).toEqual(
      new Set([first.ekyc_request_id]),
    );
    expect(provider.calls.length).toBeGreaterThan(8);
    // 15, and the polls of workers
    expect(provider.calls.length).toBeLessThan(25);
    await busy.close();
    await provider.stop();
  });

  it('asks a provider that refuses to open a link at most sixty times a minute', async () => {
    const provider = await ScriptedProvider.start();
    provider.behaviour = BEHAVIOURS.refuses;
    const refused = await service.replica({ EKYC_URL: new URL(provider.url).origin });
    const user = await logIn(service);
    const api = as(refused.api, user);
    const expectRefused = async () =>
      expectRefusal(await api.post(path('aravalli'), {}), EkycErrors.unavailable);
    await expectRefused();
    const [request] = await service.dataSource.query<[{ id: string }]>(
      'SELECT id FROM onboarding.ekyc_requests WHERE user_id = $1',
      [user.user_id],
    );
    await usePolls(request.id, 45);
    for (let i = 0; i < 30; i++) await expectRefused();
    expect(provider.calls.length).toBeGreaterThan(8);
    // 15, and the tries of workers
    expect(provider.calls.length).toBeLessThan(25);
    await refused.close();
    await provider.stop();
  });

  it.each([
    ['aravalli', 'HOSTED'],
    ['kaveri', 'DIGILOCKER'],
    ['nilgiri', 'HOSTED'],
    ['sahyadri', 'AADHAAR_OTP'],
    ['vindhya', 'HOSTED'],
  ])('returns an eKYC link for an empty body at %s', async (slug, method) => {
    expect(await check(await aUser(), slug)).toEqual({
      is_ekyc_verified: false,
      ekyc_url: expect.stringMatching(/^https:\/\/\S+$/),
      ekyc_request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ekyc_failed: false,
      ekyc_status: 'LINK_CREATED',
      ekyc_method: method,
      ekyc_expires_at: expect.any(String),
    });
  });

  it('returns the same eKYC link until it is used, then reports the eKYC as verified at that issuer only', async () => {
    const me = await aUser();
    await verifyPan(me);
    const first = await check(me);
    expect(await check(me)).toEqual(first);
    await finishEkyc(first.ekyc_request_id!, 'verified');
    const verified = {
      is_ekyc_verified: true,
      ekyc_failed: false,
      ekyc_status: 'VERIFIED',
      ekyc_method: 'HOSTED',
      ekyc_expires_at: null,
    };
    expect(await check(me)).toEqual(verified);
    expect(await check(me)).toEqual(verified);
    expect(await stepOf(me, 'aravalli')).toMatchObject({ status: 'DONE' });
    expect((await check(me, 'nilgiri')).is_ekyc_verified).toBe(false);
  });

  it('returns a new eKYC link after a failure, and the failed status once', async () => {
    const me = await aUser();
    const first = await check(me);
    await finishEkyc(first.ekyc_request_id!, 'failed');
    const failed = await check(me);
    expect(failed).toMatchObject({ is_ekyc_verified: false, ekyc_failed: true, ekyc_status: 'FAILED' });
    expect(failed.ekyc_request_id).not.toBe(first.ekyc_request_id);
    expect(failed.ekyc_url).not.toBe(first.ekyc_url);
    expect(await check(me)).toMatchObject({
      ekyc_status: 'LINK_CREATED',
      ekyc_failed: true,
      ekyc_request_id: failed.ekyc_request_id,
      ekyc_url: failed.ekyc_url,
    });
    const { rows } = await historyOf(me);
    expect(rows.map(({ event, reason }) => `${event} ${reason}`)).toEqual([
      'STARTED null',
      'FAILED EKYC_FAILED',
      'STARTED null',
    ]);
  });

  it('returns a new eKYC link when the old one has expired at the provider or by the clock of the service', async () => {
    const user = await logIn(service);
    const me = as(service.api, user);
    const first = await check(me);
    await finishEkyc(first.ekyc_request_id!, 'expired');
    const second = await check(me);
    expect(second).toMatchObject({ ekyc_status: 'EXPIRED', ekyc_failed: false });
    service.clock.advanceSeconds(1_801);
    const third = await check(as(service.api, await renewed(service, user)));
    expect(third.ekyc_status).toBe('EXPIRED');
    expect(new Set([first, second, third].map((answer) => answer.ekyc_request_id)).size).toBe(3);
    service.clock.advanceSeconds(-1_801);
  });

  it('completes the FD detail step of the issuer when fd_info has an amount or a tenure', async () => {
    const me = await aUser();
    const fdDetail = async (slug: string) =>
      (
        (await me.get(`/issuer-apis/${slug}/v1/journey`)).body.payload.steps as {
          step: string;
          status: string;
        }[]
      ).find(({ step }) => step === 'FD_DETAIL')?.status;
    for (const nothing of [undefined, null, {}, { amount: null, tenure: '' }]) {
      await check(me, 'aravalli', { fd_info: nothing });
    }
    expect(await fdDetail('aravalli')).toBe('DUE');
    await check(me, 'aravalli', { fd_info: { amount: 50_000 } });
    await check(me, 'aravalli', { fd_info: { tenure: 365 } });
    expect([await fdDetail('aravalli'), await fdDetail('nilgiri')]).toEqual(['DONE', 'DUE']);
    expectRefusal(
      await me.post(path('nilgiri'), { fd_info: { amount: 1 }, flow_id: 'XX' }),
      IssuerErrors.flowUnsupported,
    );
    expect(await fdDetail('nilgiri')).toBe('DUE');
  });

  it('requires the eKYC again when it was verified before the PAN', async () => {
    const me = await aUser();
    const { ekyc_request_id: id } = await check(me);
    await finishEkyc(id!, 'verified');
    expect((await check(me)).is_ekyc_verified).toBe(true);
    expect(await stepOf(me, 'aravalli')).not.toMatchObject({ status: 'DONE' });
    await verifyPan(me);
    const again = await check(me);
    expect([again.is_ekyc_verified, again.ekyc_request_id === id]).toEqual([false, false]);
    expect((await me.get('/api/v1/user-profile')).body.payload.is_ekyc_verified).toBe(false);
  });

  it.each([
    ['still open', false],
    ['verified after the PAN', true],
  ])(
    'reports an eKYC request created before the PAN verification as expired when it is %s',
    async (_name, isFinished) => {
      const me = await aUser();
      const isVerified = async () =>
        (await me.get('/api/v1/user-profile')).body.payload.is_ekyc_verified as boolean;
      const before = await check(me);
      await verifyPan(me);
      if (isFinished) await finishEkyc(before.ekyc_request_id!, 'verified');
      const after = await check(me);
      expect(after).toMatchObject({ is_ekyc_verified: false, ekyc_status: 'EXPIRED', ekyc_failed: false });
      expect(after.ekyc_request_id).not.toBe(before.ekyc_request_id);
      expect(await isVerified()).toBe(false);
      await finishEkyc(after.ekyc_request_id!, 'verified');
      expect((await check(me)).is_ekyc_verified).toBe(true);
      expect([(await stepOf(me, 'aravalli')).status, await isVerified()]).toEqual(['DONE', true]);
    },
  );

  it('accepts the savings-account flow at issuers with and without one, and refuses other flows, a malformed fd_info and unknown issuers', async () => {
    const me = await aUser();
    for (const slug of ['kaveri', 'aravalli'])
      expect((await check(me, slug, { flow_id: 'SA' })).ekyc_status).toBe('LINK_CREATED');
    for (const flow of ['XX', 1, {}, ['SA']])
      expectRefusal(await me.post(path('kaveri'), { flow_id: flow }), IssuerErrors.flowUnsupported);
    expectRefusal(await me.post(path('aravalli'), { fd_info: [] }), GeneralErrors.fieldInvalid);
    expectRefusal(await me.post(path('nobody'), {}), IssuerErrors.unknown);
    expect(
      await check(me, 'aravalli', { flow_id: null, fd_info: null, redirection_url: null }),
    ).toMatchObject({ ekyc_status: 'LINK_CREATED', ekyc_url: A_LINK });
  });

  it('refuses check-status without an access token or with a body that is not JSON', async () => {
    expectRefusal(await service.api.post(path('aravalli'), {}), SessionErrors.tokenMissing);
    expectRefusal(
      await (await aUser()).raw('post', path('aravalli'), '{}', 'text/plain'),
      GeneralErrors.requestUnreadable,
    );
  });

  it('completes an eKYC request that a crash left without a link', async () => {
    const login = await logIn(service);
    const me = as(service.api, login);
    const { ekyc_request_id: id, ekyc_url: url } = await check(me);
    await service.dataSource.query(
      `UPDATE onboarding.ekyc_requests SET status = 'REQUESTED', url_encrypted = NULL, expires_at = NULL WHERE id = $1`,
      [id],
    );
    expect(await check(me)).toMatchObject({ ekyc_request_id: id, ekyc_url: url });
    expect(await effectsOf('ekyc', id!)).toHaveLength(1);
  });

  it('claims a new eKYC request when the previous one expires meanwhile', async () => {
    const { user_id: userId, ...login } = await logIn(service);
    const { ekyc_request_id: first } = await check(as(service.api, login));
    const { app, database } = service;
    const rows = database.getRepository(EkycRequestRow);
    let searches = 0;
    const interrupted = Object.assign(Object.create(rows) as typeof rows, {
      findOneBy: async (where: FindOptionsWhere<EkycRequestRow>) => {
        if (searches++ === 0) await rows.update({ id: first! }, { status: 'EXPIRED' });
        return rows.findOneBy(where);
      },
    });
    const repository = new EkycRequestsRepository(
      interrupted,
      app.get(PiiCipher),
      app.get(UsersRepository),
      app.get(JourneyRepository),
      app.get(AuditTrail),
      app.get(PanClaims),
      app.get(EkycStates),
    );
    const claimed = await repository.findOpenOrCreate({
      userId,
      issuer: 'aravalli',
      method: 'HOSTED',
      returnTo: null,
      comparedWith: null,
      isRetry: false,
    });
    expect([claimed.status, claimed.id === first]).toEqual(['REQUESTED', false]);
  });

  it('creates one eKYC request for 20 parallel calls on two replicas', async () => {
    const login = await logIn(service);
    // three of four calls go to one replica: more than it runs in parallel for one user
    const replica = await service.replica();
    const answers = await inParallel(20, (i) => check(as(i % 4 === 0 ? replica.api : service.api, login)));
    expect(new Set(answers.map((answer) => answer.ekyc_request_id)).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.ekyc_url)).size).toBe(1);
    expect(await effectsOf('ekyc', answers[0]!.ekyc_request_id!)).toHaveLength(1);
  });
});

describe('redirection URL of check-status', () => {
  it.each([
    'http://app.partner.example/back',
    'https://user:pass@app.partner.example/',
    'javascript:alert(1)',
    'app.partner.example',
    '//app.partner.example',
    'https://',
    'https://a b.example',
    42,
    {},
  ])('refuses the redirection URL %j', async (url) => {
    expectRefusal(
      await (await aUser()).post(path('aravalli'), { redirection_url: url }),
      EkycErrors.redirectionUrlInvalid,
    );
  });

  it('reports a bad redirection URL and a bad deposit together', async () => {
    expectRefusal(
      await (await aUser()).post(path('aravalli'), { redirection_url: 'x', fd_info: 'x' }),
      EkycErrors.redirectionUrlInvalid,
      GeneralErrors.fieldInvalid,
    );
  });

  it('accepts any https redirection URL for a partner without registered origins', async () => {
    const { ekyc_url } = await check(await aUser(), 'aravalli', {
      redirection_url: 'https://anywhere.example/x?y=1',
    });
    expect(ekyc_url).toEqual(A_LINK);
  });

  /** Logs in through a partner with a registered origin for redirects. */
  async function throughPartner(url: string, phone: string): Promise<ApiClient> {
    await aPartner(service.dataSource, { url, keys: PARTNER_KEYS });
    await service.dataSource.query('UPDATE onboarding.partners SET redirect_origins = $2 WHERE url = $1', [
      url,
      [url],
    ]);
    await service.api.post('/auth/register', { phone });
    const { body } = await service.api.post(
      '/auth/api/v2/register/verify',
      verifyBody(phone, await codeOf(phone), url),
    );
    return as(service.api, body.payload as { access_token: string });
  }

  it.concurrent(
    'opens another link when the partner of the session does not allow the redirection URL of the first',
    async () => {
      const url = 'https://invest.southwind.example';
      const user = await logIn(service);
      const elsewhere = await check(as(service.api, user), 'aravalli', {
        redirection_url: 'https://evil.example/back',
      });
      const me = await throughPartner(url, user.phone);
      const own = await check(me);
      expect(own).toMatchObject({ ekyc_url: A_LINK, ekyc_failed: false, ekyc_status: 'LINK_CREATED' });
      expect(own.ekyc_request_id).not.toBe(elsewhere.ekyc_request_id);
      expect((await check(me)).ekyc_request_id).toBe(own.ekyc_request_id);
      // an eKYC on the first page still counts
      await finishEkyc(elsewhere.ekyc_request_id!, 'verified');
      await eventually(async () => expect(await check(me)).toMatchObject({ is_ekyc_verified: true }));
    },
  );

  it.concurrent(
    'returns no link to a parallel call of a partner that does not allow its redirection URL',
    async () => {
      const url = 'https://invest.eastwind.example';
      await throughPartner(url, aPhone());
      const logInAt = async (phone: string, partner?: string) => {
        await service.api.post('/auth/register', { phone });
        const otp = await codeOf(phone);
        const { body } = await service.api.post(
          '/auth/api/v2/register/verify',
          verifyBody(phone, otp, partner),
        );
        return as(service.api, body.payload as { access_token: string });
      };
      // a round for each offset and issuer: each issuer has its own request
      for (let offset = 0; offset < 4; offset++) {
        const phone = aPhone();
        const [elsewhere, me] = [await logInAt(phone), await logInAt(phone, url)];
        const body = { redirection_url: 'https://evil.example/back' };
        for (const slug of ISSUER_SLUGS) {
          const foreign = elsewhere.post(path(slug), body).then((response) => response);
          await sleep(offset * 3);
          const own = await check(me, slug);
          expect((await foreign).status).toBe(200);
          const [request] = await service.dataSource.query<{ returns: boolean }[]>(
            'SELECT redirect_url_encrypted IS NOT NULL AS returns FROM onboarding.ekyc_requests WHERE id = $1',
            [own.ekyc_request_id],
          );
          expect([offset, slug, request]).toEqual([offset, slug, { returns: false }]);
        }
      }
    },
  );

  it.concurrent('hides a locker session from a partner that does not allow its redirection URL', async () => {
    const url = 'https://invest.westwind.example';
    const user = await logIn(service);
    const opener = as(service.api, user);
    const sessions = issuerPath('kaveri', 'v1/document-locker/session');
    const openAt = async (api: ApiClient, redirection_url?: string) => {
      const response = await api.post(sessions, { consent_checked: true, redirection_url });
      expect(response.status).toBe(200);
      return (response.body as { payload: { session_id: string } }).payload.session_id;
    };
    const foreign = await openAt(opener, 'https://evil.example/back');
    const shared = await openAt(opener, `${url}/back`);
    const without = await openAt(opener);
    const me = await throughPartner(url, user.phone);
    expectRefusal(await me.get(`${sessions}/${foreign}`), GeneralErrors.recordUnknown);
    for (const id of [shared, without]) expect((await me.get(`${sessions}/${id}`)).status).toBe(200);
    for (const id of [foreign, shared, without])
      expect((await opener.get(`${sessions}/${id}`)).status).toBe(200);
  });

  it.concurrent(
    'repeats no link for an Idempotency-Key to a partner that does not allow its redirection URL',
    async () => {
      const url = 'https://invest.northeast.example';
      const user = await logIn(service);
      const elsewhere = as(service.api, user);
      await check(elsewhere, 'aravalli', { redirection_url: 'https://evil.example/back' });
      const me = await throughPartner(url, user.phone);
      const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
      const ask = async (api: ApiClient) => {
        const { body } = await api.post(path('aravalli'), {}, keyed('check-status-1'));
        return body.payload as EkycStatusPayload;
      };
      const foreign = await ask(elsewhere);
      const own = await ask(me);
      expect(own.ekyc_url).toEqual(A_LINK);
      expect(own.ekyc_request_id).not.toBe(foreign.ekyc_request_id);
      expect(await ask(me)).toEqual(own);
      const locker = { consent_checked: true, redirection_url: 'https://evil.example/back' };
      const open = (api: ApiClient) =>
        api.post(issuerPath('kaveri', 'v1/document-locker/session'), locker, keyed('locker-1'));
      expect((await open(elsewhere)).status).toBe(200);
      expectRefusal(await open(me), EkycErrors.redirectionUrlInvalid);
    },
  );

  it.concurrent(
    'accepts only registered origins as redirection URL for a partner that has some',
    async () => {
      const url = 'https://invest.northwind.example';
      const me = await throughPartner(url, aPhone());
      expect((await check(me, 'aravalli', { redirection_url: `${url}/back` })).ekyc_url).toEqual(A_LINK);
      for (const other of [
        'https://app.partner.example/',
        'https://invest.northwind.example.evil.example/',
        'https://invest.northwind.example:8443/',
        'https://evil.example/?https://invest.northwind.example',
      ]) {
        expectRefusal(
          await me.post(path('aravalli'), { redirection_url: other }),
          EkycErrors.redirectionUrlInvalid,
        );
      }
    },
  );
});

describe('eKYC request unknown to the provider', () => {
  it('returns a new eKYC link with the same redirection URL when the provider does not know the request, and 503 for any other 404', async () => {
    const login = await logIn(service);
    const me = as(service.api, login);
    const first = await check(me, 'aravalli', { redirection_url: 'https://app.partner.example/back' });
    const provider = await ScriptedProvider.start();
    const link = 'https://pages.example/ekyc/2';
    provider.behaviour = (response) =>
      (provider.calls.at(-1)!.method === 'GET'
        ? answersJson(404, { error: { type: 'not_found' } })
        : answersJson(201, { url: link, state: 'created', expires_at: '2999-01-01T00:00:00+05:30' }))(
        response,
      );
    const replica = await service.replica({ EKYC_URL: new URL(provider.url).origin });
    const second = await check(as(replica.api, login));
    expect(second).toMatchObject({ ekyc_status: 'EXPIRED', ekyc_url: link });
    expect(second.ekyc_request_id).not.toBe(first.ekyc_request_id);
    // the worker may poll older requests
    const opened = provider.calls.findLast(({ method }) => method === 'POST')!;
    expect(opened.body['redirect_url']).toBe('https://app.partner.example/back');
    // a 404 of a gateway says nothing about the request
    provider.behaviour = answersJson(404, { error: { type: 'no_route' } });
    expectRefusal(await as(replica.api, login).post(path('aravalli'), {}), EkycErrors.unavailable);
    await provider.stop();
  });
});

describe('failing eKYC provider', () => {
  let provider: ScriptedProvider;
  let replica: UsersApp;
  let hasty: UsersApp;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    const settings = { EKYC_URL: new URL(provider.url).origin };
    replica = await service.replica(settings);
    hasty = await service.replica({ ...settings, ...SHORT_WAIT });
    // polls of their workers could open the circuit
    for (const { app } of [replica, hasty]) await app.get(Jobs).beforeApplicationShutdown();
  });
  afterAll(() => provider.stop());

  it.each([
    ['hangs', 'hangs'],
    ['answers 500', 'fails'],
    ['answers HTML', 'answersHtml'],
    ['answers unexpected JSON', 'answersOtherJson'],
    ['resets the connection', 'resets'],
    // last: it opens the circuit
    ['rejects our key', 'rejectsKey'],
  ] as const)(
    'answers 503 with Retry-After when the eKYC provider %s, and succeeds in a repeat with a working one',
    async (_case, behaviour) => {
      provider.behaviour = BEHAVIOURS[behaviour];
      const { api } = behaviour === 'hangs' ? hasty : replica;
      const login = await logIn(service);
      const requested = () => provider.calls.filter(({ method }) => method === 'POST').length;
      const before = requested();
      const refused = await as(api, login).post(path('aravalli'), {});
      expectRefusal(refused, EkycErrors.unavailable);
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
      expect(requested()).toBeGreaterThan(before);
      expect((await check(as(service.api, login))).ekyc_status).toBe('LINK_CREATED');
    },
  );
});

async function historyOf(api: ApiClient) {
  const { body } = await api.get('/api/v1/user-profile');
  const rows = await service.dataSource.query<{ event: string; reason: string | null }[]>(
    `SELECT event, reason FROM onboarding.journey_events WHERE user_id = $1 AND step = 'EKYC' ORDER BY id`,
    [body.payload.user_id],
  );
  return { rows };
}
