import type { PartnerEventPayload, PartnerEventView } from '@fd/contracts';
import { EventErrors, GeneralErrors } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import { Jobs } from '../../src/core/index.js';
import {
  aBackendKey,
  EventReceiver,
  listen,
  runEvents,
  runEventsInProduction,
} from '../support/event-receiver.js';
import { logIn } from '../support/login.js';
import { refusalsOf, runPartners, runUsers, WHO } from '../support/operator.js';
import { aPartner } from '../support/partner.js';
import type { TestService } from '../support/users-app.js';
import { EVENTS, EventScene } from '../support/event-scene.js';

const scene = new EventScene();
const { receivedOf, backend, page, aUser } = scene;
let service: TestService;
let receiver: EventReceiver;
let otherReceiver: EventReceiver;
let key: string;
beforeAll(async () => {
  ({ service, receiver, otherReceiver, key } = await scene.start());
});
afterAll(() => scene.stop());

describe('the calls of a backend', () => {
  it('read on behind the last event, in pages', async () => {
    const users = [await aUser(), await aUser(), await aUser()];
    const ids = users.map(({ id }) => id);
    await eventually(() => expect(ids.every((id) => receiver.of(id).length === 2)).toBe(true));
    const read: PartnerEventView[] = [];
    for (let after: string | undefined; ;) {
      const { events, has_more } = await page({ limit: '2', ...(after && { after }) });
      read.push(...events);
      if (!has_more) break;
      expect(events).toHaveLength(2);
      after = events.at(-1)!.id;
    }
    const once = [...new Map(receiver.tries.map(({ event }) => [event.id, event])).values()];
    expect(new Set(read.map(({ id }) => id)).size).toBe(read.length);
    for (const id of ids) {
      const own = (events: PartnerEventView[]) => events.filter(({ data }) => data.user_id === id);
      expect(own(read)).toEqual(own(once));
    }
    expect(await page({ after: read.at(-1)!.id })).toEqual({ events: [], has_more: false });
  });

  it.each(['abc', '', '0191f5c0-0000-7000-8000-000000000000', '1 OR 1=1'])(
    'refuse %j as the last event',
    async (after) => {
      expectRefusal(await backend().get(EVENTS, { query: { after } }), EventErrors.cursorUnknown);
    },
  );

  it.each(['0', '101', '-1', '1.5', 'many'])('refuse a page of %s events', async (limit) => {
    expectRefusal(await backend().get(EVENTS, { query: { limit } }), GeneralErrors.fieldInvalid);
  });

  it('need a valid key: a session of a user, another key, and a removed key open nothing', async () => {
    const { url } = service.partner;
    const user = await logIn(service);
    for (const bearer of [user.access_token, user.refresh_token, 'fdb_wrong', `${key}x`])
      expectRefusal(await service.api.with({ bearer }).get(EVENTS), EventErrors.keyInvalid);
    expectRefusal(await service.api.get(EVENTS), EventErrors.keyInvalid);
    const added = await runEvents(service, 'add-key', '--url', url);
    const [, id, second] = /key\t(\S+)\t(\S+)/.exec(added)!;
    await expect(runEvents(service, 'add-key', '--url', url)).rejects.toThrow('two keys already');
    expect((await backend(second).get(EVENTS)).status).toBe(200);
    await runEvents(service, 'remove-key', '--url', url, '--key', id!);
    expectRefusal(await backend(second).get(EVENTS), EventErrors.keyInvalid);
    await expect(runEvents(service, 'remove-key', '--url', url, '--key', id!)).rejects.toThrow('no such key');
    expect((await backend().get(EVENTS)).status).toBe(200);
    // a key is no session of a user
    expect((await backend().get('/api/v1/user-profile')).status).toBe(401);
    const rows = JSON.stringify(await service.dataSource.query('SELECT * FROM onboarding.backend_keys'));
    expect(rows).not.toContain(key);
  });

  it('are refused while the partner is disabled, whose events wait until it is enabled', async () => {
    const url = 'https://stopped.partner.example';
    const at = await EventReceiver.start();
    await aPartner(service.dataSource, { url });
    await listen(service, { url, address: at.url });
    const ofKey = await aBackendKey(service, url);
    const { id } = await aUser(url);
    await eventually(() => expect(receivedOf(id, at)).toHaveLength(2));
    await runPartners(service, 'disable', '--url', url, ...WHO);
    expectRefusal(await backend(ofKey).get(EVENTS), EventErrors.keyInvalid);
    await expect(runEvents(service, 'resume', '--url', url)).rejects.toThrow('partners enable');
    await runUsers(service, '', 'block', '--user', id, ...WHO);
    // events of another partner that are later
    const later = await aUser();
    await eventually(() => expect(receivedOf(later.id)).toHaveLength(2));
    expect(receivedOf(id, at)).toHaveLength(2);
    await runPartners(service, 'enable', '--url', url, ...WHO);
    expect((await backend(ofKey).get(EVENTS)).status).toBe(200);
    await eventually(() => expect(receivedOf(id, at).at(-1)).toBe('user.blocked'));
    await at.stop();
  });

  it('are not set up for a disabled partner', async () => {
    const url = 'https://over.partner.example';
    await aPartner(service.dataSource, { url });
    await runPartners(service, 'disable', '--url', url, ...WHO);
    await expect(runEvents(service, 'set', '--url', url)).rejects.toThrow('partners enable first');
  });

  it('read an event for 30 days', async () => {
    const { id } = await aUser();
    await eventually(() => expect(receiver.of(id)).toHaveLength(2));
    const [old, kept] = receiver.of(id).map((event) => event.id);
    for (const [event, days] of [
      [old, 31],
      [kept, 29],
    ])
      await service.dataSource.query(
        'UPDATE onboarding.partner_events SET occurred_at = now() - make_interval(days => $2) WHERE id = $1',
        [event, days],
      );
    await service.app.get(Jobs).runCleanup();
    expectRefusal(await backend().get(`${EVENTS}/${old}`), GeneralErrors.recordUnknown);
    expectRefusal(await backend().get(EVENTS, { query: { after: old! } }), EventErrors.cursorUnknown);
    expect((await backend().get(EVENTS, { query: { after: kept! } })).status).toBe(200);
  });

  it('show an event of their own only', async () => {
    const { id } = await aUser();
    await eventually(() => expect(receiver.of(id)).toHaveLength(2));
    const [event] = receiver.of(id);
    const { body } = await backend().get(`${EVENTS}/${event!.id}`);
    expect((body as { payload: PartnerEventPayload }).payload.event).toEqual(event);
    for (const unknown of ['abc', '0191f5c0-0000-7000-8000-000000000000']) {
      expectRefusal(await backend().get(`${EVENTS}/${unknown}`), GeneralErrors.recordUnknown);
      expectRefusal(await backend().post(`${EVENTS}/${unknown}/replay`, {}), GeneralErrors.recordUnknown);
    }
  });
});

describe('the command events', () => {
  const { url } = { url: 'https://app.partner.example' };

  it.each([
    [['set', '--url', url, '--signing', 'rsa'], '--signing must be hmac or ed25519'],
    [['set', '--url', url, '--address', 'ftp://partner.example'], '--address must begin with https://'],
    [['set', '--url', 'https://nobody.example'], 'is not registered'],
    [['show', '--event', 'abc'], '--event must be the id of an event'],
    [['show', '--event', '0191f5c0-0000-7000-8000-000000000000'], 'There is no such event'],
    [['replay', '--url', url, '--since', 'yesterday'], 'a time in ISO 8601'],
    [['replay', '--url', url, '--since', '2026-11-28T09:30:00'], 'and its offset'],
    [['dance'], 'events: list, show'],
  ])('refuses %j', async (args, problem) => {
    await expect(runEvents(service, ...args)).rejects.toThrow(problem);
  });

  it.each(['http://hooks.partner.example/', 'https://127.0.0.1/', 'https://[::ffff:10.0.0.1]/'])(
    'refuses the address %s in production',
    async (address) => {
      const set = runEventsInProduction(service, 'set', '--url', url, '--address', address);
      await expect(set).rejects.toThrow('--address must be');
    },
  );

  it('shows an event without personal data, and records who has seen it', async () => {
    const { id, phone } = await aUser();
    await eventually(() => expect(receiver.of(id)).toHaveLength(2));
    const event = receiver.of(id)[1]!;
    await eventually(async () =>
      expect(await runEvents(service, 'show', '--event', event.id)).toContain('\nDELIVERED\t'),
    );
    const shown = await runEvents(service, 'show', '--event', event.id);
    expect(shown).toContain(`${event.id}\tjourney.step.completed\t`);
    expect(shown).toContain('-\tLOGIN\tDONE\t-\n');
    expect(shown).not.toContain(phone);
    await runEvents(service, 'list');
    await runEvents(service, 'replay', '--event', event.id);
    const recorded = await service.dataSource.query(
      `SELECT actor, action, subject_user_id, outcome FROM onboarding.audit_unsealed WHERE object_id = $1 OR action = 'EVENTS_LISTED'
        UNION ALL SELECT actor, action, subject_user_id, outcome FROM onboarding.audit_events WHERE object_id = $1 OR action = 'EVENTS_LISTED'`,
      [event.id],
    );
    const by = (act: string, action: string, subject_user_id: string | null) => ({
      ...{ actor: `operator:events ${act} by asha-rao`, action, subject_user_id, outcome: 'OK' },
    });
    expect(recorded).toEqual(
      expect.arrayContaining([
        by('show', 'EVENT_READ', id),
        by('list', 'EVENTS_LISTED', null),
        by('replay', 'EVENTS_REPLAYED', null),
      ]),
    );
    const unknown = '0191f5c0-0000-7000-8000-000000000000';
    await expect(runEvents(service, 'show', '--event', unknown)).rejects.toThrow('no such event');
    expect(await refusalsOf(service, unknown)).toContainEqual(
      expect.objectContaining({ actor: 'operator:events show by asha-rao' }),
    );
  });

  it('records each act with its operator', async () => {
    const own = 'https://audited.partner.example';
    await aPartner(service.dataSource, { url: own });
    await listen(service, { url: own });
    const key = /key\t(\S+)\t/.exec(await runEvents(service, 'add-key', '--url', own))![1]!;
    for (const act of ['remove-key', 'roll-secret', 'remove-secret', 'pause', 'resume', 'replay'])
      await runEvents(
        service,
        ...[act, '--url', own],
        ...(act === 'remove-key' ? ['--key', key] : []),
        ...(act === 'replay' ? ['--since', new Date().toISOString()] : []),
      );
    const of = `JOIN onboarding.partners p ON p.id = a.object_id AND p.url = $1`;
    const recorded = await service.dataSource.query(
      `SELECT a.actor, a.action, a.code FROM onboarding.audit_unsealed a ${of}
        UNION ALL SELECT a.actor, a.action, a.code FROM onboarding.audit_events a ${of}`,
      [own],
    );
    const by = (act: string, action: string) => ({
      actor: `operator:events ${act} by asha-rao`,
      action,
      code: 'TICKET_4711',
    });
    expect(recorded).toEqual(
      expect.arrayContaining([
        by('set', 'EVENTS_SET'),
        by('add-key', 'EVENTS_KEY_CHANGED'),
        by('remove-key', 'EVENTS_KEY_CHANGED'),
        by('roll-secret', 'EVENTS_SECRET_CHANGED'),
        by('remove-secret', 'EVENTS_SECRET_CHANGED'),
        by('pause', 'EVENTS_PAUSED'),
        by('resume', 'EVENTS_RESUMED'),
        by('replay', 'EVENTS_REPLAYED'),
      ]),
    );
  });

  it('keeps events for reading only without an address, and sends no old ones to a new address', async () => {
    const own = 'https://reads.partner.example';
    await aPartner(service.dataSource, { url: own });
    await listen(service, { url: own });
    const old = await aUser(own);
    const ofKey = await aBackendKey(service, own);
    await eventually(async () => expect((await page({}, ofKey)).events).toHaveLength(2));
    await listen(service, { url: own, address: otherReceiver.url });
    const { id } = await aUser(own);
    await eventually(() => expect(otherReceiver.of(id)).toHaveLength(2));
    expect(otherReceiver.of(old.id)).toEqual([]);
    await listen(service, { url: own, address: 'none' });
    expect(await runEvents(service, 'list')).toContain('read only\thmac\tactive');
  });
});
