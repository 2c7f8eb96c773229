import type { AddressInfo, Server } from 'node:net';
import { eventually, RawConnection, rawExchange } from '@fd/testing';
import { as, logIn, type LoggedIn } from '../support/login.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const portOf = ({ app }: UsersApp): number => ((app.getHttpServer() as Server).address() as AddressInfo).port;

const POST = 'POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
const answersIn = (text: string): number => text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;

describe('the edge to HTTP', () => {
  let service: TestService;
  let user: LoggedIn;
  let port: number;
  beforeAll(async () => {
    service = await startService();
    user = await logIn(service);
    port = portOf(service);
  });
  afterAll(() => service.close());

  describe('what is no proper HTTP is refused, and what follows on the connection is not heard', () => {
    it.each([
      ['no HTTP at all', 'hello\r\n\r\n', 400],
      ['another version', 'GET /health/live HTTP/9.9\r\nHost: x\r\n\r\n', 400],
      ['a preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
      ['an unknown method', 'BREW /auth/register HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['lines that end as on Unix', 'GET /health/live HTTP/1.1\nHost: x\n\n', 400],
      ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
      ['a list of lengths', `${POST}Content-Length: 2, 2\r\n\r\n{}`, 400],
      ['length and chunks', `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
      ['chunks and length', `${POST}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n`, 400],
      ['chunks that are not last', `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, 400],
      ['negative length', `${POST}Content-Length: -2\r\n\r\n{}`, 400],
      ['a length with a sign', `${POST}Content-Length: +2\r\n\r\n{}`, 400],
      ['a length beyond all numbers', `${POST}Content-Length: ${'9'.repeat(30)}\r\n\r\n{}`, 400],
      ['a length that is text', `${POST}Content-Length: 0x2\r\n\r\n{}`, 400],
      ['a space before the colon', `${POST}Content-Length : 2\r\n\r\n{}`, 400],
      ['bad chunk', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}`, 400],
      ['a bare CR in a header', `${POST}X-A: a\rb\r\n\r\n`, 400],
      ['a NUL in a header', `${POST}X-A: a\0b\r\n\r\n`, 400],
      ['headers of 20 KB', `${POST}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
      ['a path of 20 KB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
      ['thousands of headers', `${POST}${'X-A: aaaaa\r\n'.repeat(3_000)}\r\n`, 431],
    ])('%s', async (_name, bytes, status) => {
      const follows = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
      const answer = await rawExchange(port, bytes + follows);
      expect([statusOf(answer), answersIn(answer)]).toEqual([status, 1]);
      expect(answer).toMatch(/^connection: close\r$/im);
      expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toEqual({
        success: 0,
        statusCode: status,
        message: expect.any(String) as string,
        payload: {},
        error: [],
      });
    });
  });

  it('a body over the limit is refused without waiting for the rest of it', async () => {
    const announced = await rawExchange(port, `${POST}Content-Length: 100000000\r\n\r\n{"phone":"`);
    const chunked = await rawExchange(
      port,
      `${POST}Transfer-Encoding: chunked\r\n\r\n20000\r\n${'x'.repeat(0x20000)}\r\n`,
    );
    for (const answer of [announced, chunked]) {
      expect(statusOf(answer)).toBe(400);
      expect(answer).toMatch(/^connection: close\r$/im);
    }
  });

  it.each([
    ['HTTP/1.0 without a host', 'GET /health/live HTTP/1.0\r\n\r\n', 200],
    ['no host', 'GET /health/live HTTP/1.1\r\n\r\n', 400],
    [
      'the absolute form',
      'GET http://elsewhere.example/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      200,
    ],
    ['the asterisk form', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 204],
    [
      'an upgrade that nobody offers',
      'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      200,
    ],
    [
      'an expectation that nobody meets',
      `${POST}Expect: tea\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
      417,
    ],
    ['TRACE', 'TRACE /auth/register HTTP/1.1\r\nHost: x\r\nX-Secret: told\r\nConnection: close\r\n\r\n', 404],
    ['an encoded slash', 'GET /health%2Flive HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    [
      'an encoded slash, encoded again',
      'GET /health%252Flive HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['a way up', 'GET /health/../api/v1/user-profile HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    [
      'an encoded way up',
      'GET /docs/%2e%2e%2f%2e%2e%2fpackage.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    [
      'a protected path in capitals',
      'GET /API/V1/USER-PROFILE HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      401,
    ],
    [
      'a protected path with a slash at its end',
      'GET /api/v1/user-profile/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      401,
    ],
    [
      'the head of a protected path',
      'HEAD /api/v1/user-profile HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      401,
    ],
  ])('%s', async (_name, bytes, status) => {
    const answer = await rawExchange(port, bytes);
    expect([statusOf(answer), answersIn(answer)]).toEqual([status, 1]);
    expect(answer).not.toContain('told');
  });

  it('a tunnel is not opened', async () => {
    expect(await rawExchange(port, 'CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: 127.0.0.1:5432\r\n\r\n')).toBe(
      '',
    );
  });

  it('a body that asks first is let in, and answered once', async () => {
    const body = JSON.stringify({ phone: 'none' });
    const head = `${POST}Expect: 100-continue\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    const connection = (await RawConnection.to(port)).write(head);
    await eventually(() => expect(statusOf(connection.received)).toBe(100));
    const answer = await connection.write(body).untilClosed();
    expect(answersIn(answer)).toBe(2);
    expect(answer).toContain('HTTP/1.1 400 ');
  });

  it('requests that do not wait for each other are answered in their order', async () => {
    const ids = Array.from({ length: 30 }, (_, i) => `pipelined-${i}`);
    const call = (id: string, i: number) => {
      const path = i % 2 ? '/health/live' : '/api/v1/user-profile';
      const last = i === ids.length - 1 ? 'Connection: close\r\n' : '';
      return `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n${last}\r\n`;
    };
    const answer = await rawExchange(port, ids.map(call).join(''));
    expect([...answer.matchAll(/^x-request-id: (.+)\r$/gim)].map(([, id]) => id)).toEqual(ids);
    expect([...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)).toEqual(
      ids.map((_, i) => (i % 2 ? '200' : '401')),
    );
  });

  it('slow clients in their hundreds are ended, and keep nobody else waiting', async () => {
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
    const slow = await Promise.all(
      Array.from({ length: 510 }, async (_, i) => {
        const connection = await RawConnection.to(port);
        // nothing at all, half of the headers, half of a body
        if (i % 3 === 1) connection.write(POST);
        if (i % 3 === 2) connection.write(`${POST}Content-Length: 100\r\n\r\n{"phone":`);
        return connection;
      }),
    );
    expect((await normal()) / alone).toBeLessThan(10);
    await eventually(() => expect(slow.filter(({ isClosed }) => !isClosed)).toHaveLength(0));
    const statuses = new Set(slow.map(({ received }) => statusOf(received)));
    // a body is waited for until the deadline
    expect(statuses).toEqual(new Set([408, 503]));
  });

  it('has a bounded number of connections, and takes new ones when others have gone', async () => {
    const replica = await service.replica({ MAX_CONNECTIONS: '5' });
    const idle = await Promise.all(Array.from({ length: 5 }, () => RawConnection.to(portOf(replica))));
    const live = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    expect(await rawExchange(portOf(replica), live)).toBe('');
    idle[0]!.destroy();
    await eventually(async () => expect(statusOf(await rawExchange(portOf(replica), live))).toBe(200));
    idle.forEach((connection) => connection.destroy());
  });

  it('a client that does not read its answers is left, and what waits for it is given up', async () => {
    const replica = await service.replica({ CONNECTION_SILENCE_SECONDS: '1' });
    const server = replica.app.getHttpServer() as Server;
    const connections = () =>
      new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
    const before = await connections();
    const deaf = await RawConnection.to(portOf(replica));
    // far more than all buffers on the way hold
    deaf.stopReading().write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
    await eventually(async () => expect(await connections()).toBe(before + 1));
    await eventually(async () => expect(await connections()).toBe(before));
    deaf.destroy();
    expect((await replica.api.get('/health/ready')).status).toBe(200);
  });

  it('has logged no defect while at it', () => {
    expect(service.logs().match(/"level":"(error|fatal)"/g)).toBeNull();
  });
});
