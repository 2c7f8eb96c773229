import type { PartnerEventPayload, PartnerEventView } from '@fd/contracts';
import { verifyEvent } from '@fd/client/server';
import { EventErrors } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { Jobs } from '../../src/core/index.js';
import { EventDeliveries, pauseAfter } from '../../src/events/delivery/event-deliveries.service.js';
import { aBackendKey, EventReceiver, listen, runEvents } from '../support/event-receiver.js';
import { JourneyClient } from '../support/journey-client.js';
import { as, logIn } from '../support/login.js';
import { aPhone } from '../support/inbox.js';
import { runPartners, WHO } from '../support/operator.js';
import { aPartner } from '../support/partner.js';
import { aPerson } from '../support/person.js';
import { startService, type TestService } from '../support/users-app.js';

const DAY = 86_400;
const WITNESS = 'https://witness.partner.example';

describe('the delivery of events', () => {
  let service: TestService;
  let receiver: EventReceiver;
  let witness: EventReceiver;
  let key: string;
  beforeAll(async () => {
    service = await startService({ EVENTS_TO_LOCAL_ADDRESSES: 'true' });
    receiver = await EventReceiver.start();
    witness = await EventReceiver.start();
    await listen(service, { address: receiver.url });
    await aPartner(service.dataSource, { url: WITNESS });
    await listen(service, { url: WITNESS, address: witness.url });
    key = await aBackendKey(service);
  });
  afterEach(() => receiver.answers(204));
  afterAll(async () => {
    await service.close();
    await receiver.stop();
    await witness.stop();
  });

  const aUser = async () => {
    const user = await logIn(service);
    return { id: user.user_id, api: as(service.api, user) };
  };
  const show = async (id: string): Promise<PartnerEventPayload> => {
    const { body } = await service.api.with({ bearer: key }).get(`/partner/v1/events/${id}`);
    return (body as { payload: PartnerEventPayload }).payload;
  };
  /** Lets the open events look as if so much time had passed. */
  const pass = (seconds: number, userId: string) =>
    service.dataSource.query(
      `UPDATE onboarding.partner_events SET next_try_at = next_try_at - make_interval(secs => $1),
              due_since = due_since - make_interval(secs => $1) WHERE user_id = $2 AND state = 'DUE'`,
      [seconds, userId],
    );
  /** Makes the first pause of five seconds a minute, so that a busy machine sees one failed try before the next. */
  const restLonger = () =>
    jest
      .spyOn(service.app.get(EventDeliveries), 'retrySeconds')
      .mockImplementation((tries, random) => pauseAfter(tries, random) * (tries === 0 ? 12 : 1));
  const typesOf = (events: readonly PartnerEventView[]) => events.map(({ type }) => type);
  const receivedOf = (userId: string, count: number) =>
    eventually(() => {
      const received = receiver.of(userId);
      expect(received.length).toBeGreaterThanOrEqual(count);
      return Promise.resolve(received);
    });

  /** Waits until another partner has got later events: those before them that are due are on their way. */
  const afterLaterEvents = async () => {
    const { user_id } = await logIn(service, aPhone(), WITNESS);
    await eventually(() => expect(witness.of(user_id)).toHaveLength(2));
  };

  /** The pause after the last try, a tenth more or less. */
  const expectPause = async (id: string, seconds: number) => {
    const [{ pause }] = await service.dataSource.query<[{ pause: number }]>(
      `SELECT extract(epoch FROM next_try_at - last_tried_at)::float8 AS pause FROM onboarding.partner_events WHERE id = $1`,
      [id],
    );
    expect(pause).toBeGreaterThan(seconds * 0.89);
    // measured from the beginning of the work after the try to its end
    expect(pause).toBeLessThan(seconds * 1.11 + 10);
  };

  it('repeats a failed try with the same id, and sends no later event of the user before', async () => {
    restLonger();
    receiver.answers(503);
    const { id, api } = await aUser();
    const [first] = await receivedOf(id, 1);
    await api.get('/api/v1/user-profile');
    const failed = { state: 'WAITING', failures: 1, last_answer: '503' };
    await eventually(async () => expect((await show(first!.id)).delivery).toMatchObject(failed));
    await expectPause(first!.id, 60);
    receiver.answers(204);
    await pass(DAY, id);
    const received = await receivedOf(id, 4);
    expect(typesOf(received)).toEqual([
      ...['consent.given', 'consent.given'],
      ...['journey.step.completed', 'journey.step.completed'],
    ]);
    expect(received[1]).toEqual(first);
    const after = await show(first!.id);
    expect(after.delivery).toMatchObject({ state: 'DELIVERED', failures: 1, last_answer: '204' });
    expect(after.delivery.next_try_at).toBeNull();
    const ids = receiver.tries.filter(({ event }) => event.id === first!.id);
    expect(new Set(ids.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('pauses as long as Standard Webhooks proposes, a tenth more or less, and for three days in all', () => {
    const pauses = Array.from({ length: 9 }, (_, tries) => pauseAfter(tries, 0.5));
    expect(pauses).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(pauses.reduce((sum, pause) => sum + pause)).toBeGreaterThan(3 * DAY);
    expect([pauseAfter(1, 0), pauseAfter(1, 1)]).toEqual([270, 330]);
    expect(pauseAfter(100, 0.5)).toBe(DAY);
  });

  /** Lets an event, and no other, be tried now, as if it had failed so many times, and had been due for so many days. */
  const tryNow = (id: string, tries: number, days = 0) =>
    service.dataSource.query(
      `UPDATE onboarding.partner_events SET tries = $2, next_try_at = now(), due_since = due_since - make_interval(days => $3)
        WHERE id = $1`,
      [id, tries, days],
    );
  const stateOf = async (id: string) => (await show(id)).delivery.state;

  it('sends the later events of a user as soon as one that failed is delivered', async () => {
    restLonger();
    receiver.answers(503);
    const { id } = await aUser();
    const [first] = await receivedOf(id, 1);
    await eventually(async () => expect((await show(first!.id)).delivery.failures).toBe(1));
    // the next pause is a day
    await tryNow(first!.id, 8);
    await eventually(async () => expect((await show(first!.id)).delivery.failures).toBe(9));
    await expectPause(first!.id, DAY);
    receiver.answers(204);
    await tryNow(first!.id, 9);
    expect(typesOf((await receivedOf(id, 4)).slice(2))).toEqual(['consent.given', 'journey.step.completed']);
  });

  it('sends the later events of a user as soon as one is given up', async () => {
    restLonger();
    receiver.answers(503);
    const { id } = await aUser();
    const [first] = await receivedOf(id, 1);
    await eventually(async () => expect((await show(first!.id)).delivery.failures).toBe(1));
    await tryNow(first!.id, 9, 3);
    await eventually(async () => expect(await stateOf(first!.id)).toBe('PARKED'));
    receiver.answers(204);
    await eventually(() => expect(typesOf(receiver.of(id))).toContain('journey.step.completed'));
  });

  it('delivers everything after a day without the receiver', async () => {
    receiver.behaviour = (response) => response.destroy();
    const users = [await aUser(), await aUser(), await aUser()];
    for (const { id } of users) await receivedOf(id, 1);
    // before: a try that fails once more waits for minutes
    receiver.answers(204);
    for (const { id } of users) await pass(DAY, id);
    for (const { id } of users)
      await eventually(() => expect(new Set(receiver.of(id).map((event) => event.id)).size).toBe(2));
  });

  it('parks an event after three days, and replays it for the backend and for an operator', async () => {
    restLonger();
    receiver.answers(500);
    const { id } = await aUser();
    const [first] = await receivedOf(id, 1);
    await eventually(async () => expect((await show(first!.id)).delivery.failures).toBe(1));
    // a redirect is a failure, too, and two days are not enough
    receiver.answers(302);
    await tryNow(first!.id, 1, 2);
    await eventually(async () =>
      expect((await show(first!.id)).delivery).toMatchObject({
        state: 'WAITING',
        failures: 2,
        last_answer: '302',
      }),
    );
    receiver.answers(500);
    await pass(DAY, id);
    await eventually(async () => {
      expect((await show(first!.id)).delivery).toMatchObject({
        state: 'PARKED',
        failures: 3,
        last_answer: '500',
      });
    });
    // on which the alerts rest
    await eventually(async () => {
      const { text } = await service.api.get('/metrics');
      expect(text).toMatch(/^partner_event_deliveries_total\{outcome="parked"\} [1-9]/m);
      expect(text).toMatch(/^partner_events_parked [1-9]/m);
      expect(text).toMatch(/^partner_events_waiting_age_seconds (?!0$)/m);
    });
    receiver.answers(204);
    const before = receiver.of(id).length;
    const { body } = await service.api
      .with({ bearer: key })
      .post(`/partner/v1/events/${first!.id}/replay`, {});
    expect(body).toMatchObject({ success: 1, payload: { is_replayed: true } });
    await eventually(() => expect(receiver.of(id).slice(before)).toContainEqual(first));
    await eventually(async () => expect((await show(first!.id)).delivery.state).toBe('DELIVERED'));
    expect(await runEvents(service, 'replay', '--event', first!.id)).toBe(`delivered again\t${first!.id}\n`);
    await eventually(() =>
      expect(
        receiver
          .of(id)
          .slice(before)
          .filter((event) => event.id === first!.id),
      ).toHaveLength(2),
    );
    const waiting = { is_replayed: false };
    receiver.answers(500);
    const other = await aUser();
    const [open] = await receivedOf(other.id, 1);
    const again = await service.api.with({ bearer: key }).post(`/partner/v1/events/${open!.id}/replay`, {});
    expect(again.body).toMatchObject({ payload: waiting });
  });

  it('delivers all events of a partner since a time again', async () => {
    const since = new Date(Date.now() - 1).toISOString();
    const { id } = await aUser();
    const received = await receivedOf(id, 2);
    const url = service.partner.url;
    await eventually(async () => expect((await show(received[1]!.id)).delivery.state).toBe('DELIVERED'));
    expect(await runEvents(service, 'replay', '--url', url, '--since', since)).toMatch(
      /^delivered again\t[2-9]/,
    );
    expect((await receivedOf(id, 4)).slice(2)).toEqual(received.slice(0, 2));
  });

  it('pauses at 410 and when an operator says so, and goes on with what has happened meanwhile', async () => {
    const { url } = service.partner;
    receiver.answers(410);
    const { id } = await aUser();
    await receivedOf(id, 1);
    await eventually(async () => expect(await runEvents(service, 'list')).toContain('\tGONE\t'));
    receiver.answers(204);
    await pass(DAY, id);
    const paused = await aUser();
    expect(await runEvents(service, 'pause', '--url', url)).toBe('paused before\tGONE\n');
    await afterLaterEvents();
    expect(receiver.of(id)).toHaveLength(1);
    expect(receiver.of(paused.id)).toEqual([]);
    expect(await runEvents(service, 'resume', '--url', url)).toBe('resumed\n');
    await receivedOf(id, 3);
    await receivedOf(paused.id, 2);
    expect(await runEvents(service, 'pause', '--url', url)).toMatch(/^paused:/);
    const later = await aUser();
    await afterLaterEvents();
    await eventually(async () => expect(await runEvents(service, 'list')).toMatch(/OPERATOR\twaiting: 2/));
    expect(receiver.of(later.id)).toEqual([]);
    await runEvents(service, 'resume', '--url', url);
    await receivedOf(later.id, 2);
  });

  it('tries at once and restarts the time of its tries when an operator resumes', async () => {
    restLonger();
    receiver.answers(503);
    const { id } = await aUser();
    const [first] = await receivedOf(id, 1);
    await eventually(async () => expect((await show(first!.id)).delivery.failures).toBe(1));
    await service.dataSource.query(
      `UPDATE onboarding.partner_events SET tries = 8, next_try_at = now() + interval '1 day', due_since = now() - interval '4 days'
        WHERE id = $1`,
      [first!.id],
    );
    await runEvents(service, 'resume', '--url', service.partner.url);
    expect((await receivedOf(id, 2))[1]).toEqual(first);
    await eventually(async () =>
      expect((await show(first!.id)).delivery).toMatchObject({ state: 'WAITING', failures: 1 }),
    );
  });

  /** A new partner, whose backend has got the first event of a user and not answered yet. */
  const aHeldTry = async (url: string) => {
    const at = await EventReceiver.start();
    const held: ServerResponse[] = [];
    at.behaviour = (response) => void held.push(response);
    await aPartner(service.dataSource, { url });
    await listen(service, { url, address: at.url });
    const { user_id: id } = await logIn(service, aPhone(), url);
    await eventually(() => expect(held).toHaveLength(1));
    return { at, id, answer: (status: number) => held[0]!.writeHead(status).end() };
  };

  it('does not end the pause of a partner that was disabled before it answered 410', async () => {
    const url = 'https://slow.partner.example';
    const { at: slow, id, answer } = await aHeldTry(url);
    const ofKey = await aBackendKey(service, url);
    await runPartners(service, 'disable', '--url', url, ...WHO);
    answer(410);
    await eventually(async () => {
      const tried = 'SELECT last_answer FROM onboarding.partner_events WHERE user_id = $1 AND tries = 1';
      expect(await service.dataSource.query(tried, [id])).toEqual([{ last_answer: '410' }]);
    });
    expectRefusal(
      await service.api.with({ bearer: ofKey }).get('/partner/v1/events'),
      EventErrors.keyInvalid,
    );
    await expect(runEvents(service, 'resume', '--url', url)).rejects.toThrow('partners enable');
    await slow.stop();
  });

  it('goes on at another address although the former one answers 410 late', async () => {
    const url = 'https://moving.partner.example';
    const { at: former, id, answer } = await aHeldTry(url);
    const next = await EventReceiver.start();
    await runEvents(service, 'set', '--url', url, '--address', next.url);
    answer(410);
    await eventually(() => expect(next.of(id)).toHaveLength(2));
    await former.stop();
    await next.stop();
  });

  it('postpones nothing after a failed try whose lease another replica has meanwhile', async () => {
    const { at: late, id, answer } = await aHeldTry('https://late.partner.example');
    const taken =
      'UPDATE onboarding.partner_events SET lease_id = gen_random_uuid() WHERE user_id = $1 AND lease_id IS NOT NULL';
    await service.dataSource.query(taken, [id]);
    const failures = async () =>
      Number(
        /partner_event_deliveries_total\{outcome="failed"\} (\d+)/.exec(
          (await service.api.get('/metrics')).text,
        )![1],
      );
    const before = await failures();
    answer(500);
    await eventually(async () => expect(await failures()).toBeGreaterThan(before));
    // the other replica dies
    late.answers(204);
    const expired =
      'UPDATE onboarding.partner_events SET leased_until = now() WHERE user_id = $1 AND lease_id IS NOT NULL';
    await service.dataSource.query(expired, [id]);
    const rows = () =>
      service.dataSource.query<object[]>(
        `SELECT state, tries, next_try_at > now() + interval '2 seconds' AS "isPostponed"
           FROM onboarding.partner_events WHERE user_id = $1 ORDER BY id`,
        [id],
      );
    await eventually(async () => expect((await rows())[0]).toMatchObject({ state: 'DELIVERED', tries: 0 }));
    expect((await rows())[1]).not.toMatchObject({ isPostponed: true });
    await eventually(() => expect(new Set(late.of(id).map((event) => event.id)).size).toBe(2));
    await late.stop();
  });

  it('serves each partner while others hang or are dead', async () => {
    const hanging = await EventReceiver.start();
    hanging.behaviour = () => undefined;
    const urls = ['https://hangs.partner.example', 'https://dead.partner.example'];
    for (const url of urls) await aPartner(service.dataSource, { url });
    await listen(service, { url: urls[0]!, address: hanging.url });
    await listen(service, { url: urls[1]!, address: 'http://127.0.0.1:1/' });
    for (const url of urls) for (let users = 0; users < 12; users++) await logIn(service, aPhone(), url);
    await eventually(() => expect(hanging.tries.length).toBeGreaterThan(5));
    const { id } = await aUser();
    await receivedOf(id, 2);
    for (const url of urls) await runEvents(service, 'pause', '--url', url);
    await hanging.stop();
  });

  it('signs with two secrets while one is replaced, and keeps none readable', async () => {
    const { url } = service.partner;
    const signedBy = async (secret: string): Promise<boolean> => {
      const { id } = await aUser();
      await receivedOf(id, 1);
      const { body, headers } = receiver.tries.find(({ event }) => event.data.user_id === id)!;
      try {
        return Boolean(new Webhook(secret).verify(body, headers as Record<string, string>));
      } catch {
        return false;
      }
    };
    const secretOf = (output: string) => /secret\t(\S+)/.exec(output)![1]!;
    const first = secretOf(await runEvents(service, 'roll-secret', '--url', url));
    await runEvents(service, 'remove-secret', '--url', url);
    const second = secretOf(await runEvents(service, 'roll-secret', '--url', url));
    expect([await signedBy(first), await signedBy(second)]).toEqual([true, true]);
    await expect(runEvents(service, 'roll-secret', '--url', url)).rejects.toThrow('Two secrets sign already');
    await runEvents(service, 'remove-secret', '--url', url);
    expect([await signedBy(first), await signedBy(second)]).toEqual([false, true]);
    await expect(runEvents(service, 'remove-secret', '--url', url)).rejects.toThrow('One secret signs only');
    const rows = JSON.stringify(
      await service.dataSource.query('SELECT * FROM onboarding.event_subscriptions'),
    );
    expect(rows).not.toContain(second.slice(6, 20));
  });

  it('signs with Ed25519 if the operator chooses it', async () => {
    const { url } = service.partner;
    const shown = await runEvents(service, 'set', '--url', url, '--signing', 'ed25519');
    const secrets = /secret\t(whpk_\S+)/.exec(shown)![1]!;
    const { id } = await aUser();
    await receivedOf(id, 1);
    const { body, headers, event } = receiver.tries.find(({ event: { data } }) => data.user_id === id)!;
    expect(headers['webhook-signature']).toMatch(/^v1a,\S+$/);
    expect(verifyEvent({ body, headers, secrets })).toEqual(event);
  });
});

it('does not wait for a partner that hangs when a replica ends, and delivers with another one', async () => {
  const service = await startService({ EVENTS_TO_LOCAL_ADDRESSES: 'true' });
  await service.app.get(Jobs).beforeApplicationShutdown();
  const hanging = await EventReceiver.start();
  hanging.behaviour = () => undefined;
  await listen(service, { address: hanging.url });
  const { user_id } = await logIn(service);
  const replica = await service.replica();
  await eventually(() => expect(hanging.of(user_id)).toHaveLength(1));
  await replica.close();
  const [interrupted] = await service.dataSource.query<object[]>(
    'SELECT max(last_answer) AS answer, max(tries) AS tries FROM onboarding.partner_events WHERE user_id = $1',
    [user_id],
  );
  // no failure of the partner, which would be tried hours later
  expect(interrupted).toEqual({ answer: 'INTERRUPTED', tries: 0 });
  hanging.answers(204);
  await service.replica();
  await eventually(() => expect(new Set(hanging.of(user_id).map(({ id }) => id)).size).toBe(2));
  await service.close();
  await hanging.stop();
});

it('looks at an application with another replica when the one in which it changed has ended', async () => {
  const service = await startService({ EVENTS_TO_LOCAL_ADDRESSES: 'true' });
  const receiver = await EventReceiver.start();
  await listen(service, { address: receiver.url });
  await service.app.get(Jobs).beforeApplicationShutdown();
  const customer = new JourneyClient(service.url, 'aravalli', aPerson());
  await customer.all();
  const id = (await customer.profile()).body.payload['user_id'] as string;
  expect(receiver.of(id)).toEqual([]);
  await service.replica();
  await eventually(() => expect(receiver.of(id).at(-1)?.type).toBe('application.ready'));
  await service.close();
  await receiver.stop();
});
