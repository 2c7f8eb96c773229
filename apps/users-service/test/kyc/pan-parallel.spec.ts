import { expectRefusal, inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import type { PanVerificationPayload } from '@fd/contracts';
import { PanErrors } from '@fd/errors';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { effectsOf } from '../support/effects.js';
import { as, logIn } from '../support/login.js';
import { aPan, panBody, postPan, verifyPan } from '../support/pan.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

describe('parallel PAN verifications', () => {
  let service: TestService;
  let replica: UsersApp;
  beforeAll(async () => {
    service = await startService();
    replica = await service.replica();
  });
  afterAll(() => service.close());

  const on = (i: number): UsersApp => (i % 2 ? replica : service);
  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user), on: (i: number) => as(on(i).api, user) };
  };
  const idOf = (response: Response) =>
    (response.body as { payload: PanVerificationPayload }).payload.verification_id;
  /** Moves the look-ups of a user into the past. */
  const ageLookups = (userId: string, seconds: number) =>
    service.dataSource.query(
      'UPDATE onboarding.pan_lookups SET started_at = started_at - make_interval(secs => $2) WHERE user_id = $1',
      [userId, seconds],
    );
  const lookupsOf = async (userId: string) =>
    (
      await service.dataSource.query<unknown[]>('SELECT 1 FROM onboarding.pan_lookups WHERE user_id = $1', [
        userId,
      ])
    ).length;

  it('verifies a PAN for exactly one of eight users who send it in parallel', async () => {
    const users = await inParallel(8, () => aUser());
    const body = panBody();
    const responses = await Promise.all(users.map((user, i) => postPan(user.on(i), body)));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(7);
    for (const response of refused) expectRefusal(response, PanErrors.belongsToAnotherUser);
    const winner = users[responses.findIndex(({ status }) => status === 200)]!;
    expect(await verifyPan(winner.api, body)).toMatchObject({ is_pan_verified: true });
  });

  it('makes one verification for eight parallel calls of a user, with at most one look-up on each replica', async () => {
    const user = await aUser();
    const body = panBody();
    const responses = await inParallel(8, (i) => postPan(user.on(i), body));
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(responses.map(idOf)).size).toBe(1);
    const lookups = await effectsOf('pan', body.number);
    expect([1, 2]).toContain(lookups.length);
    expect(await lookupsOf(user.user_id)).toBe(lookups.length);
  });

  it('verifies exactly one of eight PANs that a user sends in parallel', async () => {
    const user = await aUser();
    const responses = await inParallel(8, (i) => postPan(user.on(i)));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(7);
    for (const response of refused) expectRefusal(response, PanErrors.anotherPanVerified);
  });

  describe('daily limit of PAN look-ups', () => {
    const unknownPan = () => panBody(aPan({ digits: '0404' }));

    it('makes exactly ten of 15 look-ups requested at once on two replicas', async () => {
      const user = await aUser();
      const bodies = Array.from({ length: 15 }, unknownPan);
      const responses = await inParallel(15, (i) => postPan(user.on(i), bodies[i]));
      const refused = responses.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(5);
      for (const response of refused) expectRefusal(response, PanErrors.tooManyLookups);
      for (const response of responses.filter(({ status }) => status !== 429))
        expectRefusal(response, PanErrors.notFound);
      const effects = await Promise.all(bodies.map(({ number }) => effectsOf('pan', number)));
      expect(effects.flat()).toHaveLength(10);
    });

    it('answers 429 with Retry-After after ten look-ups in 24 hours, and frees them one by one', async () => {
      const user = await aUser();
      expectRefusal(await postPan(user.api, unknownPan()), PanErrors.notFound);
      await ageLookups(user.user_id, 3_600);
      for (let i = 1; i < 10; i++) expectRefusal(await postPan(user.api, unknownPan()), PanErrors.notFound);
      const refused = await postPan(user.api);
      expectRefusal(refused, PanErrors.tooManyLookups);
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThan(82_000);
      expect(seconds).toBeLessThanOrEqual(82_800);
      await ageLookups(user.user_id, seconds);
      expectRefusal(await postPan(user.api, unknownPan()), PanErrors.notFound);
      expectRefusal(await postPan(user.api), PanErrors.tooManyLookups);
    });

    it('counts look-ups of PANs of other users, so that PANs cannot be probed', async () => {
      const [user, other] = [await aUser(), await aUser()];
      const { number } = await verifyPan(other.api);
      for (let i = 0; i < 10; i++)
        expectRefusal(await postPan(user.api, panBody(number)), PanErrors.belongsToAnotherUser);
      expectRefusal(await postPan(user.api, panBody(number)), PanErrors.tooManyLookups);
    });

    it('answers a repeat of a verified PAN when no look-up is left', async () => {
      const user = await aUser();
      for (let i = 0; i < 9; i++) await postPan(user.api, unknownPan());
      const body = panBody();
      const first = await verifyPan(user.api, body);
      expect(await verifyPan(user.api, body)).toEqual(first);
      expect(await lookupsOf(user.user_id)).toBe(10);
    });

    it('deletes the records of look-ups after 24 hours', async () => {
      const user = await aUser();
      await postPan(user.api, unknownPan());
      await ageLookups(user.user_id, 86_400);
      await postPan(user.api, unknownPan());
      await service.app.get(Jobs).runCleanup();
      expect(await lookupsOf(user.user_id)).toBe(1);
    });

    it('counts the look-ups of each user separately', async () => {
      const [user, other] = [await aUser(), await aUser()];
      for (let i = 0; i < 10; i++) await postPan(user.api, unknownPan());
      await verifyPan(other.api);
    });
  });
});
