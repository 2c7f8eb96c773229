import type { AddressInfo, Socket } from 'node:net';
import { eventually, inParallel, RawConnection, rawExchange } from '@fd/testing';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const portOf = ({ server }: UsersApp): number => (server.address() as AddressInfo).port;

const connectionsOf = ({ server }: UsersApp): Promise<number> =>
  new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));

const POST = 'POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
const answersIn = (text: string): number => text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;

describe('HTTP server', () => {
  let service: TestService;
  let port: number;
  beforeAll(async () => {
    service = await startService();
    port = portOf(service);
  });
  afterAll(() => service.close());

  /** Expects the error envelope and the usual headers in the answer to malformed HTTP, and a closed connection. */
  function expectOurs(answer: string, status: number): void {
    const [head, body] = answer.split('\r\n\r\n') as [string, string];
    expect(JSON.parse(body)).toEqual({
      success: 0,
      statusCode: status,
      message: expect.any(String) as string,
      payload: {},
      error: [],
    });
    for (const header of [
      'connection: close',
      'cache-control: no-store',
      'x-content-type-options: nosniff',
      'strict-transport-security: max-age=31536000; includesubdomains',
    ])
      expect(head.toLowerCase().split('\r\n')).toContain(header);
    expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/im);
  }

  describe('malformed HTTP', () => {
    it.each([
      ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
      ['another version of HTTP', 'GET /health/live HTTP/9.9\r\nHost: x\r\n\r\n', 400],
      ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
      ['an unknown method', 'BREW /auth/register HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['lines that end with LF alone', 'GET /health/live HTTP/1.1\nHost: x\n\n', 400],
      ['two Content-Length headers', `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
      ['a Content-Length with two values', `${POST}Content-Length: 2, 2\r\n\r\n{}`, 400],
      [
        'a Content-Length before chunked encoding',
        `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
        400,
      ],
      [
        'a Content-Length after chunked encoding',
        `${POST}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n`,
        400,
      ],
      [
        'chunked encoding that is not the last one',
        `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
        400,
      ],
      ['a negative Content-Length', `${POST}Content-Length: -2\r\n\r\n{}`, 400],
      ['a Content-Length with a plus sign', `${POST}Content-Length: +2\r\n\r\n{}`, 400],
      ['a Content-Length of 30 digits', `${POST}Content-Length: ${'9'.repeat(30)}\r\n\r\n{}`, 400],
      ['a hexadecimal Content-Length', `${POST}Content-Length: 0x2\r\n\r\n{}`, 400],
      ['a space before the colon', `${POST}Content-Length : 2\r\n\r\n{}`, 400],
      ['a malformed chunk', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}`, 400],
      ['a bare CR in a header', `${POST}X-A: a\rb\r\n\r\n`, 400],
      ['a NUL in a header', `${POST}X-A: a\0b\r\n\r\n`, 400],
      ['headers of 20 KB', `${POST}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
      ['a path of 20 KB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
      ['thousands of headers', `${POST}${'X-A: aaaaa\r\n'.repeat(3_000)}\r\n`, 431],
      ['HTTP/1.1 without a Host header', 'GET /health/live HTTP/1.1\r\n\r\n', 400],
      ['two Host headers', 'GET /health/live HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400],
      ['the same Host header twice', 'GET /health/live HTTP/1.1\r\nHost: x\r\nHOST: x\r\n\r\n', 400],
      ['an unknown expectation', `${POST}Expect: tea\r\nContent-Length: 2\r\n\r\n{}`, 417],
    ])('refuses %s and ignores later bytes on the connection', async (_name, bytes, status) => {
      const follows = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
      const answer = await rawExchange(port, bytes + follows);
      expect([statusOf(answer), answersIn(answer)]).toEqual([status, 1]);
      expectOurs(answer, status);
    });
  });

  describe('the CORS header of answers to malformed HTTP', () => {
    const ORIGIN = 'https://app.deposits.example';
    const tooMuch = `X-A: ${'a'.repeat(20_000)}\r\n\r\n`;
    let replica: UsersApp;
    beforeAll(async () => {
      replica = await service.replica({ CORS_ORIGINS: ORIGIN });
    });
    const allowed = (answer: string) => /^access-control-allow-origin: (.*)\r$/im.exec(answer)?.[1];

    it.each([
      ['names a known origin', `Origin: ${ORIGIN}\r\n${tooMuch}`, 431, ORIGIN],
      ['names a known origin in lower case', `origin:${ORIGIN}\r\n${tooMuch}`, 431, ORIGIN],
      ['does not name an unknown origin', `Origin: https://other.example\r\n${tooMuch}`, 431, undefined],
      ['does not name a longer origin', `Origin: ${ORIGIN}.example\r\n${tooMuch}`, 431, undefined],
      ['names a known origin of a bad header', `Origin: ${ORIGIN}\r\nX-A: a\0b\r\n\r\n`, 400, ORIGIN],
      ['names a known origin of two hosts', `Origin: ${ORIGIN}\r\nHost: y\r\n\r\n`, 400, ORIGIN],
      ['admits any page without an origin', tooMuch, 431, '*'],
    ])('%s', async (_name, headers, status, origin) => {
      const answer = await rawExchange(portOf(replica), `${POST}${headers}`);
      expect([statusOf(answer), allowed(answer)]).toEqual([status, origin]);
      expectOurs(answer, status);
    });

    it('admits any page if the origin came in an earlier packet', async () => {
      const accepted = new Promise<Socket>((resolve) => replica.server.once('connection', resolve));
      const connection = await RawConnection.to(portOf(replica));
      const first = `${POST}Origin: ${ORIGIN}\r\n`;
      connection.write(first);
      const socket = await accepted;
      await eventually(() => expect(socket.bytesRead).toBe(first.length));
      const answer = await connection.write(tooMuch).untilClosed();
      expect([statusOf(answer), allowed(answer)]).toEqual([431, '*']);
    });
  });

  it('refuses a body over the limit without waiting for the rest of it', async () => {
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
    ['serves HTTP/1.0 without a Host header', 'GET /health/live HTTP/1.0\r\n\r\n', 200],
    ['refuses two Host headers of HTTP/1.0', 'GET /health/live HTTP/1.0\r\nHost: x\r\nhost: y\r\n\r\n', 400],
    [
      'serves a request target in absolute form',
      'GET http://elsewhere.example/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      200,
    ],
    ['answers OPTIONS with an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 204],
    [
      'ignores an upgrade to WebSocket',
      'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      200,
    ],
    [
      'refuses TRACE without echoing it',
      'TRACE /auth/register HTTP/1.1\r\nHost: x\r\nX-Secret: secret-value\r\nConnection: close\r\n\r\n',
      404,
    ],
    [
      'does not decode an encoded slash',
      'GET /health%2Flive HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    [
      'does not decode a slash that is encoded twice',
      'GET /health%252Flive HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    [
      'does not resolve a path with two dots',
      'GET /health/../api/v1/user-profile HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    [
      'does not resolve an encoded path with two dots',
      'GET /docs/%2e%2e%2f%2e%2e%2fpackage.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    [
      'asks for a token for a protected path in capitals',
      'GET /API/V1/USER-PROFILE HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      401,
    ],
    [
      'asks for a token for a protected path with a trailing slash',
      'GET /api/v1/user-profile/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      401,
    ],
    [
      'asks for a token for HEAD of a protected path',
      'HEAD /api/v1/user-profile HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      401,
    ],
  ])('%s', async (_name, bytes, status) => {
    const answer = await rawExchange(port, bytes);
    expect([statusOf(answer), answersIn(answer)]).toEqual([status, 1]);
    expect(answer).not.toContain('secret-value');
  });

  it('opens no tunnel for CONNECT', async () => {
    expect(await rawExchange(port, 'CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: 127.0.0.1:5432\r\n\r\n')).toBe(
      '',
    );
  });

  it('answers Expect: 100-continue with 100, and the body once', async () => {
    const body = JSON.stringify({ phone: 'none' });
    const head = `${POST}Expect: 100-continue\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    const connection = (await RawConnection.to(port)).write(head);
    await eventually(() => expect(statusOf(connection.received)).toBe(100));
    const answer = await connection.write(body).untilClosed();
    expect(answersIn(answer)).toBe(2);
    expect(answer).toContain('HTTP/1.1 400 ');
  });

  it('answers pipelined requests in their order', async () => {
    const ids = Array.from(
      { length: 30 },
      (_, i) => `0198c0de-1a2b-7c3d-8e4f-${String(i).padStart(12, '0')}`,
    );
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

  it('closes the connection of a refused client that keeps its side open', async () => {
    const before = await connectionsOf(service);
    const clients = await inParallel(5, async (i) => {
      const client = await RawConnection.to(port, { allowHalfOpen: true });
      // a parse error, one during a body, headers that are too long, no Host, an unknown expectation
      return client.write(
        [
          'hello\r\n\r\n',
          `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
          `${POST}X-A: ${'a'.repeat(20_000)}`,
          'GET / HTTP/1.1\r\nContent-Length: 9\r\n\r\n',
          `${POST}Expect: tea\r\nContent-Length: 2\r\n\r\n`,
        ][i]!,
      );
    });
    await eventually(() => {
      expect(clients.map(({ received }) => statusOf(received))).toEqual([400, 400, 431, 400, 417]);
    });
    await eventually(async () => expect(await connectionsOf(service)).toBe(before));
    clients.forEach((client) => client.destroy());
  });

  describe('with connections of two addresses', () => {
    const LIVE = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const OTHER = '127.0.0.2';
    const answered = async (replica: UsersApp, localAddress?: string): Promise<number> => {
      const connection = await RawConnection.to(portOf(replica), localAddress ? { localAddress } : {});
      return statusOf(await connection.write(LIVE).untilClosed());
    };

    it.each([
      ['a fifth of the connections', { MAX_CONNECTIONS: '20' }, 4],
      ['the set number', { MAX_CONNECTIONS: '20', MAX_CONNECTIONS_PER_ADDRESS: '6' }, 6],
    ])('grants one address %s, and others the rest', async (_share, settings, share) => {
      const replica = await service.replica({ ...settings, TRUSTED_PROXY_HOPS: '0' });
      const held = await inParallel(share, () => RawConnection.to(portOf(replica)));
      await eventually(async () => expect(await connectionsOf(replica)).toBe(share));
      expect([await answered(replica), await answered(replica, OTHER)]).toEqual([NaN, 200]);
      held[0]!.destroy();
      await eventually(async () => expect(await answered(replica)).toBe(200));
      held.forEach((connection) => connection.destroy());
    });

    it('counts no addresses behind a proxy, whose address all have', async () => {
      const replica = await service.replica({ MAX_CONNECTIONS: '20', TRUSTED_PROXY_HOPS: '1' });
      const held = await inParallel(19, () => RawConnection.to(portOf(replica)));
      await eventually(async () => expect(await connectionsOf(replica)).toBe(19));
      expect(await answered(replica)).toBe(200);
      held.forEach((connection) => connection.destroy());
    });
  });

  it('bounds the number of connections, and accepts new ones when others have closed', async () => {
    const replica = await service.replica({ MAX_CONNECTIONS: '5', MAX_CONNECTIONS_PER_ADDRESS: '5' });
    const idle = await inParallel(5, () => RawConnection.to(portOf(replica)));
    const live = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    expect(await rawExchange(portOf(replica), live)).toBe('');
    idle[0]!.destroy();
    await eventually(async () => expect(statusOf(await rawExchange(portOf(replica), live))).toBe(200));
    idle.forEach((connection) => connection.destroy());
  });

  it('ends although clients keep connections without a request', async () => {
    // longer than this test may take
    const replica = await service.replica({ CONNECTION_SILENCE_SECONDS: '100' });
    const before = await connectionsOf(replica);
    const unused = await RawConnection.to(portOf(replica));
    const kept = await RawConnection.to(portOf(replica));
    kept.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(async () => expect(await connectionsOf(replica)).toBe(before + 2));
    await eventually(() => expect(statusOf(kept.received)).toBe(200));
    await replica.close();
    expect(await unused.untilClosed()).toBe('');
    expect(answersIn(await kept.untilClosed())).toBe(1);
  });

  it('logs no defect for malformed HTTP and slow clients', () => {
    expect(service.logs().match(/"level":"(error|fatal)"/g)).toBeNull();
  });
});
