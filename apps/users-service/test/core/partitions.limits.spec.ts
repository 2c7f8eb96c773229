import { randomUUID } from 'node:crypto';
import { EVENTS_KEPT_DAYS } from '../../src/core/database/partitioned-tables.js';
import { eventually } from '@fd/testing';
import { as, logIn } from '../support/login.js';
import { maintenance, partitionsOf, pastPartition, startWithPastInsights } from '../support/partitions.js';
import type { TestService } from '../support/users-app.js';

const WAITING_TO_DROP = `SELECT count(*)::int AS waiting FROM pg_locks
  WHERE relation = 'onboarding.insight_events'::regclass AND NOT granted AND mode = 'AccessExclusiveLock'`;
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
    const track = () => api.post(PATH, { event_id: randomUUID(), event_name: 'PAN_SUBMITTED' });
    const { dropping } = await service.database.transaction(async (reader) => {
      await reader.query('SELECT FROM onboarding.insight_events LIMIT 1');
      const command = maintenance(service);
      for (let times = 0; times < 3; times++) {
        await eventually(async () => expect(await reader.query(WAITING_TO_DROP)).toEqual([{ waiting: 1 }]));
        // ends although the reader does not, since the drop gives up
        expect((await track()).status).toBe(200);
      }
      expect(await partitionsOf(service, 'insight_events')).toContain(partition);
      return { dropping: command };
    });
    expect((await dropping).dropped).toEqual([partition]);
  });
});
