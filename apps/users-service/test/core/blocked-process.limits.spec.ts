import { REDIS, type RedisClient } from '@fd/platform';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startService, type TestService } from '../support/users-app.js';

/** Blocks the event loop, as a pause of the machine or of its processor share does. */
function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

describe('a process that was blocked for longer than the limit of a store', () => {
  let service: TestService;
  let redis: RedisClient;
  beforeAll(async () => {
    service = await startService();
    redis = service.app.get<RedisClient>(REDIS);
  });
  afterAll(() => service.close());

  it.each([
    ['a command', 300],
    ['silence', 1_500],
  ])('reads the answer of Redis after the limit of %s, and keeps the connection', async (_limit, ms) => {
    const connection = await redis.client('ID');
    const answer = redis.ping();
    block(ms);
    expect(await answer).toBe('PONG');
    expect(await redis.client('ID')).toBe(connection);
  });

  it('reads the answer of PostgreSQL, and keeps the connection', async () => {
    const pid = 'SELECT pg_backend_pid() AS pid';
    await service.database.transaction(async (transaction) => {
      const before = await transaction.query(pid);
      const answer = transaction.query(pid);
      // sent by now
      await nextTurn();
      block(1_200);
      expect(await answer).toEqual(before);
    });
  });
});
