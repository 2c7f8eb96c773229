import { TcpProxy } from '@fd/testing';
import { DataSource } from 'typeorm';
import type { Response } from 'supertest';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { PartnerEvents } from '../../src/events/index.js';
import { aPhone, codeOf } from '../support/inbox.js';
import { type Answer, JourneyClient } from '../support/journey-client.js';
import { as, verifyBody } from '../support/login.js';
import { panBody, postPan } from '../support/pan.js';
import { aPerson } from '../support/person.js';
import { noteStatements } from '../support/sent-statements.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

/** Statements of the first call to each route, by issuer. */
const COMMON = {
  'GET /api/v1/personal-details/options': 2,
  'GET /api/v1/user-profile': 4,
  'GET /issuer-apis/{issuer}/v1/booking-check': 7,
  'POST /api/v1/email/send-otp': 6,
  'POST /api/v1/email/verify-otp': 8,
  'POST /api/v1/insights-tracking': 6,
  'POST /api/v1/pan-verification': 12,
  'POST /api/v1/user-nominee': 10,
  'POST /auth/api/v2/register/verify': 9,
  'POST /auth/register': 1,
  'POST /issuer-apis/{issuer}/v2/check-etb': 15,
  'POST /issuer-apis/{issuer}/v3/check-status': 27,
};

const JOURNEYS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  kaveri: {
    ...COMMON,
    'GET /issuer-apis/{issuer}/v1/document-locker/session/{id}': 29,
    // decides later, and is polled within the call
    'POST /api/v1/bank/sync-to-issuer': expect.any(Number),
    'POST /api/v1/personal-details': 16,
    'POST /issuer-apis/{issuer}/v1/document-locker/session': 42,
  },
  aravalli: { ...COMMON, 'POST /api/v1/bank/sync-to-issuer': 57, 'POST /api/v1/personal-details': 14 },
  sahyadri: {
    ...COMMON,
    'POST /api/v1/bank/sync-to-issuer': 57,
    'POST /api/v1/personal-details': 14,
    'POST /issuer-apis/{issuer}/v1/aadhaar-ekyc/send-otp': 27,
    'POST /issuer-apis/{issuer}/v1/aadhaar-ekyc/verify-otp': 22,
    'POST /issuer-apis/{issuer}/v1/kyc-context': 8,
    'POST /issuer-apis/{issuer}/v1/lead': 12,
  },
};

describe('the calls', () => {
  let service: TestService;
  let replica: UsersApp;
  let proxy: TcpProxy;
  beforeAll(async () => {
    service = await startService({});
    proxy = await TcpProxy.before(service.environment['DATABASE_URL']!);
    replica = await service.replica({ DATABASE_URL: proxy.url });
    // nothing but the calls talks to PostgreSQL
    await replica.app.get(Jobs).beforeApplicationShutdown();
    await replica.app.get(PartnerEvents).refresh();
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await service.close();
    await proxy.close();
  });

  it('send as few statements to PostgreSQL, in as few round trips, as before', async () => {
    const sent = noteStatements(replica.app.get(DataSource));
    const counts: Record<string, { statements: number; roundTrips: number }> = {};
    const count = async (name: string, call: () => Promise<Response>): Promise<Response> => {
      const before = { statements: sent.length, roundTrips: proxy.roundTrips };
      const response = await call();
      expect([name, response.body]).toMatchObject([name, { success: 1 }]);
      counts[name] = {
        statements: sent.length - before.statements,
        roundTrips: proxy.roundTrips - before.roundTrips,
      };
      return response;
    };
    const phone = aPhone();
    const verify = async (): Promise<Response> =>
      replica.api.post('/auth/api/v2/register/verify', verifyBody(phone, await codeOf(phone)));

    await count('register', () => replica.api.post('/auth/register', { phone }));
    const { body } = await count('verify: a new user', verify);
    const api = as(replica.api, body.payload as { access_token: string });
    await count('profile: first', () => api.get('/api/v1/user-profile'));
    await count('profile', () => api.get('/api/v1/user-profile'));
    await count('PAN', () => postPan(api, panBody()));
    await replica.api.post('/auth/register', { phone });
    await count('verify', verify);

    // without BEGIN and COMMIT; each call of a session also reads the session
    expect(counts).toEqual({
      register: { statements: 1, roundTrips: 1 },
      'verify: a new user': { statements: 9, roundTrips: 2 },
      'profile: first': { statements: 4, roundTrips: 4 },
      profile: { statements: 2, roundTrips: 2 },
      PAN: { statements: 12, roundTrips: 6 },
      verify: { statements: 9, roundTrips: 3 },
    });
  });

  it.each(['kaveri', 'aravalli', 'sahyadri'] as const)(
    'send as few statements to PostgreSQL as before in a journey with %s',
    async (issuer) => {
      const sent = noteStatements(replica.app.get(DataSource));
      const customer = new CountedCalls(replica.url, issuer, aPerson());
      await customer.all();
      await customer.bookingCheck();
      const counts = Object.entries(customer.firstCalls).map(([call, id]) => [
        call,
        sent.filter(({ requestId }) => requestId === id).length,
      ]);
      expect(Object.fromEntries(counts)).toEqual(JOURNEYS[issuer]);
    },
  );
});

/** Notes the request id of the first call to each route. */
class CountedCalls extends JourneyClient {
  readonly firstCalls: Record<string, string> = {};

  override async call(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const answer = await super.call(method, path, body);
    const route = path
      .replace(/\?.*/, '')
      .replace(/[0-9a-f-]{36}/, '{id}')
      .replace(this.issuer, '{issuer}');
    this.firstCalls[`${method} ${route}`] ??= answer.headers.get('x-request-id')!;
    return answer;
  }
}
