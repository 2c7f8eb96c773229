import '@fd/testing/use-generous-limits';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@fd/testing';
import { FollowedClock } from './followed-clock.js';

describe('FollowedClock', () => {
  let server: Server;
  let clock: FollowedClock;
  let answer: string | undefined;
  const asked: string[] = [];

  beforeEach(async () => {
    answer = '{"ahead_seconds":600}';
    asked.length = 0;
    server = createServer((request, response) => {
      asked.push(request.url!);
      // without an answer the request hangs
      if (answer !== undefined) response.setHeader('content-type', 'application/json').end(answer);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    clock = new FollowedClock(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/clock`);
  });
  afterEach(() => {
    clock.onModuleDestroy();
    server.close();
    server.closeAllConnections();
  });

  const until = (aheadMs: number) => eventually(() => expect(clock.aheadMs).toBe(aheadMs));

  it('knows the offset when the service starts, and follows it', async () => {
    await clock.onModuleInit();
    expect(clock.aheadMs).toBe(600_000);
    expect(Math.abs(clock.now().getTime() - Date.now() - 600_000)).toBeLessThan(1_000);
    expect(Math.abs(clock.machineNow().getTime() - Date.now())).toBeLessThan(1_000);
    answer = '{"ahead_seconds":960}';
    await until(960_000);
    expect(new Set(asked).size).toBe(1);
    expect(asked[0]).toMatch(/^\/api\/clock\?follower=[0-9a-f-]{36}$/);
  });

  it.each([
    '{"ahead_seconds":0}',
    '{"ahead_seconds":-1}',
    '{"ahead_seconds":"999"}',
    '{}',
    '<h1>Welcome</h1>',
  ])('keeps its time when it reads %s', async (odd) => {
    await clock.read();
    answer = odd;
    await clock.read();
    expect(clock.aheadMs).toBe(600_000);
  });

  it('keeps its time without an answer, and follows again after one', async () => {
    await clock.onModuleInit();
    answer = undefined;
    const before = asked.length;
    await eventually(() => expect(asked.length).toBeGreaterThan(before));
    expect(clock.aheadMs).toBe(600_000);
    answer = '{"ahead_seconds":601}';
    // that of the request without an answer
    server.closeAllConnections();
    await until(601_000);
  });

  it('shows the real time while the sandbox cannot be reached', async () => {
    server.close();
    server.closeAllConnections();
    await clock.onModuleInit();
    expect(clock.aheadMs).toBe(0);
  });

  it('stops asking once the service has ended', async () => {
    await clock.onModuleInit();
    clock.onModuleDestroy();
    const before = asked.length;
    await sleep(600);
    expect(asked.length).toBe(before);
  });
});
