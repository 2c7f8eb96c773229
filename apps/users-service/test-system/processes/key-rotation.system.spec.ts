import { generateKeyPairSync, randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoginPayload } from '@fd/contracts';
import { SessionErrors } from '@fd/errors';
import { eventually, GENEROUS_LIMITS, recordEvidence, type RunningProcess } from '@fd/testing';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { aPhone, codeOf } from '../../test/support/inbox.js';
import { verifyBody } from '../../test/support/login.js';
import { WHO } from '../../test/support/operator.js';
import { openPartnerToken, type TestPartner } from '../../test/support/partner.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { jwksText, secretText } from '../../test/support/settings.js';
import { withoutTriggers } from '../../test/support/past-rows.js';
import { startService, type TestService } from '../../test/support/users-app.js';

interface Keys {
  readonly signing: object;
  readonly otp: string;
  readonly refresh: string;
  readonly pii: string;
}

const keysOf = (name: string): Keys => ({
  signing: (JSON.parse(jwksText(name)) as { keys: [object] }).keys[0],
  otp: secretText(),
  refresh: secretText(),
  pii: `${name}:${secretText()}`,
});

/** Settings with these keys; the first ones are in use. */
const settingsOf = (...keys: readonly Keys[]) => ({
  JWT_KEYS: JSON.stringify({ keys: keys.map(({ signing }) => signing) }),
  OTP_SECRET: keys.map(({ otp }) => otp).join(),
  REFRESH_TOKEN_SECRET: keys.map(({ refresh }) => refresh).join(),
  PII_KEYS: keys.map(({ pii }) => pii).join(),
});

const REPLICAS = 2;
const USERS = 2;
/** Pause between two rounds of a user: leaves CPU time for replicas that start. */
const THINKING_MS = 500;

interface Answer<Payload> {
  readonly status: number;
  readonly payload: Payload;
  readonly codes: string[];
}

/** Replicas behind a load balancer: each call goes to a random one. */
class Fleet {
  private replicas: RunningProcess[] = [];

  constructor(private readonly processes: ServiceProcesses) {}

  get urls(): readonly string[] {
    return this.replicas.map(({ url }) => url);
  }

  /** Replaces the replicas one by one; each ends only when its successor serves. */
  async roll(settings: Readonly<Record<string, string>>): Promise<void> {
    for (let place = 0; place < REPLICAS; place++) {
      const next = await this.processes.start(settings);
      const [former] = this.replicas.splice(place, 1, next);
      former?.child.kill('SIGTERM');
    }
  }

  async call<Payload>(method: string, path: string, body?: object, token?: string): Promise<Answer<Payload>> {
    const response = await fetch(`${this.urls[randomInt(this.urls.length)]!}${path}`, {
      method,
      headers: {
        connection: 'close',
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const { payload, error } = (await response.json()) as {
      payload: Payload;
      error?: { errorCode: string }[];
    };
    return { status: response.status, payload, codes: (error ?? []).map(({ errorCode }) => errorCode) };
  }

  async jwks(): Promise<JSONWebKeySet> {
    const url = this.urls[randomInt(this.urls.length)]!;
    return (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
  }
}

/** Users who log in and make calls while keys change; counts failures and successes. */
class Load {
  readonly refused: string[] = [];
  readonly done = { logins: 0, refreshes: 0, calls: 0, verifications: 0, partnerTokens: 0 };
  /** Rounds that each user has finished. */
  readonly rounds = Array<number>(USERS).fill(0);
  /** The gateway's cached copy of our public keys. */
  gateway: JSONWebKeySet = { keys: [] };
  private isEnding = false;
  private readonly users: Promise<void>[] = [];

  constructor(
    private readonly fleet: Fleet,
    /** The partner's private keys, by key id. */
    private readonly partnerKeys: Map<string, TestPartner>,
  ) {}

  start(): void {
    for (let user = 0; user < USERS; user++) this.users.push(this.live(user));
  }

  async end(): Promise<void> {
    this.isEnding = true;
    await Promise.all(this.users);
  }

  /** Waits until every user has started and finished a round: then no user holds tokens from before. */
  async renewed(): Promise<void> {
    const before = [...this.rounds];
    await eventually(() =>
      this.rounds.forEach((rounds, user) => expect(rounds).toBeGreaterThan(before[user]! + 1)),
    );
  }

  private async live(user: number): Promise<void> {
    while (!this.isEnding) {
      try {
        await this.round();
      } catch (error) {
        this.refused.push(String(error));
      }
      this.rounds[user]!++;
      await sleep(THINKING_MS);
    }
  }

  /** A login whose code is sent twice, then calls and refreshes; any replica answers each. */
  private async round(): Promise<void> {
    const phone = aPhone();
    await this.good(201, 'POST', '/auth/register', { phone });
    const code = await codeOf(phone);
    await this.good(201, 'POST', '/auth/register', { phone });
    if ((await codeOf(phone)) !== code) throw new Error('a resend brought another code');
    const login = await this.good<LoginPayload>(
      200,
      'POST',
      '/auth/api/v2/register/verify',
      verifyBody(phone, code),
    );
    this.done.logins++;
    await this.atPartner(login.partner_token);
    let tokens: { access_token: string; refresh_token: string } = login;
    for (let day = 0; day < 3; day++) {
      await this.atGateway(tokens.access_token);
      const profile = await this.good<{ phone: string }>(
        200,
        'GET',
        '/api/v1/user-profile',
        undefined,
        tokens.access_token,
      );
      if (!profile.phone.endsWith(phone.slice(-4))) throw new Error('another phone');
      this.done.calls++;
      const refresh = { refresh_token: tokens.refresh_token };
      const [first, again] = await Promise.all([
        this.good<LoginPayload>(200, 'POST', '/auth/api/v2/token/refresh', refresh),
        this.good<LoginPayload>(200, 'POST', '/auth/api/v2/token/refresh', refresh),
      ]);
      if (first.refresh_token !== again.refresh_token) throw new Error('a refresh had two successors');
      this.done.refreshes++;
      tokens = first;
    }
    // the last token must be valid, whichever secret signed it
    await this.good(200, 'POST', '/auth/api/v2/token/refresh', { refresh_token: tokens.refresh_token });
  }

  private async good<Payload>(
    status: number,
    method: string,
    path: string,
    body?: object,
    token?: string,
  ): Promise<Payload> {
    const answer = await this.fleet.call<Payload>(method, path, body, token);
    if (answer.status === status) return answer.payload;
    throw new Error(`${method} ${path}: ${answer.status} ${answer.codes.join()}`);
  }

  private async atGateway(token: string): Promise<void> {
    await jwtVerify(token, createLocalJWKSet(this.gateway), { typ: 'at+jwt' });
    this.done.verifications++;
  }

  private async atPartner(token: string): Promise<void> {
    const partner = this.partnerKeys.get(decodeProtectedHeader(token).kid!);
    if (!partner) throw new Error('a key that the partner does not have');
    await openPartnerToken(token, partner, this.gateway);
    this.done.partnerTokens++;
  }
}

describe('changing all keys under load', () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-keys-'));
  let service: TestService;
  let processes: ServiceProcesses;
  beforeAll(async () => {
    service = await startService();
    // this replica wrote nothing: the fleet has its own keys
    await withoutTriggers(service, "DELETE FROM onboarding.keys_in_use WHERE purpose = 'PII'", []);
    processes = new ServiceProcesses({
      ...service.environment,
      ...GENEROUS_LIMITS,
      LOG_LEVEL: 'warn',
      SHUTDOWN_DELAY_SECONDS: '2',
    });
  });
  let load: Load | undefined;
  afterAll(async () => {
    await load?.end();
    await processes.killAll();
    await service.close();
    rmSync(folder, { recursive: true });
  });

  const kidsOf = (jwks: JSONWebKeySet) => jwks.keys.map(({ kid }) => kid);

  it('refuses no user and loses nothing; afterwards the former keys are useless', async () => {
    const [former, next] = [keysOf('former'), keysOf('next')];
    const partnerKeys = new Map([['partner-key', service.partner]]);
    const fleet = new Fleet(processes);
    const users = (load = new Load(fleet, partnerKeys));
    await fleet.roll(settingsOf(former));
    users.gateway = await fleet.jwks();
    users.start();
    await users.renewed();
    const early = (await logInWith(fleet)).access_token;

    // step 1: every replica knows the new keys, none uses them
    await fleet.roll(settingsOf(former, next));
    expect(kidsOf(await fleet.jwks())).toEqual(['former', 'next']);
    users.gateway = await fleet.jwks();

    // the partner has its new private key before the service has the public one
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    partnerKeys.set('next', { url: service.partner.url, privateKey });
    const file = join(folder, 'next.jwk.json');
    writeFileSync(file, JSON.stringify({ ...publicKey.export({ format: 'jwk' }), kid: 'next' }));
    const partners = (...args: string[]) =>
      processes.spawnCli({}, 'partners', ...args, '--url', service.partner.url, ...WHO);
    expect(await partners('add-key', '--public-key', file)).toMatchObject({ code: 0 });

    // step 2: replicas use the new keys; the gateway still has its cached copy
    await fleet.roll(settingsOf(next, former));
    expect(decodeProtectedHeader((await logInWith(fleet)).access_token).kid).toBe('next');
    expect((await fleet.call('GET', '/api/v1/user-profile', undefined, early)).status).toBe(200);
    await users.renewed();
    partnerKeys.delete('partner-key');
    expect(await partners('remove-key', '--key-id', 'partner-key')).toMatchObject({ code: 0 });
    // as if three minutes had passed
    await withoutTriggers(
      service,
      "UPDATE onboarding.keys_in_use SET seen_at = now() - interval '4 minutes' WHERE key_id = 'former'",
      [],
    );
    expect(await processes.spawnCli(settingsOf(next, former), 'pii:rotate', ...WHO)).toMatchObject({
      code: 0,
      err: '',
    });

    // step 3: the former keys are removed
    await fleet.roll(settingsOf(next));
    await users.renewed();
    await users.end();
    expect(users.refused).toEqual([]);
    for (const count of Object.values(users.done)) expect(count).toBeGreaterThan(2 * USERS);
    expect(kidsOf(await fleet.jwks())).toEqual(['next']);
    const late = await fleet.call('GET', '/api/v1/user-profile', undefined, early);
    expect([late.status, late.codes]).toEqual([401, [SessionErrors.tokenInvalid.code]]);
    const { status, stderr } = processes.main({ ...service.environment, ...settingsOf(former) });
    expect([status, stderr]).toEqual([1, expect.stringContaining('the key next is missing')]);
    recordEvidence('keys-change', { ...users.done, refused: users.refused.length });
  }, 240_000);

  async function logInWith(fleet: Fleet): Promise<LoginPayload> {
    const phone = aPhone();
    await fleet.call('POST', '/auth/register', { phone });
    const body = verifyBody(phone, await codeOf(phone));
    return (await fleet.call<LoginPayload>('POST', '/auth/api/v2/register/verify', body)).payload;
  }
});
