import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { eventually, inParallel, RawConnection, rawExchange } from '@fd/testing';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const SOCKETS = 300;
const POST = 'POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);

describe(`${SOCKETS} clients that ignore their answers and send a byte every second`, () => {
  let service: TestService;
  let port: number;
  beforeAll(async () => {
    const atOnce = String(SOCKETS);
    service = await startService({ MAX_CONNECTIONS: atOnce, MAX_CONNECTIONS_PER_ADDRESS: atOnce });
    port = (service.server.address() as AddressInfo).port;
  });
  afterAll(() => service.close());

  const connections = ({ server }: UsersApp = service): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));

  it.each([
    // all headers must be there after 10 seconds
    ['headers', `${POST}X-A: `, 'a', 408],
    // the deadline of the call
    ['a body', `${POST}Content-Length: 10000\r\n\r\n{`, ' ', 503],
    [
      'the body of an answered request',
      'GET /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n',
      ' ',
      200,
    ],
  ])('lose their connections while they send %s', async (_part, start, drop, status) => {
    const clients = await inParallel(SOCKETS, async () =>
      (await RawConnection.to(port, { allowHalfOpen: true })).write(start),
    );
    const drip = setInterval(() => clients.forEach((client) => client.isClosed || client.write(drop)), 1_000);
    try {
      await eventually(() => {
        expect(new Set(clients.map(({ received }) => statusOf(received)))).toEqual(new Set([status]));
      }, 30_000);
      // half a second after the answer; Node.js itself waits for the rest of a body for 15 seconds
      await eventually(() => expect(clients.filter(({ isClosed }) => !isClosed)).toHaveLength(0), 8_000);
    } finally {
      clearInterval(drip);
      clients.forEach((client) => client.destroy());
    }
    await eventually(async () => expect(await connections()).toBe(0));
    const live = await rawExchange(port, 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(statusOf(live)).toBe(200);
  });

  it('lose their connections while they send blank lines between requests', async () => {
    const replica = await service.replica({ KEEP_ALIVE_SECONDS: '1' });
    const { port } = replica.server.address() as AddressInfo;
    const client = (await RawConnection.to(port)).write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    const drip = setInterval(() => client.isClosed || client.write('\r\n'), 500);
    try {
      await eventually(() => expect(statusOf(client.received)).toBe(200));
      await eventually(() => expect(client.isClosed).toBe(true), 30_000);
    } finally {
      clearInterval(drip);
      client.destroy();
    }
  });

  it('lose their connections when they do not read their answers', async () => {
    const replica = await service.replica({ CONNECTION_SILENCE_SECONDS: '1' });
    const before = await connections(replica);
    const accepted = once(replica.server, 'connection');
    const deaf = await RawConnection.to((replica.server.address() as AddressInfo).port);
    // far more than all buffers in between can hold
    deaf.stopReading().write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
    await accepted;
    await eventually(async () => expect(await connections(replica)).toBe(before));
    deaf.destroy();
    expect((await replica.api.get('/health/ready')).status).toBe(200);
  });
});
