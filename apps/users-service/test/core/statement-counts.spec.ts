import { TcpProxy } from '@fd/testing';
import { DataSource } from 'typeorm';
import type { Response } from 'supertest';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { aPhone, codeOf } from '../support/inbox.js';
import { as, verifyBody } from '../support/login.js';
import { panBody, postPan } from '../support/pan.js';
import { noteStatements } from '../support/sent-statements.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

describe('the hot calls', () => {
  let service: TestService;
  let replica: UsersApp;
  let proxy: TcpProxy;
  beforeAll(async () => {
    service = await startService({});
    proxy = await TcpProxy.before(service.environment['DATABASE_URL']!);
    replica = await service.replica({ DATABASE_URL: proxy.url });
    // nothing but the calls talks to PostgreSQL
    await replica.app.get(Jobs).beforeApplicationShutdown();
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
      'profile: first': { statements: 4, roundTrips: 3 },
      profile: { statements: 2, roundTrips: 2 },
      PAN: { statements: 12, roundTrips: 6 },
      verify: { statements: 9, roundTrips: 3 },
    });
  });
});
