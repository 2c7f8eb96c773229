import { randomUUID } from 'node:crypto';
import { EVENTS_KEPT_DAYS } from '../../src/core/database/partitioned-tables.js';
import { as, logIn } from '../support/login.js';
import { maintenance, partitionsOf, pastPartition, startWithPastInsights } from '../support/partitions.js';
import type { TestService } from '../support/users-app.js';

const PATH = '/api/v1/insights-tracking';

describe('partitions', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startWithPastInsights();
  });
  afterAll(() => service.close());

  it('drops partitions while a transaction reads the table, and lets no call wait long', async () => {
    const api = as(service.api, await logIn(service));
    const partition = await pastPartition(service, 'insight_events', EVENTS_KEPT_DAYS + 62);
    let slowestMs = 0;
    let calls = 0;
    const track = async () => {
      const began = performance.now();
      const { status } = await api.post(PATH, { event_id: randomUUID(), event_name: 'PAN_SUBMITTED' });
      slowestMs = Math.max(slowestMs, performance.now() - began);
      calls += 1;
      expect(status).toBe(200);
    };
    const dropping = await service.database.transaction(async (reader) => {
      await reader.query('SELECT FROM onboarding.insight_events LIMIT 1');
      const command = maintenance(service);
      for (const end = Date.now() + 2_000; Date.now() < end;) await track();
      expect(await partitionsOf(service, 'insight_events')).toContain(partition);
      return { command };
    });
    expect((await dropping.command).dropped).toEqual([partition]);
    expect(calls).toBeGreaterThan(5);
    expect(slowestMs).toBeLessThan(1_000);
  });
});
