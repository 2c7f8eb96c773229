import { withDeadline } from '@fd/envelope';
import type { Request, Response } from 'express';
import { Registry } from 'prom-client';
import { LoadShedding } from './load-shedding.js';

describe('the count of requests in flight', () => {
  const registry = new Registry();
  const load = new LoadShedding({ maxRequestsInFlight: 5, maxEventLoopDelayMs: 10_000 }, {}, registry);
  afterAll(() => load.onApplicationShutdown());

  const inFlight = async (): Promise<number> =>
    (await registry.getSingleMetric('requests_in_flight')!.get()).values[0]!.value;

  const enter = (deadlineMs?: number): Response => {
    const response = { end: () => response } as unknown as Response;
    withDeadline(() => load.enter({ path: '/' } as Request, response, () => undefined), deadlineMs);
    return response;
  };

  it('lowers the count once for each answered request', async () => {
    const responses = [enter(), enter()];
    expect(await inFlight()).toBe(2);
    responses[0]!.end();
    responses[0]!.end();
    expect(await inFlight()).toBe(1);
    responses[1]!.end();
    expect(await inFlight()).toBe(0);
  });

  it('lowers the count at the deadline of a request that nothing answers', async () => {
    enter(50);
    expect(await inFlight()).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await inFlight()).toBe(0);
  });
});
