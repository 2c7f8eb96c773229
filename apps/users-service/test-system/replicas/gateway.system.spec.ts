import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { GeneralErrors, MasterErrors, SessionErrors } from '@fd/errors';
import {
  eventually,
  freePort,
  recordEvidence,
  RawConnection,
  rawExchange,
  SteadyLoad,
  TcpProxy,
  repeatUntilServed,
} from '@fd/testing';
import { type JWTPayload, SignJWT } from 'jose';
import { BehindGateway, CATALOGUE_KEY, ORIGIN } from '../../test/support/behind-gateway.js';
import { call, type RawAnswer } from '../../test/support/called-from.js';
import { configured, type Gateway } from '../../test/support/gateway.config.js';
import { aPhone } from '../../test/support/inbox.js';
import { aPerson } from '../../test/support/person.js';
import { JourneyClient } from '../../test/support/journey-client.js';

jest.setTimeout(240_000);

/** How the gateway logs the end of a call that a replica has answered. */
const BY_REPLICA = '--';
const PROFILE = '/api/v1/user-profile';
const JSON_TYPE = { 'content-type': 'application/json' };
const QUOTE =
  '/api/v1/detail/maturity-amount/ARAVFIN?tenure=730&investment_amount=100000&payout_frequency=Maturity&product_type=FD';

const portOf = (url: string): number => Number(new URL(url).port);

/** Whether a replica answered: only the services send rate-limit headers. */
const isOfService = ({ headers }: RawAnswer): boolean => headers['x-ratelimit-limit'] !== undefined;

/** The parts of a refusal that clients rely on; leaves out those that differ between calls. */
function contractOf({ status, headers, text }: RawAnswer): object {
  const { 'content-type': type, 'www-authenticate': challenge, 'cache-control': cache } = headers;
  return {
    ...{ status, type, challenge, cache, body: JSON.parse(text) as unknown },
    sniffing: headers['x-content-type-options'],
    transport: headers['strict-transport-security'],
    origin: headers['access-control-allow-origin'],
    exposed: headers['access-control-expose-headers'],
    vary: headers['vary'],
    hasId: headers['x-request-id'] !== undefined,
  };
}

describe('behind a gateway', () => {
  let behind: BehindGateway;
  let gateway: Gateway;
  beforeAll(async () => {
    behind = await BehindGateway.start();
    gateway = await behind.gateway();
  });
  afterAll(async () => {
    await gateway?.stop();
    await behind?.stop();
  });

  const quote = (port: number): Promise<RawAnswer> =>
    call(port, QUOTE, { headers: { apikey: CATALOGUE_KEY } });

  it('completes a journey and gets a quote, each call at the next replica', async () => {
    const customer = new JourneyClient(gateway.usersUrl, 'aravalli', aPerson());
    await customer.all();
    expect((await customer.bookingCheck()).body.payload).toMatchObject({ is_bookable: true });
    for (let i = 0; i < 4; i++) expect((await quote(gateway.masterPort)).status).toBe(200);
    for (const { log } of [...behind.users, ...behind.master]) expect(log()).toContain('"msg":"request"');
  });

  it.each([
    '/metrics',
    '/metrics/',
    '/Metrics',
    '//metrics',
    '/%6detrics',
    '/./metrics',
    '/health/live',
    '/HEALTH/ready',
    '/',
    '/nothing',
  ])('answers %s like a call that does not exist', async (path) => {
    const [own, ofUsers, ofMaster] = await Promise.all([
      call(portOf(behind.users[0]!.url), '/nothing-that-exists', { headers: { origin: ORIGIN } }),
      call(gateway.usersPort, path, { headers: { origin: ORIGIN } }),
      call(gateway.masterPort, path, { headers: { origin: ORIGIN } }),
    ]);
    expect(contractOf(ofUsers)).toEqual(contractOf(own));
    const inMaster = JSON.stringify(contractOf(own)).replace(
      GeneralErrors.routeUnknown.code,
      MasterErrors.routeUnknown.code,
    );
    expect(contractOf(ofMaster)).toEqual(JSON.parse(inMaster));
  });

  it('gives an absolute-form path no access to internal paths', async () => {
    const absolute = (host: string): string =>
      `GET http://services.example/metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    const [same, other] = await Promise.all(
      ['services.example', 'x'].map((host) => rawExchange(gateway.usersPort, absolute(host))),
    );
    expect(same).toMatch(/^HTTP\/1\.1 404 /);
    expect(other).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('identifies clients by their address and ignores forged headers', async () => {
    const left = async (from: string, forged?: string): Promise<number> => {
      const headers = forged === undefined ? {} : { 'x-forwarded-for': forged };
      const { headers: received } = await call(gateway.usersPort, '/.well-known/jwks.json', {
        from,
        headers,
      });
      return Number(received['x-ratelimit-remaining']);
    };
    const first = await left('127.0.0.11');
    const forged = ['1.1.1.1', '127.0.0.12', '9.9.9.9, 8.8.8.8', 'unknown', '::1', ''];
    for (const [index, text] of forged.entries())
      expect(await left('127.0.0.11', text)).toBe(first - index - 1);
    // another address has its own budget
    expect(await left('127.0.0.12')).toBe(first);
  });

  it('answers 429 to an address that calls too often, and serves other addresses', async () => {
    const strict = await behind.gateway({ CALLS_PER_MINUTE: '40' });
    try {
      const at = (from: string, i: number): Promise<RawAnswer> =>
        call(strict.usersPort, '/openapi.json', { from, headers: { 'x-forwarded-for': `1.1.1.${i}` } });
      // one after the other: HAProxy's threads count a call before they compare, so that two calls at once may both be above
      for (let i = 0; i < 40; i++) expect((await at('127.0.0.13', i)).status).toBe(200);
      const refused = await Promise.all(Array.from({ length: 20 }, (_, i) => at('127.0.0.13', 40 + i)));
      expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 429));
      expect(refused[0]!.headers['retry-after']).toBe('60');
      expect(JSON.parse(refused[0]!.text)).toMatchObject({
        success: 0,
        statusCode: 429,
        error: [{ errorCode: GeneralErrors.tooManyRequests.code }],
      });
      await eventually(() => expect(strict.log()).toContain('"status":429'));
      expect((await at('127.0.0.14', 0)).status).toBe(200);
      // the log has the first refusal, and the next one if both were counted at once
      await eventually(() => expect(strict.log().split('"status":200')).toHaveLength(42));
      expect(strict.log().split('"status":429').length - 1).toBeLessThanOrEqual(2);
      const catalogue = await call(strict.masterPort, '/openapi.json', { from: '127.0.0.13' });
      expect(JSON.parse(catalogue.text)).toMatchObject({
        error: [{ errorCode: MasterErrors.tooManyRequests.code }],
      });
    } finally {
      await strict.stop();
    }
  });

  describe('access token', () => {
    const now = (): number => Math.floor(Date.now() / 1_000);
    const keyOf = (index: number): KeyObject =>
      createPrivateKey({ key: behind.keys[index] as never, format: 'jwk' });

    async function token(
      claims: JWTPayload = {},
      header: object = {},
      key: KeyObject = keyOf(0),
    ): Promise<string> {
      const usual = { iss: behind.issuer, aud: 'fd-onboarding', iat: now(), nbf: now(), exp: now() + 900 };
      const ids = { sub: crypto.randomUUID(), sid: crypto.randomUUID(), jti: crypto.randomUUID() };
      return new SignJWT({ ...usual, ...ids, ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'first', ...header })
        .sign(key);
    }

    const bearer = (text: string): Record<string, string> => ({ authorization: `Bearer ${text}` });
    const changed = (text: string, part: number, change: (bytes: Buffer) => void): string => {
      const parts = text.split('.');
      const bytes = Buffer.from(parts[part]!, 'base64url');
      change(bytes);
      parts[part] = bytes.toString('base64url');
      return parts.join('.');
    };
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

    /** Tokens that the service refuses without asking a store, with the error code. */
    const refused: [string, string, () => Promise<Record<string, string>>][] = [
      ['no header', SessionErrors.tokenMissing.code, () => Promise.resolve({})],
      ['an empty header', SessionErrors.tokenMalformed.code, () => Promise.resolve({ authorization: '' })],
      [
        'another scheme',
        SessionErrors.tokenMalformed.code,
        () => Promise.resolve({ authorization: 'Basic YTpi' }),
      ],
      ['no JWT', SessionErrors.tokenMalformed.code, () => Promise.resolve(bearer('abc'))],
      ['a JWT without JSON', SessionErrors.tokenMalformed.code, () => Promise.resolve(bearer('a.b.c'))],
      ['two words', SessionErrors.tokenMalformed.code, async () => bearer(`${await token()} more`)],
      [
        'an oversized token',
        SessionErrors.tokenMalformed.code,
        async () => bearer(await token({ long: 'x'.repeat(4_096) })),
      ],
      [
        'a token signed by an unknown key',
        SessionErrors.tokenInvalid.code,
        async () => bearer(await token({}, {}, stranger)),
      ],
      [
        'a token with an unknown key id',
        SessionErrors.tokenInvalid.code,
        async () => bearer(await token({}, { kid: 'nobody' })),
      ],
      [
        'a token without a key id',
        SessionErrors.tokenInvalid.code,
        async () => bearer(await token({}, { kid: undefined })),
      ],
      [
        'a token of another type',
        SessionErrors.tokenInvalid.code,
        async () => bearer(await token({}, { typ: 'JWT' })),
      ],
      [
        'a token of another issuer',
        SessionErrors.tokenInvalid.code,
        async () => bearer(await token({ iss: 'https://x.example' })),
      ],
      [
        'a token for another audience',
        SessionErrors.tokenInvalid.code,
        async () => bearer(await token({ aud: 'partner' })),
      ],
      [
        'a token not valid yet',
        SessionErrors.tokenInvalid.code,
        async () => bearer(await token({ nbf: now() + 100 })),
      ],
      [
        'a token without an expiry',
        SessionErrors.tokenInvalid.code,
        async () => bearer(await token({ exp: undefined })),
      ],
      [
        'an expired token',
        SessionErrors.tokenExpired.code,
        async () => bearer(await token({ exp: now() - 40 })),
      ],
      [
        'a changed claim',
        SessionErrors.tokenInvalid.code,
        async () => bearer(changed(await token(), 1, (bytes) => (bytes[20]! ^= 1))),
      ],
      [
        'a changed signature',
        SessionErrors.tokenInvalid.code,
        async () => bearer(changed(await token(), 2, (bytes) => (bytes[3]! ^= 1))),
      ],
      [
        'no signature',
        SessionErrors.tokenInvalid.code,
        async () => bearer((await token()).replace(/[^.]*$/, '')),
      ],
      [
        'the algorithm none',
        SessionErrors.tokenInvalid.code,
        async () => {
          const header = Buffer.from('{"alg":"none","typ":"at+jwt","kid":"first"}').toString('base64url');
          return bearer((await token()).replace(/^[^.]*/, header));
        },
      ],
      [
        'the public key as an HMAC secret',
        SessionErrors.tokenInvalid.code,
        async () => {
          const header = Buffer.from('{"alg":"HS256","typ":"at+jwt","kid":"first"}').toString('base64url');
          return bearer((await token()).replace(/^[^.]*/, header));
        },
      ],
    ];

    it.each(refused)('refuses %s with %s, as the service does', async (_name, code, headersOf) => {
      const headers = { ...(await headersOf()), origin: ORIGIN };
      const [own, atGateway] = await Promise.all([
        call(portOf(behind.users[0]!.url), PROFILE, { headers }),
        call(gateway.usersPort, PROFILE, { headers }),
      ]);
      expect(JSON.parse(own.text)).toMatchObject({ error: [{ errorCode: code }] });
      expect(contractOf(atGateway)).toEqual(contractOf(own));
      expect([isOfService(own), isOfService(atGateway)]).toEqual([true, false]);
    });

    it('requires an access token on every call of a user, and on no other', async () => {
      const document = (await (await fetch(`${gateway.usersUrl}/openapi.json`)).json()) as {
        paths: Record<string, Record<string, { security: object[] }>>;
      };
      const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { security }]) => ({
          path,
          method,
          isOpen: !security.some((scheme) => 'bearer' in scheme),
        })),
      );
      expect(calls.length).toBeGreaterThan(30);
      for (const { path, method, isOpen } of calls.filter((each) => !each.path.startsWith('/health'))) {
        const options = {
          method: method.toUpperCase(),
          headers: JSON_TYPE,
          body: method === 'post' ? '{}' : '',
        };
        const answer = await call(gateway.usersPort, path.replaceAll(/[{}]/g, ''), options);
        expect([method, path, isOfService(answer)]).toEqual([method, path, isOpen]);
        if (!isOpen) expect(answer.text).toContain(SessionErrors.tokenMissing.code);
      }
      // preflight requests carry no token
      const asked = await call(gateway.usersPort, PROFILE, {
        method: 'OPTIONS',
        headers: { origin: ORIGIN, 'access-control-request-method': 'GET' },
      });
      expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([204, ORIGIN]);
    });

    it('lets only allowed origins read the refusal of a token', async () => {
      const { headers } = await call(gateway.usersPort, PROFILE, {
        headers: { origin: 'https://evil.example' },
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
      const other = await call(gateway.usersPort, PROFILE, {
        headers: { origin: 'https://other.deposits.example' },
      });
      expect(other.headers['access-control-allow-origin']).toBe('https://other.deposits.example');
    });

    it('accepts a token of a new key once the gateway has the key, while tokens of old keys stay valid', async () => {
      const customer = new JourneyClient(gateway.usersUrl, 'aravalli', aPerson());
      await customer.register();
      await customer.logIn();
      const next = await token({}, { kid: 'next' }, keyOf(1));
      // the replicas know the key, the gateway does not know it yet
      expect((await call(portOf(behind.users[0]!.url), PROFILE, { headers: bearer(next) })).text).toContain(
        '2105',
      );
      expect((await call(gateway.usersPort, PROFILE, { headers: bearer(next) })).text).toContain('2103');
      const load = SteadyLoad.start(2, () => customer.profile());
      gateway.reloadKeys(`${behind.users[0]!.url}/.well-known/jwks.json`);
      await eventually(async () => {
        const { text } = await call(gateway.usersPort, PROFILE, { headers: bearer(next) });
        // only the service knows that this session does not exist
        expect(text).toContain(SessionErrors.ended.code);
      });
      // calls go on after the change, however slow the machine
      const before = load.rounds;
      await eventually(() => expect(load.rounds).toBeGreaterThan(before + 4));
      await load.stop();
      expect(load.failures).toEqual([]);
      recordEvidence('gateway-tokens', {
        'kinds of tokens refused': refused.length,
        'refused otherwise than by the service': 0,
        'calls while keys change': load.rounds,
        'refused meanwhile': load.failures.length,
      });
    });
  });

  it('refuses an oversized body as the service does, and oversized headers', async () => {
    const headers = { ...JSON_TYPE, origin: ORIGIN };
    const options = { method: 'POST', headers, body: JSON.stringify({ phone: '9'.repeat(70_000) }) };
    const own = await call(portOf(behind.users[0]!.url), '/auth/register', options);
    const atGateway = await call(gateway.usersPort, '/auth/register', options);
    expect(contractOf(atGateway)).toEqual(contractOf(own));
    expect(isOfService(atGateway)).toBe(false);
    const start = 'POST /auth/register HTTP/1.1\r\nHost: x\r\n';
    const large = await rawExchange(gateway.usersPort, `${start}X-A: ${'a'.repeat(20_000)}\r\n\r\n`);
    expect(large).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('refuses ambiguous request framing and ignores the bytes after it', async () => {
    const post = 'POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const smuggled = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';
    for (const framing of [
      'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
      'Content-Length: -2\r\n\r\n{}',
      'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}',
    ]) {
      const answer = await rawExchange(gateway.usersPort, `${post}${framing}${smuggled}`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
      expect(answer).not.toContain('process_cpu');
    }
  });

  it('keeps slow clients away from the replicas and closes their connections soon', async () => {
    const halves = [
      'POST /auth/register HTTP/1.1\r\nHost: x\r\nX-Half: a',
      `POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"phone":`,
    ];
    const slow = await Promise.all(
      Array.from({ length: 300 }, async (_, i) =>
        (await RawConnection.to(gateway.usersPort)).write(halves[i % 2]!),
      ),
    );
    const inFlight = async (): Promise<number[]> =>
      Promise.all(
        behind.users.map(async ({ url }) => {
          const text = await (await fetch(`${url}/metrics`)).text();
          return Number(/^requests_in_flight (\d+)/m.exec(text)?.[1]);
        }),
      );
    expect(await inFlight()).toEqual([0, 0]);
    let others = 0;
    const load = SteadyLoad.start(2, async () => {
      const { status } = await quote(gateway.masterPort);
      const documents = await call(gateway.usersPort, '/.well-known/jwks.json');
      expect([status, documents.status]).toEqual([200, 200]);
      others += 2;
    });
    const answers = await Promise.all(slow.map((connection) => connection.untilClosed()));
    await load.stop();
    expect(load.failures).toEqual([]);
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    // a client that sent complete headers gets our JSON
    expect(JSON.parse(answers[1]!.split('\r\n\r\n')[1]!)).toMatchObject({ success: 0, statusCode: 408 });
    recordEvidence('gateway-holds-off', {
      'slow connections': slow.length,
      'that reached a replica': 0,
      others,
    });
  });

  it('closes the surplus connections of an address, and serves other addresses', async () => {
    const strict = await behind.gateway({ CONNECTIONS_PER_ADDRESS: '20' });
    try {
      // again on a machine so busy that the gateway closes idle connections before they are counted
      await eventually(async () => {
        const idle = await Promise.all(
          // some are closed before they are established for the client
          Array.from({ length: 40 }, () => RawConnection.to(strict.usersPort).catch(() => undefined)),
        );
        try {
          const open = (): number => idle.filter((connection) => connection?.isClosed === false).length;
          await eventually(() => expect(open()).toBeLessThanOrEqual(20));
          // some of the twenty may be of the probe at the start of the gateway
          expect(open()).toBeGreaterThan(15);
          // counted over both services
          await expect(call(strict.masterPort, '/openapi.json')).rejects.toThrow(/ECONNRESET|socket hang up/);
          expect((await call(strict.usersPort, '/openapi.json', { from: '127.0.0.15' })).status).toBe(200);
        } finally {
          for (const connection of idle) connection?.destroy();
        }
      });
      await eventually(async () => expect((await call(strict.masterPort, '/openapi.json')).status).toBe(200));
    } finally {
      await strict.stop();
    }
  });

  it('starts with replica names that do not resolve yet', async () => {
    await expect(configured('docker/replicas.cfg')).resolves.toContain('valid');
  });

  it.each([
    '0198c0de-0000-0000-0000-0000000ca9a1',
    'aaaaaaaa-9199-4990-8001-aaaaaaaaaaaa',
    'aaaaaaaa-aaaa-4aaa-8aaa-a98765432100',
    '0000000a-2345-4789-8123-aaaaaaaaaaaa',
    '000abcde-1234-face-8000-aaaaaaaaaaaa',
    'aaaaaaaa-aaaa-4234-8678-9012aaaaaaaa',
    'aaaa2341-2341-2346-8aaa-aaaaaaaaaaaa',
    'aaaa9812-3456-78aa-8aaa-aaaaaaaaaaaa',
    'ABCDE1234F',
  ])(
    'replaces the request id %s, which may contain personal data, in the logs of gateway and service',
    async (id) => {
      const answer = await call(gateway.masterPort, '/api/v1/issuers', { headers: { 'x-request-id': id } });
      const ours = answer.headers['x-request-id'] as string;
      expect(ours).not.toBe(id);
      await eventually(() => expect(gateway.log()).toContain(`"request_id":"${ours}"`));
      expect(gateway.log()).not.toContain(id);
    },
  );

  it('logs the call without personal data', async () => {
    const name = 'Chandralekha Gunasekaran';
    const query = new URLSearchParams({ account_holder_name: name, phone: '919876543210' });
    const token = 'eyJhbGciOiJFUzI1NiJ9.e30.canary';
    await call(gateway.usersPort, `/api/v1/bank/sync-to-issuer?${query.toString()}`, {
      method: 'POST',
      headers: {
        ...JSON_TYPE,
        authorization: `Bearer ${token}`,
        'x-request-id': '0198c0de-1a2b-7c3d-8e4f-0000000ca9a1',
      },
      body: '{"account":"123456789012"}',
    });
    const line = await eventually(() => {
      const lines = gateway
        .log()
        .split('\n')
        .filter((text) => text.includes('0198c0de-1a2b-7c3d-8e4f-0000000ca9a1'));
      expect(lines).toHaveLength(1);
      return JSON.parse(lines[0]!) as Record<string, unknown>;
    });
    expect(line).toMatchObject({
      service: 'gateway',
      frontend: 'users',
      part: 'api',
      status: 401,
      refusal: SessionErrors.tokenInvalid.code,
    });
    for (const secret of ['Chandralekha', 'account_holder', '919876543210', 'canary"', '123456789012', 'eyJ'])
      expect(gateway.log().replaceAll('0198c0de-1a2b-7c3d-8e4f-0000000ca9a1', '')).not.toContain(secret);
  });

  describe('replica', () => {
    /** Starts a replica that accepts calls, counts them and breaks off. */
    async function breaker(): Promise<{ url: string; calls: () => number; server: Server }> {
      let calls = 0;
      const server = createServer((request, response) => {
        if (request.url === '/health/ready') return void response.end('{}');
        calls += 1;
        request.socket.destroy();
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      return { url: `http://127.0.0.1:${port}`, calls: () => calls, server };
    }
    const register = (port: number): Promise<RawAnswer> =>
      call(port, '/auth/register', {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({ phone: aPhone() }),
      });

    it.each([
      ['cut off from', 'cut'],
      ['stalled by', 'freeze'],
    ] as const)(
      'serves calls that need no PostgreSQL when %s it, and refuses the others itself',
      async (_, fault) => {
        const postgres = await TcpProxy.before(behind.service.environment['DATABASE_URL']!);
        const replica = await behind.service.replica({ DATABASE_URL: postgres.url });
        const own = await behind.gateway({}, [replica.url], true);
        /** Counts the readiness probes of the gateway. */
        const probes = async (): Promise<number> => {
          const { text } = await replica.api.get('/metrics');
          const lines = text.matchAll(
            /^http_request_duration_seconds_count\{[^}]*route="\/health\/ready"[^}]*\} (\d+)$/gm,
          );
          return Array.from(lines, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
        };
        try {
          postgres[fault]();
          const before = await probes();
          // two failed or late probes would take it out of the rotation
          await eventually(async () => expect(await probes()).toBeGreaterThan(before + 3));
          expect((await repeatUntilServed(() => register(own.usersPort))).status).toBe(201);
          const keys = await repeatUntilServed(() => call(own.usersPort, '/.well-known/jwks.json'));
          expect(keys.status).toBe(200);
          // on a busy machine the gateway may refuse a call for a moment
          await eventually(async () => {
            const refused = await call(own.usersPort, '/auth/api/v2/token/refresh', {
              method: 'POST',
              headers: JSON_TYPE,
              body: JSON.stringify({ refresh_token: 'a'.repeat(43) }),
            });
            expect(isOfService(refused)).toBe(true);
            expect(JSON.parse(refused.text)).toMatchObject({
              statusCode: 503,
              error: [{ errorCode: GeneralErrors.unavailable.code }],
            });
          });
        } finally {
          await own.stop();
          await replica.close();
          await postgres.close();
        }
      },
    );

    it('does not retry a call at another replica once the first one may have acted', async () => {
      const broken = [await breaker(), await breaker()];
      const own = await behind.gateway(
        {},
        broken.map(({ url }) => url),
      );
      try {
        const answer = await register(own.usersPort);
        expect(answer.status).toBe(502);
        expect(JSON.parse(answer.text)).toMatchObject({
          success: 0,
          error: [{ errorCode: GeneralErrors.unavailable.code }],
        });
        expect(broken.map(({ calls }) => calls()).sort()).toEqual([0, 1]);
      } finally {
        await own.stop();
        for (const { server } of broken) server.close();
      }
    });

    it('fails no call when one refuses connections', async () => {
      const gone = `http://127.0.0.1:${await freePort()}`;
      const own = await behind.gateway({}, [gone, behind.users[0]!.url]);
      try {
        for (let i = 0; i < 6; i++) expect((await register(own.usersPort)).status).toBe(201);
      } finally {
        await own.stop();
      }
    });

    it('fails no call when a replica stops or is killed', async () => {
      const look = async (): Promise<void> => {
        const customer = new JourneyClient(gateway.usersUrl, 'aravalli', aPerson());
        await customer.register();
        await customer.logIn();
        await customer.journey();
        expect((await quote(gateway.masterPort)).status).toBe(200);
      };
      const roll = async () => {
        const before = gateway.log().length;
        const load = SteadyLoad.start(2, look);
        const exitCodes = await Promise.all([behind.users[0]!.replace(), behind.master[0]!.replace()]);
        await load.stop();
        return { load, exitCodes, errors: gateway.errorsSince(before) };
      };
      const { load, exitCodes, errors } = await roll();
      expect(errors).toEqual([]);
      expect(load.failures).toEqual([]);
      expect(exitCodes).toEqual([0, 0]);
      const before = gateway.log().length;
      await Promise.all([behind.users[1]!.kill(), behind.master[1]!.kill()]);
      for (let i = 0; i < 5; i++) await look();
      expect(gateway.errorsSince(before).filter(({ ended }) => ended !== BY_REPLICA)).toEqual([]);
      recordEvidence('gateway-replicas', {
        'replicas ended': 2,
        'replicas killed': 2,
        rounds: load.rounds + 5,
        'failed calls': load.failures.length,
      });
    });
  });
});
