import { randomUUID } from 'node:crypto';
import { timeLimit } from '@fd/envelope';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { PanNotices } from '../../src/kyc/pan/pan-notices.js';
import { shortOf, trailOf } from '../support/audit.js';
import { inboxOf } from '../support/inbox.js';
import { logIn } from '../support/login.js';
import { BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

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
