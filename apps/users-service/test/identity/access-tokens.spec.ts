import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import { type ErrorDefinition, GeneralErrors, SessionErrors } from '@fd/errors';
import { expectRefusal, recordEvidence, TcpProxy } from '@fd/testing';
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { jwksText } from '../support/settings.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const PROFILE = '/api/v1/user-profile';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const isAlive = async (access_token: string) =>
  (await as(service.api, { access_token }).get(PROFILE)).status === 200;

describe('POST /auth/api/v2/register/verify', () => {
  it('issues access tokens as ES256 JWTs of 15 minutes without personal data', async () => {
    const user = await logIn(service);
    expect(decodeProtectedHeader(user.access_token)).toEqual({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: 'test-key',
    });
    const claims = decodeJwt(user.access_token);
    expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'nbf', 'sid', 'sub']);
    expect(claims.sub).toBe(user.user_id);
    expect(claims.exp! - claims.iat!).toBe(900);
  });
});

describe('GET /.well-known/jwks.json', () => {
  it('publishes the public key of access tokens', async () => {
    const { body } = await service.api.get('/.well-known/jwks.json');
    expect(body).toEqual({
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          x: expect.any(String) as string,
          y: expect.any(String) as string,
          kid: 'test-key',
          alg: 'ES256',
          use: 'sig',
        },
      ],
    });
  });
});

describe('GET /api/v1/user-profile', () => {
  it('returns every field of the profile to a new user with an access token', async () => {
    const user = await logIn(service);
    const response = await as(service.api, user).get(PROFILE);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      success: 1,
      statusCode: 200,
      payload: {
        user_id: user.user_id,
        phone: user.user.phone,
        email: null,
        pan: null,
        dob: null,
        bank: null,
        nominees_count: 0,
      },
    });
  });
});

describe('authentication by access token', () => {
  let user: LoggedIn;
  let claims: JWTPayload;
  beforeAll(async () => {
    user = await logIn(service);
    claims = decodeJwt(user.access_token);
  });

  const ownKey = () => {
    const { keys } = JSON.parse(service.environment['JWT_KEYS']!) as { keys: JsonWebKey[] };
    return createPrivateKey({ key: keys[0]!, format: 'jwk' });
  };
  const base64url = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const sign = (header: object, payload: JWTPayload = claims) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test-key', ...header })
      .sign(ownKey());
  const foreign = async () => {
    const { keys } = JSON.parse(jwksText('test-key')) as { keys: JsonWebKey[] };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test-key' })
      .sign(createPrivateKey({ key: keys[0]!, format: 'jwk' }));
  };
  const hmac = () => {
    const publicKey = JSON.stringify(
      (JSON.parse(service.environment['JWT_KEYS']!) as { keys: unknown[] }).keys[0],
    );
    const head = `${base64url({ alg: 'HS256', typ: 'at+jwt', kid: 'test-key' })}.${base64url(claims)}`;
    return `${head}.${createHmac('sha256', publicKey).update(head).digest('base64url')}`;
  };
  const seconds = () => Math.floor(Date.now() / 1_000);

  it('accepts an access token that the test signs with the key of the service', async () => {
    expect(await isAlive(await sign({}))).toBe(true);
  });

  it.each<[string, ErrorDefinition, () => Promise<string> | string]>([
    ['plain text as a token', SessionErrors.tokenMalformed, () => 'abc'],
    ['a token of two parts', SessionErrors.tokenMalformed, () => 'a.b'],
    ['a token without JSON', SessionErrors.tokenMalformed, () => 'a.b.c'],
    ['a refresh token as an access token', SessionErrors.tokenMalformed, () => user.refresh_token],
    ['a partner token as an access token', SessionErrors.tokenMalformed, () => user.partner_token],
    [
      'a token of more than 4 KB',
      SessionErrors.tokenMalformed,
      () => `${user.access_token}${'a'.repeat(5_000)}`,
    ],
    [
      'a token with alg none',
      SessionErrors.tokenInvalid,
      () => `${base64url({ alg: 'none', typ: 'at+jwt', kid: 'test-key' })}.${base64url(claims)}.`,
    ],
    [
      'a token with alg none and a valid signature',
      SessionErrors.tokenInvalid,
      () =>
        `${base64url({ alg: 'none', typ: 'at+jwt', kid: 'test-key' })}.${base64url(claims)}.${user.access_token.split('.')[2]}`,
    ],
    ['a token signed by HMAC with the public key', SessionErrors.tokenInvalid, hmac],
    ['a token signed with another key', SessionErrors.tokenInvalid, foreign],
    [
      'a token with changed claims',
      SessionErrors.tokenInvalid,
      () => {
        const [head, , signature] = user.access_token.split('.');
        return `${head}.${base64url({ ...claims, sub: '00000000-0000-7000-8000-000000000000' })}.${signature}`;
      },
    ],
    [
      'a token with a changed signature',
      SessionErrors.tokenInvalid,
      () => `${user.access_token.slice(0, -6)}AAAAAA`,
    ],
    ['a token with an unknown kid', SessionErrors.tokenInvalid, () => sign({ kid: 'other' })],
    ['a token without a kid', SessionErrors.tokenInvalid, () => sign({ kid: undefined })],
    ['a token of another type', SessionErrors.tokenInvalid, () => sign({ typ: 'JWT' })],
    ['a token with a key in its header', SessionErrors.tokenInvalid, () => sign({ jwk: { kty: 'EC' } })],
    [
      'a token with the URL of a key in its header',
      SessionErrors.tokenInvalid,
      () => sign({ jku: 'https://attacker.example/jwks' }),
    ],
    ['a token for another audience', SessionErrors.tokenInvalid, () => sign({}, { ...claims, aud: 'other' })],
    [
      'a token of another issuer',
      SessionErrors.tokenInvalid,
      () => sign({}, { ...claims, iss: 'https://other.example' }),
    ],
    [
      'a token not valid yet',
      SessionErrors.tokenInvalid,
      () => sign({}, { ...claims, nbf: seconds() + 120 }),
    ],
    [
      'a token whose subject is not a user id',
      SessionErrors.tokenInvalid,
      () => sign({}, { ...claims, sub: "' OR 1=1" }),
    ],
    [
      'a token that expired longer ago than the clock tolerance',
      SessionErrors.tokenExpired,
      () => sign({}, { ...claims, exp: seconds() - 31 }),
    ],
  ])('refuses %s', async (_name, error, make) => {
    const response = await service.api.with({ bearer: await make() }).get(PROFILE);
    expectRefusal(response, error);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it.each([
    ['that is missing', undefined, SessionErrors.tokenMissing],
    ['of the Basic scheme', 'Basic dXNlcjpwYXNz', SessionErrors.tokenMalformed],
    ['of Bearer without a token', 'Bearer', SessionErrors.tokenMalformed],
    ['of Bearer and spaces', 'Bearer   ', SessionErrors.tokenMalformed],
    ['of Bearer and two words', 'Bearer a.b.c d', SessionErrors.tokenMalformed],
    ['of a token without a scheme', 'eyJhbGciOiJub25lIn0.e30.', SessionErrors.tokenMalformed],
  ] as const)('refuses an Authorization header %s', async (_name, authorization, error) => {
    const response = await service.api.get(PROFILE, {
      headers: authorization === undefined ? {} : { authorization },
    });
    expectRefusal(response, error);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it('refuses a token with the session of another user', async () => {
    const other = await logIn(service);
    const mixed = await sign({}, { ...claims, sid: decodeJwt(other.access_token)['sid'] });
    expectRefusal(await service.api.with({ bearer: mixed }).get(PROFILE), SessionErrors.ended);
  });

  it('counts calls with a refused token by IP address and calls with a valid one by user', async () => {
    const remaining = async (bearer: string) =>
      Number((await service.api.with({ bearer }).get(PROFILE)).headers['x-ratelimit-remaining']);
    const mine = await remaining(user.access_token);
    await remaining('abc');
    expect(await remaining(user.access_token)).toBe(mine - 1);
  });
});

describe('rotation of signing keys', () => {
  it('accepts access tokens of the older key and signs with the newer one', async () => {
    const { keys } = JSON.parse(service.environment['JWT_KEYS']!) as { keys: unknown[] };
    const fresh = (JSON.parse(jwksText('next-key')) as { keys: unknown[] }).keys;
    const old = await logIn(service);
    const next = await service.replica({ JWT_KEYS: JSON.stringify({ keys: [...fresh, ...keys] }) });
    expect((await as(next.api, old).get(PROFILE)).status).toBe(200);
    const renewed = await logIn(next);
    expect(decodeProtectedHeader(renewed.access_token).kid).toBe('next-key');
    const { body } = await next.api.get('/.well-known/jwks.json');
    expect((body as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)).toEqual([
      'next-key',
      'test-key',
    ]);
  });
});

/** Order of the P-256 group. If (r, s) signs a text, so does (r, ORDER - s). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

describe('verification of access tokens', () => {
  let service: TestService;
  let postgres: TcpProxy | undefined;
  let redis: TcpProxy | undefined;
  let user: LoggedIn;
  let claims: JWTPayload;
  let ownKey: KeyObject;
  beforeAll(async () => {
    service = await startService();
    user = await logIn(service);
    claims = decodeJwt(user.access_token);
    const { keys } = JSON.parse(service.environment['JWT_KEYS']!) as { keys: JsonWebKey[] };
    ownKey = createPrivateKey({ key: keys[0]!, format: 'jwk' });
  });
  afterAll(async () => {
    await service.close();
    await postgres?.close();
    await redis?.close();
  });

  const HEADER = { alg: 'ES256', typ: 'at+jwt', kid: 'test-key' };

  /** Signs texts unchanged, by default with the service's key. */
  function signed(
    header: string,
    payload: string,
    { key = ownKey, hash = 'sha256' }: { key?: KeyObject; hash?: string } = {},
  ): string {
    const head = `${base64url(header)}.${base64url(payload)}`;
    return `${head}.${sign(hash, Buffer.from(head), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  }
  const withHeader = (changes: object) =>
    signed(JSON.stringify({ ...HEADER, ...changes }), JSON.stringify(claims));
  const withHeaderText = (text: string) => signed(text, JSON.stringify(claims));
  const withClaims = (changes: object) =>
    signed(JSON.stringify(HEADER), JSON.stringify({ ...claims, ...changes }));
  const withClaimsText = (text: string) => signed(JSON.stringify(HEADER), text);
  const withSignature = (change: (bytes: Buffer) => Buffer | string): string => {
    const [header, payload, signature] = user.access_token.split('.');
    const changed = change(Buffer.from(signature!, 'base64url'));
    return `${header}.${payload}.${typeof changed === 'string' ? changed : changed.toString('base64url')}`;
  };
  const parts = () => user.access_token.split('.') as [string, string, string];
  const seconds = () => Math.floor(Date.now() / 1_000);
  const now = () => JSON.stringify(claims);
  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;

  const MALFORMED: Record<string, () => string> = {
    'flattened JSON': () => {
      const [header, payload, signature] = parts();
      return JSON.stringify({ protected: header, payload, signature });
    },
    'general JSON': () => {
      const [header, payload, signature] = parts();
      return JSON.stringify({ payload, signatures: [{ protected: header, signature }] });
    },
    'JSON with two dots in it': () => '{"a":"b.c.d"}',
    'nothing but dots': () => '..',
    'four parts': () => `${user.access_token}.`,
    'two parts': () => parts().slice(0, 2).join('.'),
    'more than 4 KB': () => withClaims({ more: 'x'.repeat(4_096) }),
    'a header that is not an object': () => withHeaderText('"ES256"'),
    'a header that is a list': () => withHeaderText(JSON.stringify([HEADER])),
    'a header with a byte order mark': () => withHeaderText(`\ufeff${JSON.stringify(HEADER)}`),
    'a header that is not UTF-8': () => {
      const [, payload, signature] = parts();
      return `${Buffer.from([0xff, 0xfe, 0x7b, 0x7d]).toString('base64url')}.${payload}.${signature}`;
    },
  };

  const REFUSED: Record<string, () => string> = {
    'another curve, by its name': () =>
      signed(JSON.stringify({ ...HEADER, alg: 'ES384' }), now(), { key: ec('P-384'), hash: 'sha384' }),
    'another curve, under our name': () => signed(JSON.stringify(HEADER), now(), { key: ec('secp256k1') }),
    'a larger curve, under our name': () => signed(JSON.stringify(HEADER), now(), { key: ec('P-384') }),
    'another hash': () => signed(JSON.stringify(HEADER), now(), { hash: 'sha512' }),
    'another key of our curve': () => signed(JSON.stringify(HEADER), now(), { key: ec('P-256') }),
    ...Object.fromEntries(
      [
        'none',
        'None',
        'es256',
        'ES256 ',
        'ES256K',
        'HS256',
        'RS256',
        'PS256',
        'EdDSA',
        '',
        null,
        ['ES256'],
      ].map((alg) => [`alg ${JSON.stringify(alg)}`, () => withHeader({ alg })]),
    ),
    ...Object.fromEntries(
      ['JWT', 'at+JWT', 'application/at+jwt', '', null].map((typ) => [
        `typ ${JSON.stringify(typ)}`,
        () => withHeader({ typ }),
      ]),
    ),
    ...Object.fromEntries(
      [
        '',
        '__proto__',
        '../../../dev/null',
        "' OR 1=1 --",
        'test-key\u0000',
        'x'.repeat(1_000),
        0,
        null,
        ['test-key'],
        {},
      ].map((kid) => [`kid ${JSON.stringify(kid).slice(0, 30)}`, () => withHeader({ kid })]),
    ),
    ...Object.fromEntries(
      Object.entries({
        crit: ['exp'],
        b64: false,
        zip: 'DEF',
        cty: 'JWT',
        jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
        jku: 'https://attacker.example/jwks.json',
        x5u: 'https://attacker.example/chain.pem',
        x5c: ['MII'],
        x5t: 'AAAA',
        enc: 'A256GCM',
      }).map(([name, value]) => [`a header with ${name}`, () => withHeader({ [name]: value })]),
    ),
    'a kid twice, ours last': () =>
      withHeaderText('{"alg":"ES256","typ":"at+jwt","kid":"other","kid":"test-key"}'),
    'a kid twice, ours first': () =>
      withHeaderText('{"alg":"ES256","typ":"at+jwt","kid":"test-key","kid":"other"}'),
    'an alg twice': () => withHeaderText('{"alg":"none","alg":"ES256","typ":"at+jwt","kid":"test-key"}'),
    'a kid whose name is escaped': () =>
      withHeaderText('{"alg":"ES256","typ":"at+jwt","kid":"other","\\u006bid":"test-key"}'),
    'blanks in its header': () => withHeaderText('{"alg": "ES256", "typ": "at+jwt", "kid": "test-key"}'),
    'a subject twice': () => withClaimsText(`${now().slice(0, -1)},"sub":"${claims.sub}"}`),
    'claims that are not an object': () => withClaimsText('[]'),
    'claims that are not JSON': () => withClaimsText('sub'),
    'a signature with padding': () => `${user.access_token}==`,
    'a signature in base64 instead of base64url': () =>
      withSignature((bytes) => bytes.toString('base64').replace(/=+$/, '').replace(/^./, '+')),
    'a signature in DER': () => {
      const head = parts().slice(0, 2).join('.');
      return `${head}.${sign('sha256', Buffer.from(head), ownKey).toString('base64url')}`;
    },
    'a signature of zeros': () => withSignature((bytes) => Buffer.alloc(bytes.length)),
    'a signature of ones': () => withSignature((bytes) => Buffer.alloc(bytes.length, 0xff)),
    'an empty signature': () => withSignature(() => ''),
    'a signature with its halves swapped': () =>
      withSignature((bytes) => Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)])),
    'a signature that is too long by a byte': () =>
      withSignature((bytes) => Buffer.concat([bytes, Buffer.alloc(1)])),
    'a signature that is too short by a byte': () => withSignature((bytes) => bytes.subarray(1)),
    'a signature with the group order as r': () =>
      withSignature((bytes) => Buffer.concat([Buffer.from(ORDER.toString(16), 'hex'), bytes.subarray(32)])),
    ...Object.fromEntries(
      [0, 1, 31, 32, 63].map((at) => [
        `a signature with byte ${at} changed`,
        () =>
          withSignature((bytes) => {
            bytes[at]! ^= 1;
            return bytes;
          }),
      ]),
    ),
    // the last base64 character carries four unused bits
    'a signature with unused bits set at its end': () =>
      user.access_token.slice(0, -1) +
      ({ A: 'B', Q: 'R', g: 'h', w: 'x' } as Record<string, string>)[user.access_token.at(-1)!],
    ...Object.fromEntries(
      ['other', '', null, ['other'], {}, 'FD-ONBOARDING'].map((aud) => [
        `audience ${JSON.stringify(aud)}`,
        () => withClaims({ aud }),
      ]),
    ),
    ...Object.fromEntries(
      ['https://other.example', 'http://localhost:3001/', 'http://localhost:3002', '', null].map((iss) => [
        `issuer ${JSON.stringify(iss)}`,
        () => withClaims({ iss }),
      ]),
    ),
    'no audience': () => withClaims({ aud: undefined }),
    'no issuer': () => withClaims({ iss: undefined }),
    'no subject': () => withClaims({ sub: undefined }),
    'no session': () => withClaims({ sid: undefined }),
    'no expiry': () => withClaims({ exp: undefined }),
    'an expiry that is text': () => withClaims({ exp: String(claims.exp) }),
    'a session that is a list': () => withClaims({ sid: [claims['sid']] }),
    'not valid for another 40 seconds': () => withClaims({ nbf: seconds() + 40 }),
    'a not-before time that is text': () => withClaims({ nbf: 'now' }),
  };

  const EXPIRED: Record<string, () => string> = {
    'expired for 31 seconds': () => withClaims({ exp: seconds() - 31 }),
    'expired since 1970': () => withClaims({ exp: 0 }),
    'expired before 1970': () => withClaims({ exp: -1 }),
  };

  it('accepts an access token that the test signs with the key of the service', async () => {
    expect((await service.api.with({ bearer: withClaims({}) }).get(PROFILE)).status).toBe(200);
  });

  it('tolerates a clock difference of 30 seconds in both directions', async () => {
    for (const within of [{ exp: seconds() - 25 }, { nbf: seconds() + 25 }]) {
      const response = await service.api.with({ bearer: withClaims(within) }).get(PROFILE);
      expect([within, response.status]).toEqual([within, 200]);
    }
  });

  it('accepts the second ECDSA signature of the same token, which ends with its session', async () => {
    const own = await logIn(service);
    const [header, payload, signature] = own.access_token.split('.') as [string, string, string];
    const bytes = Buffer.from(signature, 'base64url');
    const other = ORDER - BigInt(`0x${bytes.toString('hex', 32)}`);
    bytes.write(other.toString(16).padStart(64, '0'), 32, 'hex');
    const twin = service.api.with({ bearer: `${header}.${payload}.${bytes.toString('base64url')}` });
    expect((await twin.get(PROFILE)).status).toBe(200);
    await as(service.api, own).post('/auth/api/v2/logout', {});
    expectRefusal(await twin.get(PROFILE), SessionErrors.ended);
  });

  /** Starts a replica cut off from PostgreSQL and Redis, which must judge tokens without them. */
  async function aStorelessReplica(): Promise<UsersApp> {
    postgres = await TcpProxy.before(service.environment['DATABASE_URL']!);
    redis = await TcpProxy.before(service.environment['REDIS_URL']!);
    const replica = await service.replica({ DATABASE_URL: postgres.url, REDIS_URL: redis.url });
    postgres.cut();
    redis.cut();
    return replica;
  }

  it('refuses every forged access token with its own code, without asking a store', async () => {
    const storeless = await aStorelessReplica();
    expectRefusal(
      await storeless.api.with({ bearer: withClaims({}) }).get(PROFILE),
      GeneralErrors.unavailable,
    );
    let forged = 0;
    for (const [code, tokens] of [
      [SessionErrors.tokenMalformed.code, MALFORMED],
      [SessionErrors.tokenInvalid.code, REFUSED],
      [SessionErrors.tokenExpired.code, EXPIRED],
    ] as const) {
      for (const [name, make] of Object.entries(tokens)) {
        const { status, body, headers } = await storeless.api.with({ bearer: make() }).get(PROFILE);
        const [item] = (body as { error: { errorCode: string }[] }).error;
        expect([name, status, item?.errorCode]).toEqual([name, 401, code]);
        expect(headers['www-authenticate']).toBe('Bearer');
        forged++;
      }
    }
    recordEvidence('tokens-forged', { forged, accepted: 0 });
  });
});
