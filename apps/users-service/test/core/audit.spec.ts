import { Controller, Get, Module, RequestMethod } from '@nestjs/common';
import {
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  RESPONSE_PASSTHROUGH_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ModulesContainer } from '@nestjs/core';
import { BankErrors, GeneralErrors, IssuerErrors, PanErrors, SessionErrors } from '@fd/errors';
import { eventually, expectRefusal, startTestApp, type TestApp } from '@fd/testing';
import type { Response } from 'supertest';
import { AppModule } from '../../src/app.module.js';
import { AUDIT_ACTIONS } from '../../src/core/audit/audit-actions.table.js';
import { AUDIT, type AuditDeclaration } from '../../src/core/audit/audited-calls.js';
import { AuditInterceptor } from '../../src/core/audit/audit.interceptor.js';
import { IdempotencyInterceptor } from '../../src/core/idempotency/idempotency.interceptor.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { usersConfig } from '../../src/config/users-config.js';
import { USERS_SERVICE } from '../../src/service.js';
import { RecordedJourney, shortOf, trailOf } from '../support/audit.js';
import { FakeClock } from '../support/fake-clock.js';
import { bankBody, HOLDER, postBank, handOverToBankWorker } from '../support/bank.js';
import { anAccount, issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { nominate, nomineesOf, postNominee } from '../support/nominees.js';
import { aPan, knownAs, panBody, postPan, verifyPan } from '../support/pan.js';
import { aPerson } from '../support/person.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
/** A user whose account the bank verifies for five seconds, while the first tests run. */
let waitingUserId: string;
beforeAll(async () => {
  service = await startService();
  waitingUserId = await aWaitingUser();
});
afterAll(async () => {
  await service.close();
});

async function aWaitingUser(): Promise<string> {
  const customer = new RecordedJourney(service.url, 'vindhya', aPerson({ account: anAccount('0202') }));
  await customer.register();
  const userId = (await customer.logIn()).body.payload['user_id'] as string;
  await customer.pan();
  expect((await customer.tryBank()).status).toBe(202);
  return userId;
}

/** An application with a route that declares nothing about the audit trail. */
async function startForgetfulApp(): Promise<TestApp> {
  @Controller('forgotten')
  class ForgottenController {
    @Get()
    read(): object {
      return { phone: '919876543210' };
    }
  }
  const config = usersConfig(service.environment);
  @Module({ imports: [AppModule.forRoot(config)], controllers: [ForgottenController] })
  class ForgetfulModule {}
  return startTestApp(ForgetfulModule, config.http, USERS_SERVICE, new FakeClock());
}

const shortTrailOf = async (userId: string): Promise<string[]> =>
  (await trailOf(service, userId)).map(shortOf);

/** Events of a first login. */
const LOGIN = ['LOGGED_IN', 'CONSENT_GIVEN'];

describe('audit declarations of the routes', () => {
  interface Route {
    readonly name: string;
    readonly declaration: AuditDeclaration | undefined;
    /** Whether the handler answers by `@Res()`, which hides its outcome from the interceptors. */
    readonly sendsItself: boolean;
    readonly interceptors: readonly unknown[];
  }

  function sendsItself(controller: object, method: string): boolean {
    const args = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) as object | undefined;
    const takesResponse = Object.keys(args ?? {}).some((key) =>
      key.startsWith(`${RouteParamtypes.RESPONSE}:`),
    );
    return takesResponse && Reflect.getMetadata(RESPONSE_PASSTHROUGH_METADATA, controller, method) !== true;
  }

  function nameOf(handler: object, prefix: string): string {
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number];
    const path = `/${prefix}/${String(Reflect.getMetadata(PATH_METADATA, handler))}`;
    return `${method} ${path.replaceAll(/\/+/g, '/')}`;
  }

  function routesOf(controller: { readonly prototype: object }): Route[] {
    const prefix = String(Reflect.getMetadata(PATH_METADATA, controller) ?? '');
    return Object.entries(Object.getOwnPropertyDescriptors(controller.prototype))
      .map(([method, { value }]) => ({ method, handler: value as object }))
      .filter(({ handler }) => Reflect.hasMetadata(METHOD_METADATA, handler))
      .map(({ method, handler }) => ({
        name: nameOf(handler, prefix),
        declaration: Reflect.getMetadata(AUDIT, handler) as AuditDeclaration | undefined,
        sendsItself: sendsItself(controller, method),
        interceptors: (Reflect.getMetadata(INTERCEPTORS_METADATA, handler) ?? []) as unknown[],
      }));
  }

  const routes = (): Route[] =>
    [...service.app.get(ModulesContainer).values()]
      .flatMap(({ controllers }) => [...controllers.values()])
      .flatMap(({ metatype }) => routesOf(metatype as unknown as { prototype: object }));

  it('finds an audit declaration on every route except those for operators', () => {
    expect(routes().length).toBeGreaterThan(30);
    const silent = routes().filter(({ declaration }) => declaration === undefined);
    expect(silent.map(({ name }) => name).sort()).toEqual([
      // the handler of unknown routes
      'ALL /{*path}',
      'GET /health/live',
      'GET /health/ready',
      'GET /metrics',
    ]);
  });

  it('gives each audited route a known action of its own', () => {
    const actions = routes().flatMap(({ declaration }) =>
      declaration && 'action' in declaration ? [declaration.action] : [],
    );
    expect(new Set(actions).size).toBe(actions.length);
    for (const action of actions) expect(Object.keys(AUDIT_ACTIONS)).toContain(action);
  });

  it('finds no route that bypasses the audit trail, except the metrics', () => {
    const past = routes().filter(({ sendsItself }) => sendsItself);
    expect(past.map(({ name }) => name)).toEqual(['GET /metrics']);
  });

  it('refuses to start with a route without an audit declaration', async () => {
    await expect(startForgetfulApp()).rejects.toThrow(
      'ForgottenController.read has neither @Audited() nor @Unaudited()',
    );
  });

  it('repeats answers of every POST but exports and those of vendors and backends, and records the repeats', () => {
    const posts = routes().filter(({ name }) => name.startsWith('POST '));
    const once = posts
      .filter(({ interceptors }) => !interceptors.includes(IdempotencyInterceptor))
      .map(({ name }) => name);
    // all data of a person is never stored as an answer
    const exports = 'POST /api/v1/user-data-export/';
    // the id of the event is the key
    const replay = 'POST /partner/v1/events/:event_id/replay';
    expect(once.sort()).toEqual([exports, 'POST /api/v1/webhooks/:vendor', replay]);
    for (const { name, interceptors, declaration } of posts) {
      if (!declaration || !('action' in declaration)) continue;
      const places = [AuditInterceptor, IdempotencyInterceptor].map((each) => interceptors.indexOf(each));
      // the first interceptor is the outermost
      expect([name, places]).toEqual([name, once.includes(name) ? [0, -1] : [0, 1]]);
    }
  });
});

/** Actions that each call of a journey records, apart from the eKYC status. */
const RECORDED: Readonly<Record<string, readonly string[]>> = {
  '/auth/register': [],
  '/auth/api/v2/register/verify': LOGIN,
  '/api/v1/user-profile': ['PROFILE_READ'],
  '/api/v1/insights-tracking': [],
  '/issuer-apis/:slug/v1/lead': ['LEAD_OPENED'],
  '/issuer-apis/:slug/v1/kyc-context': ['KYC_CONTEXT_READ'],
  '/api/v1/pan-verification': ['CONSENT_GIVEN', 'PAN_SENT_TO_REGISTRY', 'PAN_VERIFIED'],
  '/issuer-apis/:slug/v2/check-etb': ['ISSUER_ASKED', 'EXISTING_CUSTOMER_CHECKED'],
  '/issuer-apis/:slug/v1/document-locker/session': ['CONSENT_GIVEN', 'LOCKER_SESSION_OPENED'],
  '/issuer-apis/:slug/v1/document-locker/session/:id': ['EKYC_VERIFIED', 'LOCKER_SESSION_READ'],
  '/issuer-apis/:slug/v1/aadhaar-ekyc/send-otp': ['CONSENT_GIVEN', 'AADHAAR_CODE_SENT'],
  '/issuer-apis/:slug/v1/aadhaar-ekyc/verify-otp': ['EKYC_VERIFIED', 'AADHAAR_CODE_CHECKED'],
  '/api/v1/email/send-otp': ['EMAIL_CODE_SENT'],
  '/api/v1/email/verify-otp': ['EMAIL_VERIFIED'],
  '/api/v1/personal-details/options': [],
  '/api/v1/personal-details': ['PERSONAL_DETAILS_SAVED'],
  '/api/v1/bank/sync-to-issuer': ['BANK_ACCOUNT_GIVEN', 'BANK_ACCOUNT_REGISTERED'],
  '/api/v1/user-nominee': ['NOMINATION_MADE'],
  '/issuer-apis/:slug/v1/booking-check': ['BOOKING_CHECKED'],
};

/**
 * The first status call opens the request; the last records its result unless another call has done so. A read of the
 * status is recorded once a minute.
 */
const STATUS_CALLS = {
  aravalli: [['EKYC_STARTED', 'EKYC_STATUS_READ'], ['EKYC_VERIFIED']],
  kaveri: [['EKYC_STARTED', 'EKYC_STATUS_READ'], []],
  sahyadri: [['EKYC_STARTED', 'EKYC_STATUS_READ'], []],
};

describe('audit trail of a whole journey', () => {
  let alone: TestService;
  beforeAll(async () => {
    alone = await startService({});
    // otherwise a worker may register the account before the call does, and record it without a request id
    await alone.app.get(Jobs).beforeApplicationShutdown();
  });
  afterAll(() => alone.close());

  it.each(['aravalli', 'kaveri', 'sahyadri'] as const)(
    'records each action of a journey with %s once, with the user as actor and subject and the request id of the call',
    async (slug) => {
      // a read is recorded once a minute
      jest.spyOn(alone.clock, 'machineNow').mockReturnValue(new Date());
      const customer = new RecordedJourney(alone.url, slug, aPerson());
      await customer.all();
      await customer.bookingCheck();
      const userId = (await customer.profile()).body.payload['user_id'] as string;
      const trail = await trailOf(alone, userId);
      const status = [...STATUS_CALLS[slug]];
      let isProfileRead = false;
      const expected = customer.calls.flatMap(({ path, requestId }) => {
        const pattern = path.replace(`/${slug}/`, '/:slug/').replace(/session\/.+/, 'session/:id');
        const actions = pattern.endsWith('/check-status') ? status.shift()! : RECORDED[pattern]!;
        // the profile is read several times within a minute
        if (actions.includes('PROFILE_READ') && isProfileRead) return [];
        isProfileRead ||= actions.includes('PROFILE_READ');
        return actions.map((action) => [action, requestId]);
      });
      expect(trail.map((event) => [shortOf(event), event.requestId])).toEqual(expected);
      const [{ objectId: sessionId }] = trail as [(typeof trail)[0]];
      for (const { actor, subjectUserId, ...event } of trail) {
        expect([actor, subjectUserId, event.sessionId]).toEqual([`user:${userId}`, userId, sessionId]);
      }
      const ofIssuer = trail.filter(({ issuerSlug }) => issuerSlug !== null);
      expect(new Set(ofIssuer.map(({ issuerSlug }) => issuerSlug))).toEqual(new Set([slug]));
    },
  );
});

describe('audit trail of refused calls', () => {
  it('records a refused call with its code, after the actions that came before the refusal', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const body = { number: aPan({ digits: '0404' }), dob: '1990-04-21', consent_checked: true };
    expectRefusal(await api.post('/api/v1/pan-verification', body), PanErrors.notFound);
    expect(await shortTrailOf(user.user_id)).toEqual([
      ...LOGIN,
      'CONSENT_GIVEN',
      'PAN_SENT_TO_REGISTRY',
      `PAN_VERIFIED REFUSED ${PanErrors.notFound.code}`,
    ]);
  });

  it('records a refused call about the record of another user for the caller, with the id of the record', async () => {
    const [owner, stranger] = [await logIn(service), await logIn(service)];
    const { body } = await postNominee(as(service.api, owner));
    const { nominee_id: id } = (body as { payload: { nominee_id: string } }).payload;
    expectRefusal(
      await as(service.api, stranger).delete(`/api/v1/user-nominee/${id}`),
      GeneralErrors.recordUnknown,
    );
    const event = (await trailOf(service, stranger.user_id)).at(-1)!;
    expect([shortOf(event), event.objectId]).toEqual([
      `NOMINEE_REMOVED REFUSED ${GeneralErrors.recordUnknown.code}`,
      id,
    ]);
    expect(await shortTrailOf(owner.user_id)).toEqual([...LOGIN, 'NOMINATION_MADE']);
  });

  it('stores no unknown issuer, malformed id or client-made request id of a refused call', async () => {
    const user = await logIn(service);
    const api = as(service.api, user).with({
      bearer: user.access_token,
      headers: { 'x-request-id': 'retry-of-919876543210' },
    });
    const booking = await api.get('/issuer-apis/919876543210/v1/booking-check');
    expectRefusal(booking, IssuerErrors.unknown);
    const verification = await api.get('/api/v1/bank/verification/919876543210');
    expectRefusal(verification, GeneralErrors.recordUnknown);
    const events = (await trailOf(service, user.user_id)).slice(LOGIN.length);
    expect(events.map(shortOf)).toEqual([
      `BOOKING_CHECKED REFUSED ${IssuerErrors.unknown.code}`,
      `BANK_ACCOUNT_READ REFUSED ${GeneralErrors.recordUnknown.code}`,
    ]);
    expect(events.map(({ issuerSlug, objectId, requestId }) => [issuerSlug, objectId, requestId])).toEqual([
      [null, null, booking.headers['x-request-id']],
      [null, null, verification.headers['x-request-id']],
    ]);
  });
});

describe('audit trail of repeated reads', () => {
  afterEach(() => service.clock.reset());

  it('records reads of one object by one session once a minute', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const read = async () => {
      for (const path of ['/api/v1/user-profile', '/api/v1/consents'])
        for (let call = 0; call < 5; call++) expect((await api.get(path)).status).toBe(200);
    };
    await read();
    const once = ['PROFILE_READ', 'CONSENTS_READ'];
    expect(await shortTrailOf(user.user_id)).toEqual([...LOGIN, ...once]);
    service.clock.advanceSeconds(61);
    await read();
    expect(await shortTrailOf(user.user_id)).toEqual([...LOGIN, ...once, ...once]);
    // another session of the user has events of its own
    await as(service.api, await logIn(service, user.phone)).get('/api/v1/user-profile');
    expect(await shortTrailOf(user.user_id)).toEqual([
      ...LOGIN,
      ...once,
      ...once,
      'LOGGED_IN',
      'PROFILE_READ',
    ]);
  });

  it('records reads refused with the same code once a minute, for any ids', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    for (let call = 0; call < 5; call++)
      expectRefusal(
        await api.get(`/api/v1/bank/verification/${crypto.randomUUID()}`),
        GeneralErrors.recordUnknown,
      );
    expect(await shortTrailOf(user.user_id)).toEqual([
      ...LOGIN,
      `BANK_ACCOUNT_READ REFUSED ${GeneralErrors.recordUnknown.code}`,
    ]);
  });

  it('records changes refused to a session with the same code once a minute, and every successful change', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const refused = `NOMINEE_REMOVED REFUSED ${GeneralErrors.recordUnknown.code}`;
    const refuse = async () => {
      for (let call = 0; call < 5; call++)
        expectRefusal(
          await api.delete(`/api/v1/user-nominee/${crypto.randomUUID()}`),
          GeneralErrors.recordUnknown,
        );
    };
    await refuse();
    const { nominees } = await nominate(api);
    expect((await api.delete(`/api/v1/user-nominee/${nominees[0]!.nominee_id}`)).status).toBe(200);
    await refuse();
    const done = ['NOMINATION_MADE', 'NOMINEE_REMOVED'];
    expect(await shortTrailOf(user.user_id)).toEqual([...LOGIN, refused, ...done]);
    service.clock.advanceSeconds(61);
    await refuse();
    expect(await shortTrailOf(user.user_id)).toEqual([...LOGIN, refused, ...done, refused]);
    // another action or another code is recorded separately
    expectRefusal(await api.put('/api/v1/user-nominee/x', {}), GeneralErrors.recordUnknown);
    expect(await shortTrailOf(user.user_id)).toHaveLength(LOGIN.length + 5);
  });

  it('records the questions to an issuer about one lead once a minute', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const ask = async (lead_id: string) => {
      for (let call = 0; call < 3; call++)
        expect((await api.post(issuerPath('sahyadri', 'v1/kyc-context'), { lead_id })).status).toBe(200);
    };
    const { body } = await api.post(issuerPath('sahyadri', 'v1/lead'), {});
    const { lead_id: lead } = (body as { payload: { lead_id: string } }).payload;
    await ask(lead);
    const read = async () =>
      (await trailOf(service, user.user_id)).flatMap(({ action, objectId }) =>
        action === 'KYC_CONTEXT_READ' ? [objectId] : [],
      );
    expect(await read()).toEqual([lead]);
    service.clock.advanceSeconds(61);
    await ask(lead);
    expect(await read()).toEqual([lead, lead]);
  });
});

describe('audit trail of repeated calls that change nothing', () => {
  const five = async (call: () => Promise<Response>) => {
    const statuses = new Set<number>();
    for (let i = 0; i < 5; i++) statuses.add((await call()).status);
    return [...statuses];
  };
  const after = async (userId: string) => (await shortTrailOf(userId)).slice(LOGIN.length);

  it('records answers repeated under an idempotency key once a minute', async () => {
    const user = await logIn(service);
    const api = service.api.with({ bearer: user.access_token, headers: { 'idempotency-key': 'five' } });
    expect(await five(() => postNominee(api))).toEqual([201]);
    expect(await after(user.user_id)).toEqual(['NOMINATION_MADE', 'NOMINATION_MADE REPEATED']);
  });

  it("records a PAN sent again, and the issuer's answer about its holder, once a minute", async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const body = panBody();
    expect(await five(() => postPan(api, body))).toEqual([200]);
    expect(await five(() => api.post(issuerPath('aravalli', 'v2/check-etb'), {}))).toEqual([200]);
    expect(await after(user.user_id)).toEqual([
      'CONSENT_GIVEN',
      'PAN_SENT_TO_REGISTRY',
      'PAN_VERIFIED',
      'ISSUER_ASKED',
      'EXISTING_CUSTOMER_CHECKED',
    ]);
  });

  it('records the state of an eKYC, and a repeated consent, once a minute', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    expect(await five(() => api.post(issuerPath('aravalli', 'v3/check-status'), {}))).toEqual([200]);
    const consent = { purpose: 'CKYC', notice_version: '2026-11' };
    expect(await five(() => api.post('/api/v1/consents', consent))).toEqual([200]);
    expect(await after(user.user_id)).toEqual(['EKYC_STARTED', 'EKYC_STATUS_READ', 'CONSENT_GIVEN']);
  });

  it('records a bank account sent again once a minute, however its holder is spelled', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const body = bankBody();
    expect(await five(() => postBank(api, body))).toEqual([200]);
    expect(await after(user.user_id)).toEqual(['BANK_ACCOUNT_GIVEN']);
    for (const account_holder_full_name of ['Asha K Rao', 'asha rao', 'Asha  Rao'])
      expect((await postBank(api, { ...body, account_holder_full_name })).status).toBe(200);
    expect(await after(user.user_id)).toEqual(['BANK_ACCOUNT_GIVEN']);
  });

  it('records a bank account that is refused again for the same reason once a minute', async () => {
    const user = await logIn(service);
    await knownAs(service, user.user_id, HOLDER);
    const body = bankBody({ account_holder_full_name: 'Zubin Daruwala', issuer_code: 'ARAVFIN' });
    expect(await five(() => postBank(as(service.api, user), body))).toEqual([400]);
    const { code } = BankErrors.holderDiffers;
    expect(await after(user.user_id)).toEqual([
      'PAN_VERIFIED',
      `BANK_ACCOUNT_REGISTERED REFUSED ${code}`,
      `BANK_ACCOUNT_GIVEN REFUSED ${code}`,
    ]);
  });

  it('records the spared eKYC of an existing customer once, however often the issuer is asked', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    await verifyPan(api, panBody(aPan({ digits: '0200' })));
    expect(await five(() => api.post(issuerPath('vindhya', 'v2/check-etb'), {}))).toEqual([200]);
    expect((await after(user.user_id)).slice(-3)).toEqual([
      'ISSUER_ASKED',
      'EXISTING_CUSTOMER_CHECKED',
      'EKYC_SPARED EXISTING_CUSTOMER',
    ]);
  });

  it('records each mail with a code', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    for (let i = 0; i < 2; i++)
      expect(
        (await api.post('/api/v1/email/send-otp', { email: `asha.${crypto.randomUUID()}@example.in` }))
          .status,
      ).toBe(200);
    expect(await after(user.user_id)).toEqual(['EMAIL_CODE_SENT', 'EMAIL_CODE_SENT']);
  });
});

describe('audit trail of sessions and consents', () => {
  it('records logins, reads, ended sessions and withdrawn consents up to the logout', async () => {
    const user = await logIn(service);
    const second = await logIn(service, user.phone);
    const api = as(service.api, user);
    const { body } = await api.get('/api/v1/user-sessions');
    const { sessions } = (body as { payload: { sessions: { session_id: string; is_current: boolean }[] } })
      .payload;
    const revoked = sessions.find(({ is_current: isCurrent }) => !isCurrent)!.session_id;
    await api.delete(`/api/v1/user-sessions/${revoked}`);
    const consents = await api.get('/api/v1/consents');
    const [consent] = (consents.body as { payload: { consents: [{ consent_id: string }] } }).payload.consents;
    await service.api.raw(
      'post',
      `/api/v1/consents/${consent.consent_id}/withdraw`,
      undefined,
      'application/json',
      { bearer: user.access_token },
    );
    await api.post('/auth/api/v2/logout', { all_devices: true });
    const trail = await trailOf(service, user.user_id);
    expect(second.user_id).toBe(user.user_id);
    expect(trail.map(shortOf)).toEqual([
      ...LOGIN,
      // the second login adds no new consent
      'LOGGED_IN',
      'SESSIONS_READ',
      'SESSION_ENDED',
      'CONSENTS_READ',
      'CONSENT_WITHDRAWN',
      'LOGGED_OUT',
    ]);
    const objectOf = (action: string) => trail.find((event) => event.action === action)!.objectId;
    expect([objectOf('SESSION_ENDED'), objectOf('CONSENT_WITHDRAWN'), objectOf('LOGGED_OUT')]).toEqual([
      revoked,
      consent.consent_id,
      null,
    ]);
  });

  it('records a reused refresh token with an unknown actor and the id of the session', async () => {
    const user = await logIn(service);
    const refresh = () =>
      service.api.post('/auth/api/v2/token/refresh', { refresh_token: user.refresh_token });
    expect((await refresh()).status).toBe(200);
    await service.dataSource.query(
      `UPDATE onboarding.refresh_tokens SET rotated_at = rotated_at - interval '31 seconds' WHERE rotated_at IS NOT NULL`,
    );
    expectRefusal(await refresh(), SessionErrors.refreshTokenReused);
    const trail = await trailOf(service, user.user_id);
    const [login, reuse] = [trail[0]!, trail.at(-1)!];
    expect([shortOf(reuse), reuse.actor, reuse.objectId]).toEqual([
      'REFRESH_TOKEN_REUSED',
      'unknown',
      login.objectId,
    ]);
  });
});

describe('audit trail of repeated answers', () => {
  it('records an answer repeated under an idempotency key as repeated', async () => {
    const user = await logIn(service);
    const api = service.api.with({ bearer: user.access_token, headers: { 'idempotency-key': 'nominee' } });
    for (let call = 0; call < 2; call++) expect((await postNominee(api)).status).toBe(201);
    expect(await shortTrailOf(user.user_id)).toEqual([
      ...LOGIN,
      'NOMINATION_MADE',
      'NOMINATION_MADE REPEATED',
    ]);
  });
});

describe('audit trail of the bank worker', () => {
  it('records a registration by the worker with the worker as actor', async () => {
    await eventually(async () => {
      await handOverToBankWorker(service, waitingUserId);
      const last = (await trailOf(service, waitingUserId)).at(-1)!;
      expect([shortOf(last), last.actor, last.sessionId, last.requestId, last.issuerSlug]).toEqual([
        'BANK_ACCOUNT_REGISTERED',
        'system:bank-worker',
        null,
        null,
        'vindhya',
      ]);
    });
  });
});

describe('calls while the audit trail is unavailable', () => {
  const rename = (from: string, to: string) =>
    service.dataSource.query(`ALTER TABLE onboarding.${from} RENAME TO ${to}`);

  it('refuses reads and changes that it cannot record, and still answers refusals', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    await rename('audit_unsealed', 'audit_away');
    try {
      expectRefusal(await api.get('/api/v1/user-sessions'), GeneralErrors.unavailable);
      // recorded by the same statement that reads or changes
      expect((await api.get('/api/v1/user-profile')).status).toBe(500);
      expect((await postNominee(api)).status).toBe(500);
      expectRefusal(await api.delete('/api/v1/user-nominee/nobody'), GeneralErrors.recordUnknown);
    } finally {
      await rename('audit_away', 'audit_unsealed');
    }
    expect((await nomineesOf(api)).nominees).toHaveLength(0);
    const { text } = await service.api.get('/metrics');
    expect(text).toMatch(/audit_calls_unrecorded_total\{outcome="ok"\} 1\n/);
    expect(text).toMatch(/audit_calls_unrecorded_total\{outcome="refused"\} [1-9]/);
  });

  it('returns 503 to a read while a lock blocks the trail, and serves it afterwards', async () => {
    const user = await logIn(service);
    await service.dataSource.transaction(async (manager) => {
      await manager.query('LOCK TABLE onboarding.audit_unsealed IN ACCESS EXCLUSIVE MODE');
      expectRefusal(await as(service.api, user).get('/api/v1/user-profile'), GeneralErrors.unavailable);
    });
    expect((await as(service.api, user).get('/api/v1/user-profile')).status).toBe(200);
    expect(await shortTrailOf(user.user_id)).toEqual([...LOGIN, 'PROFILE_READ']);
  });
});
