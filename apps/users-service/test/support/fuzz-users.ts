import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import {
  AnswerRules,
  type ApiDocument,
  type Credential,
  Exchange,
  fuzz,
  type FuzzAnswer,
  type FuzzRequest,
  type Tally,
} from '@fd/fuzzing';
import type { Environment } from '@fd/platform';
import { DocumentedAnswers } from '@fd/testing';
import { decodeJwt, SignJWT } from 'jose';
import { ISSUER_CODES, ISSUER_SLUGS } from './issuers.js';
import { logIn, type LoggedIn } from './login.js';
import type { UsersApp } from './users-app.js';

/** Names of settings whose values must not appear in any answer. */
const SECRET = /SECRET|KEYS?$|DATABASE_URL|REDIS_URL/;

/** Users who send hostile requests, with their credentials. */
interface Fuzzers {
  readonly own: LoggedIn;
  readonly credentials: readonly Credential[];
  /** Logs in again after one of the user's own requests has ended the session. */
  readonly after: (request: FuzzRequest, answer: FuzzAnswer, isGood: boolean) => Promise<void>;
}

/** A user with valid and invalid credentials. */
async function fuzzersOf(service: Pick<UsersApp, 'api' | 'environment'>): Promise<Fuzzers> {
  let own = await logIn(service);
  const stranger = await logIn(service);
  const ended = await logIn(service);
  await service.api.with({ bearer: ended.access_token }).post('/auth/api/v2/logout', {});
  const past = await signedLike(service.environment, own.access_token, {
    exp: Math.floor(Date.now() / 1_000) - 60,
  });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  return {
    get own() {
      return own;
    },
    credentials: [
      { name: 'own', weight: 10, isGood: true, headers: () => bearer(own.access_token) },
      { name: 'none', weight: 1, isGood: false, headers: () => ({}) },
      { name: 'ended', weight: 1, isGood: false, headers: () => bearer(ended.access_token) },
      { name: 'expired', weight: 1, isGood: false, headers: () => bearer(past) },
      { name: 'refresh token', weight: 1, isGood: false, headers: () => bearer(stranger.refresh_token) },
      { name: 'malformed', weight: 1, isGood: false, headers: () => ({ authorization: 'Bearer a.b.c' }) },
    ],
    after: async (_request, { status }, isGood) => {
      if (status === 401 && isGood) own = await logIn(service);
    },
  };
}

/** Signs a copy of a token with other claims, as the service would. */
export async function signedLike(environment: Environment, token: string, claims: object): Promise<string> {
  const { keys } = JSON.parse(environment['JWT_KEYS']!) as { keys: (JsonWebKey & { kid: string })[] };
  return new SignJWT({ ...decodeJwt(token), ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: keys[0]!.kid })
    .sign(createPrivateKey({ key: keys[0]!, format: 'jwk' }));
}

/** Valid values, which get past validation more often than random ones. */
const POOLS = {
  issuer_slug: ISSUER_SLUGS,
  issuer_code: Object.values(ISSUER_CODES),
  partner_url: ['https://app.partner.example'],
  otp: ['123456', '000000'],
  payout_frequency: ['Maturity', 'Monthly'],
  ifsc: ['HDFC0001234'],
};

/** Checks more than the answers. */
interface Watch {
  /** Called after each answer. */
  readonly judge: (answer: FuzzAnswer) => Promise<void>;
  /** Called before the next request, to exclude the effects of the test's own calls. */
  readonly begin: () => Promise<unknown> | undefined;
}

/** Sends hostile requests of one user to a service and checks every answer. */
export async function fuzzUsersService(
  service: Pick<UsersApp, 'api' | 'environment'>,
  { baseUrl, requests, seed, watch }: { baseUrl: string; requests: number; seed: number; watch?: Watch },
): Promise<Tally> {
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as ApiDocument;
  const exchange = new Exchange(baseUrl);
  const fuzzers = await fuzzersOf(service);
  const secrets = Object.entries(service.environment).filter(([name]) => SECRET.test(name));
  try {
    const ids = await idsOf(service, fuzzers.own);
    await watch?.begin();
    return await fuzz({
      document,
      exchange,
      requests,
      seed,
      pools: { ...POOLS, refresh_token: [fuzzers.own.refresh_token], ...ids },
      credentials: fuzzers.credentials,
      after: async (request, answer, isGood) => {
        await watch?.judge(answer);
        await fuzzers.after(request, answer, isGood);
        await watch?.begin();
      },
      rules: new AnswerRules({
        documented: new DocumentedAnswers(document),
        secrets: secrets.map(([, value]) => value!),
      }),
    });
  } finally {
    exchange.close();
  }
}

/** Returns ids of the user's own resources, for calls that take one. */
async function idsOf(
  { api }: Pick<UsersApp, 'api'>,
  user: LoggedIn,
): Promise<Record<string, readonly string[]>> {
  const own = api.with({ bearer: user.access_token });
  const payloadOf = async (call: Promise<{ body: unknown }>) =>
    ((await call).body as { payload: Record<string, unknown> }).payload;
  const nominee = await payloadOf(
    own.post('/api/v1/user-nominee', { name: 'Meera Rao', relationship: 'SPOUSE' }),
  );
  const lead = await payloadOf(own.post('/issuer-apis/sahyadri/v1/lead', {}));
  const ekyc = await payloadOf(own.post('/issuer-apis/sahyadri/v3/check-status', {}));
  const consents = (await payloadOf(own.get('/api/v1/consents')))['consents'] as { consent_id: string }[];
  return {
    nominee_id: [nominee['nominee_id'] as string],
    lead_id: [lead['lead_id'] as string],
    ekyc_request_id: [ekyc['ekyc_request_id'] as string],
    consent_id: consents.map(({ consent_id }) => consent_id),
  };
}
