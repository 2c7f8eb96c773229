import { randomUUID } from 'node:crypto';
import { timeLimit } from '@fd/envelope';
import { GeneralErrors, PanErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { PanNotices } from '../../src/kyc/pan/pan-notices.js';
import { shortOf, trailOf } from '../support/audit.js';
import { finishEkyc } from '../support/ekyc.js';
import { inboxOf } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { countRefusals, runPan, WHO } from '../support/operator.js';
import { aPan, getPan, panBody, postPan, verifyPan } from '../support/pan.js';
import { BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

describe('pan release command', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const run = (input: string, ...args: string[]) => runPan(service, input, 'release', ...args);

  it.each(['--user', 'standard input'])(
    'releases a PAN by %s from a user whose eKYC is verified, and another user may verify it',
    async (by) => {
      const [first, later] = [await logIn(service), await logIn(service)];
      const [api, others] = [as(service.api, first), as(service.api, later)];
      const body = panBody();
      const { verification_id: verification } = await verifyPan(api, body);
      const { body: status } = await api.post(issuerPath('aravalli', 'v3/check-status'), {});
      await finishEkyc(status.payload.ekyc_request_id as string, 'verified');
      await api.post(issuerPath('aravalli', 'v3/check-status'), {});
      const line =
        by === '--user'
          ? await run('', '--user', first.user_id, ...WHO)
          : await run(`${body.number}\n`, ...WHO);
      expect(line).toMatch(
        new RegExp(`^released\t${first.user_id}\tXXXXXX${body.number.slice(6)}\t${verification}\t\\S+Z\n$`),
      );
      const released = (await trailOf(service, first.user_id)).at(-1)!;
      expect([shortOf(released), released.actor, released.objectId]).toEqual([
        'PAN_RELEASED TICKET_4711',
        'operator:pan release by asha-rao',
        verification,
      ]);
      const { body: profile } = await api.get('/api/v1/user-profile');
      expect(profile.payload).toMatchObject({ pan: null, is_pan_verified: false, is_ekyc_verified: false });
      const { body: journey } = await api.get(issuerPath('aravalli', 'v1/journey'));
      expect(journey.payload.steps).toContainEqual(
        expect.objectContaining({ step: 'EKYC', status: 'LOCKED' }),
      );
      // the operator's reason is for the audit trail only
      expect(journey.payload.steps).toContainEqual(
        expect.objectContaining({ step: 'PAN', status: 'DUE', reason: 'PAN_RELEASED' }),
      );
      await verifyPan(others, body);
      expectRefusal(await postPan(api, body), PanErrors.belongsToAnotherUser);
    },
  );

  it('shows a PAN verified later only under its own id', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const { verification_id: former } = await verifyPan(api);
    await run('', '--user', user.user_id, ...WHO);
    expectRefusal(await getPan(api, former), GeneralErrors.recordUnknown);
    await service.dataSource.query(
      `UPDATE onboarding.pan_checks SET settled_at = settled_at - interval '1 minute' WHERE id = $1`,
      [former],
    );
    const { verification_id: present } = await verifyPan(api);
    expectRefusal(await getPan(api, former), GeneralErrors.recordUnknown);
    expect((await getPan(api, present)).status).toBe(200);
  });

  it.each<[string, string, string[], RegExp]>([
    ['a missing operator name', '', ['--reason', 'X_1'], /--by/],
    ['no reason', '', ['--by', 'asha'], /--reason/],
    ['a reason in words', '', ['--by', 'asha', '--reason', 'he said so'], /--reason/],
    ['an invalid user id', '', ['--user', '7', ...WHO], /--user must be/],
    [
      'a PAN beside a user',
      'ABCPE1234F',
      ['--user', crypto.randomUUID(), ...WHO],
      /--user or a PAN, not both/,
    ],
    [
      'a file beside a user',
      '',
      ['--user', crypto.randomUUID(), '--file', '/dev/null', ...WHO],
      /--user or a PAN, not both/,
    ],
    ['a reason with a PAN', '', ['--by', 'asha', '--reason', 'PAN_ABCPE1234F'], /--reason must hold no PAN/],
    [
      'a reason with a phone',
      '',
      ['--by', 'asha', '--reason', 'CALL_919876543210'],
      /--reason must hold no PAN/,
    ],
    ['a user without a PAN', '', ['--user', crypto.randomUUID(), ...WHO], /This user has no PAN/],
    ['no PAN', 'ABCDE', WHO, /on standard input/],
    ['a PAN of no user', aPan(), WHO, /No user has this PAN/],
  ])('refuses %s', async (_name, input, args, message) => {
    await expect(run(input, ...args)).rejects.toThrow(message);
  });

  it.each<[string, string, string[]]>([
    ['a PAN beside a user', 'ABCPE1234F', ['--user', crypto.randomUUID()]],
    ['no PAN', 'ABCDE', []],
    ['a PAN of no user', aPan(), []],
  ])('records a release that is refused because of %s', async (_name, input, args) => {
    const before = await countRefusals(service, 'PAN_RELEASED');
    await expect(run(input, ...args, ...WHO)).rejects.toThrow();
    expect(await countRefusals(service, 'PAN_RELEASED')).toBe(before + 1);
  });

  it('records a release that is refused', async () => {
    const unknownId = crypto.randomUUID();
    await expect(run('', '--user', unknownId, ...WHO)).rejects.toThrow('This user has no PAN.');
    const events = await trailOf(service, unknownId);
    expect(events.map((event) => [shortOf(event), event.actor])).toEqual([
      ['PAN_RELEASED REFUSED TICKET_4711', 'operator:pan release by asha-rao'],
    ]);
  });
});

describe('message to a user whose PAN was taken over', () => {
  let service: TestService;
  let away: UsersApp;
  beforeAll(async () => {
    service = await startService({});
    const noProviders = { SMS_PRIMARY_URL: 'http://127.0.0.1:1', SMS_FALLBACK_URL: 'http://127.0.0.1:1' };
    away = await service.replica(noProviders);
    // the test itself runs the workers of these replicas
    for (const { app } of [service, away]) await app.get(Jobs).beforeApplicationShutdown();
  });
  afterAll(() => service.close());

  const send = ({ app }: UsersApp) => app.get(DurableCalls).advanceDue(app.get(PanNotices));
  const aNotice = async () => {
    const user = await logIn(service);
    await service.dataSource.query(
      'INSERT INTO onboarding.pan_notices (id, user_id, idempotency_key) VALUES ($1, $2, $1)',
      [randomUUID(), user.user_id],
    );
    const rows = (): Promise<{ state: string; tries: number }[]> =>
      service.dataSource.query('SELECT state, tries FROM onboarding.pan_notices WHERE user_id = $1', [
        user.user_id,
      ]);
    const messages = async () => (await inboxOf(user.phone)).filter(({ text }) => /eKYC/.test(text));
    const outcomes = async () =>
      (await trailOf(service, user.user_id)).map(shortOf).filter((action) => action.startsWith('PAN_NOTICE'));
    return { rows, messages, outcomes };
  };

  it('sends the message by one of two replicas once the SMS providers are back, and deletes it after 30 days', async () => {
    const { rows, messages, outcomes } = await aNotice();
    await send(away);
    expect(await rows()).toEqual([{ state: 'DUE', tries: 1 }]);
    expect(await messages()).toEqual([]);
    await service.dataSource.query('UPDATE onboarding.pan_notices SET next_try_at = now()');
    const replica = await service.replica();
    await Promise.all([send(service), send(replica)]);
    expect(await rows()).toEqual([{ state: 'SENT', tries: 0 }]);
    expect([(await messages()).length, await outcomes()]).toEqual([1, ['PAN_NOTICE_SENT']]);
    await service.dataSource.query(
      "UPDATE onboarding.pan_notices SET settled_at = settled_at - interval '30 days'",
    );
    await service.app.get(Jobs).runCleanup();
    expect(await rows()).toEqual([]);
  });

  it('sends the message once by a vendor that takes as long as vendors do', async () => {
    const { rows } = await aNotice();
    const vendor = await ScriptedProvider.start();
    vendor.behaviour = (response) => setTimeout(() => BEHAVIOURS.accepts(response), timeLimit(1_500));
    const replica = await service.replica({
      SMS_PROVIDERS: 'primary',
      SMS_PRIMARY_URL: vendor.url,
      SMS_TIMEOUT_MS: '8000',
    });
    await replica.app.get(Jobs).beforeApplicationShutdown();
    await send(replica);
    expect(await rows()).toEqual([{ state: 'SENT', tries: 0 }]);
    expect(vendor.calls).toHaveLength(1);
    await vendor.stop();
  });

  it('gives the message up after a day, with an audit event', async () => {
    const { rows, messages, outcomes } = await aNotice();
    await service.dataSource.query(
      "UPDATE onboarding.pan_notices SET due_since = now() - interval '25 hours' WHERE state = 'DUE'",
    );
    await send(away);
    expect(await rows()).toEqual([{ state: 'ABANDONED', tries: 0 }]);
    expect([await messages(), await outcomes()]).toEqual([[], ['PAN_NOTICE_SENT FAILED']]);
  });
});
