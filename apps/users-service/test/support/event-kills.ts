import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, ReplicaSet } from '@fd/testing';
import { Jobs } from '../../src/core/index.js';
import { EventReceiver, listen } from './event-receiver.js';
import { as, logIn } from './login.js';
import { ServiceProcesses } from './service-process.config.js';
import { startService } from './users-app.js';

const REPLICAS = 3;

/** How much happens. */
interface Load {
  /** Events that wait at the beginning, the same number for each of so many users. */
  readonly waiting: number;
  readonly users: number;
  readonly kills: number;
}

/**
 * Delivers events to a partner that fails now and then, while users log in and replicas are killed. Expects that none is lost or invented,
 * that repeats have the same id and bytes, and that those of each user keep their order. @returns the figures
 */
export async function expectAllDeliveredWhileKilling({
  waiting,
  users,
  kills,
}: Load): Promise<Record<string, number>> {
  const service = await startService({ EVENTS_TO_LOCAL_ADDRESSES: 'true' });
  // only the killed processes deliver
  await service.app.get(Jobs).beforeApplicationShutdown();
  const receiver = await EventReceiver.start();
  // first, since a replica that runs may not know it for ten seconds
  await listen(service, { address: receiver.url });
  const replicas = await ReplicaSet.start(new ServiceProcesses(service.environment), REPLICAS, {
    RATE_LIMIT_PER_MINUTE: '1000000',
    // so that leases of the dead expire soon
    TIME_LIMIT_FACTOR: '1',
  });
  try {
    // now and then the partner fails
    receiver.behaviour = (response) => response.writeHead(Math.random() < 0.02 ? 503 : 204).end();
    await service.dataSource.query(
      `INSERT INTO onboarding.partner_events (id, partner_id, user_id, type, step, status)
       SELECT onboarding.uuid_v7(), p.id, u.id, 'journey.step.completed', 'EMAIL', 'DONE'
         FROM onboarding.partners p, generate_series(1, $1::int) turn,
              (SELECT gen_random_uuid() AS id FROM generate_series(1, $2::int)) u`,
      [waiting / users, users],
    );
    let isOver = false;
    const api = service.api.at(replicas.url);
    const visit = async (): Promise<unknown> => as(api, await logIn({ api })).get('/api/v1/user-profile');
    const crowd = Array.from({ length: 4 }, async () => {
      // whose call a kill has ended does not come again
      while (!isOver) await visit().catch(() => undefined);
    });
    for (let kill = 0; kill < kills; kill++) {
      await sleep(2_000);
      await replicas.failOver(kill % REPLICAS);
    }
    isOver = true;
    await Promise.all(crowd);
    const hurry = (): Promise<unknown> =>
      service.dataSource.query(
        "UPDATE onboarding.partner_events SET next_try_at = now() WHERE state = 'DUE' AND next_try_at > now()",
      );
    const rows = await eventually(async () => {
      await hurry();
      const found = await service.dataSource.query<{ id: string; user_id: string; state: string }[]>(
        'SELECT id, user_id, state FROM onboarding.partner_events ORDER BY position',
      );
      expect(found.filter(({ state }) => state !== 'DELIVERED')).toEqual([]);
      return found;
    }, 120_000);

    const bodies = new Map<string, string>();
    const orders = new Map<string, string[]>();
    for (const { event, body } of receiver.tries) {
      const { user_id } = event.data;
      if (!bodies.has(event.id)) orders.set(user_id, [...(orders.get(user_id) ?? []), event.id]);
      expect(bodies.get(event.id) ?? body).toBe(body);
      bodies.set(event.id, body);
    }
    expect([...bodies.keys()].sort()).toEqual(rows.map(({ id }) => id).sort());
    const kept = new Map<string, string[]>();
    for (const { id, user_id } of rows) kept.set(user_id, [...(kept.get(user_id) ?? []), id]);
    expect(orders).toEqual(kept);

    // each change of a step and each consent of the crowd has its event
    const [{ changes, events }] = await service.dataSource.query<[{ changes: number; events: number }]>(
      `SELECT (SELECT count(*) FROM onboarding.journey_events WHERE to_state = 'DONE')::int
                + (SELECT count(*) FROM onboarding.consents)::int AS changes,
              (SELECT count(*) FROM onboarding.partner_events WHERE step IS DISTINCT FROM 'EMAIL')::int AS events`,
    );
    expect(events).toBe(changes);
    expect(events).toBeGreaterThan(0);
    return { kills, events: rows.length, repeats: receiver.tries.length - rows.length };
  } finally {
    await replicas.stop();
    await service.close();
    await receiver.stop();
  }
}
