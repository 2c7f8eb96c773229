import type { AddressInfo } from 'node:net';
import { eventually, inParallel, RawConnection } from '@fd/testing';
import { as, logIn, type LoggedIn } from '../../test/support/login.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const POST = 'POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);

describe('HTTP server', () => {
  let service: TestService;
  let user: LoggedIn;
  let port: number;
  beforeAll(async () => {
    service = await startService({ MAX_CONNECTIONS_PER_ADDRESS: '600' });
    user = await logIn(service);
    port = (service.server.address() as AddressInfo).port;
  });
  afterAll(() => service.close());

  it('closes the connections of 510 slow clients while it serves normal ones', async () => {
    const normal = async (): Promise<number> => {
      const took: number[] = [];
      for (let call = 0; call < 15; call++) {
        const startedAt = performance.now();
        expect((await as(service.api, user).get('/api/v1/user-profile')).status).toBe(200);
        took.push(performance.now() - startedAt);
      }
      return took.sort((a, b) => a - b)[7]!;
    };
    const alone = await normal();
    const slow = await inParallel(510, async (i) => {
      const connection = await RawConnection.to(port);
      // a third each: no bytes, part of the headers, half of a body
      if (i % 3 === 1) connection.write(POST);
      if (i % 3 === 2) connection.write(`${POST}Content-Length: 100\r\n\r\n{"phone":`);
      return connection;
    });
    expect((await normal()) / alone).toBeLessThan(10);
    await eventually(() => expect(slow.filter(({ isClosed }) => !isClosed)).toHaveLength(0));
    const statuses = new Set(slow.map(({ received }) => statusOf(received)));
    // the deadline ends a request whose body is incomplete
    expect(statuses).toEqual(new Set([408, 503]));
  });
});
