import { createHmac, createPrivateKey, type JsonWebKey } from 'node:crypto';
import { type ErrorDefinition, SessionErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose';
import { as, logIn, type LoggedIn } from '../support/login.js';
import { jwksText } from '../support/settings.js';
import { startService, type TestService } from '../support/users-app.js';

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
