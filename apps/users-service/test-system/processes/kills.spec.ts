import { setTimeout as sleep } from 'node:timers/promises';
import { AadhaarErrors, IdempotencyErrors, LoginErrors, PanErrors } from '@fd/errors';
import type { Environment } from '@fd/platform';
import { eventually, recordEvidence, type RunningProcess } from '@fd/testing';
import { nameHolder } from '../../test/support/bank-holders.js';
import { effectsOf } from '../../test/support/effects.js';
import { finishEkyc, finishLocker } from '../../test/support/ekyc.js';
import { type HoldPoint, HoldingProxy } from '../../test/support/holding-proxy.js';
import { codeOf, inboxOf } from '../../test/support/inbox.js';
import type { IssuerSlug } from '../../test/support/issuers.js';
import { Jobs } from '../../src/core/index.js';
import { aPerson } from '../../test/support/person.js';
import { ScriptedMailServer } from '../../test/support/scripted-mail-server.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { sandboxUrl } from '../../test/support/sandbox.config.js';
import { providerSettings, vendorSettings } from '../../test/support/settings.js';
import { startService, type TestService } from '../../test/support/users-app.js';
import { verifyBody } from '../../test/support/login.js';
import { type Answer, Walk } from '../../test/support/walk.js';

let service: TestService;
let processes: ServiceProcesses;
let proxy: HoldingProxy;
beforeAll(async () => {
  service = await startService();
  processes = new ServiceProcesses(service.environment);
  proxy = await HoldingProxy.start();
});
// who went on is of no more use: many of them would keep one another from working
afterEach(() => processes.killAll());
afterAll(async () => {
  await proxy.stop();
  await service.close();
});

/** Long enough for a lease of the killed process to run out. */
jest.setTimeout(120_000);

const POINTS: readonly HoldPoint[] = ['before the call', 'before the answer'];

/** So that the lease of a PAN check ends within seconds. */
const SHORT_LOOKUPS: Environment = { PAN_LOOKUP_TIMEOUT_MS: '1000' };

/** Where all that speaks HTTP is found behind the proxy; nobody stands in for a short-message provider that is held up. */
const throughProxy = (): Environment => ({
  ...SHORT_LOOKUPS,
  ...providerSettings(proxy.url),
  SMS_PRIMARY_URL: `${proxy.url}/providers/sms/primary/messages`,
  SMS_FALLBACK_URL: 'http://127.0.0.1:1/fallback',
});

/** Kills a service while a step of a person's has it talk to an outside party, and lets the person go on with another. */
async function killInStep(
  walk: Walk,
  first: RunningProcess,
  step: (walk: Walk) => Promise<unknown>,
  { caught, release = () => undefined }: { caught: Promise<unknown>; release?: () => void },
): Promise<void> {
  // it is cut off, unless it was answered that work goes on
  const answered = step(walk).catch(() => undefined);
  await caught;
  await first.kill();
  release();
  await answered;
  walk.baseUrl = (await processes.start()).url;
}

/**
 * Brings a person to a step, kills the service while it talks to an outside party, and goes on with another
 * process.
 */
async function killDuring(
  slug: IssuerSlug,
  { before, step }: { before: (walk: Walk) => Promise<unknown>; step: (walk: Walk) => Promise<unknown> },
  path: RegExp,
  point: HoldPoint,
): Promise<Walk> {
  const first = await processes.start(throughProxy());
  const walk = new Walk(first.url, slug, aPerson());
  await walk.register();
  await walk.logIn();
  // on a busy machine a party may be too slow for a call; that is not what is tried here
  await eventually(() => before(walk));
  await killInStep(walk, first, step, proxy.holdNext(path, point));
  return walk;
}

const stepOf = async (walk: Walk, name: string): Promise<unknown> => {
  const { steps } = (await walk.journey()).body.payload as {
    steps: { step: string; status: string }[];
  };
  return steps.find(({ step }) => step === name)?.status;
};

describe.each(POINTS)('a service that is killed %s of', (point) => {
  it.each([
    ['the bank', 'aravalli', /\/account-verifications$/],
    ['an issuer that answers at once', 'aravalli', /\/bank-accounts$/],
    ['an issuer that accepts and decides later', 'kaveri', /\/beneficiaryAdd$/],
    ['such an issuer about its decision', 'vindhya', /\/beneficiaryStatus$/],
  ] as const)(
    '%s forgets nothing and does nothing twice, although nobody asks again',
    async (_name, slug, path) => {
      const walk = await killDuring(
        slug,
        { before: (person) => person.pan(), step: (person) => person.tryBank() },
        path,
        point,
      );
      await eventually(async () => expect(await stepOf(walk, 'BANK')).toBe('DONE'));
      const { account } = walk.person;
      expect(await effectsOf('bank', account)).toHaveLength(1);
      expect(await effectsOf(`issuer:${slug}`, account)).toHaveLength(1);
      // and the person who does ask again is told so
      expect((await walk.bank()).body.payload).toMatchObject({ is_bank_verified: true, is_synced: true });
      expect(await effectsOf('bank', account)).toHaveLength(1);
    },
  );

  it('the eKYC provider gives the same request to who asks again', async () => {
    const walk = await killDuring(
      'nilgiri',
      { before: (person) => person.pan(), step: (person) => person.tryStatus() },
      /\/providers\/ekyc\/requests$/,
      point,
    );
    // 503 until the lease of the dead process ends
    const { ekyc_request_id: id } = (await eventually(() => walk.status())).body.payload;
    expect(await effectsOf('ekyc', id as string)).toHaveLength(1);
    const rows = await service.dataSource.query<object[]>(
      'SELECT 1 FROM onboarding.ekyc_requests r JOIN onboarding.ekyc_requests o USING (user_id) WHERE o.id = $1',
      [id],
    );
    expect(rows).toHaveLength(1);
    await walk.ekyc();
  });

  it('the issuer opens one lead, which who asks again is given', async () => {
    const walk = await killDuring(
      'sahyadri',
      { before: () => Promise.resolve(), step: (person) => person.lead() },
      /\/leads$/,
      point,
    );
    const { lead_id: id } = (await walk.lead()).body.payload;
    expect(await effectsOf('issuer:sahyadri', id as string)).toHaveLength(1);
    await walk.kycContext(id);
  });

  it('the PAN registry costs a look-up, is not asked again by itself, and the PAN can be verified all the same', async () => {
    const walk = await killDuring(
      'aravalli',
      { before: () => Promise.resolve(), step: (person) => person.pan() },
      /\/providers\/pan\/verifications$/,
      point,
    );
    const { pan } = walk.person;
    // whoever sends it again meanwhile meets the call of the dead process
    const met = await walk.tryPan();
    expect([met.status, met.body.payload['pending_code']]).toEqual([202, PanErrors.pending.code]);
    const path = `/api/v1/pan-verification/${met.body.payload['verification_id'] as string}`;
    await eventually(async () => expect((await walk.call('GET', path)).status).toBe(503));
    expect(await stepOf(walk, 'PAN')).toBe('FAILED');
    expect((await effectsOf('pan', pan)).length).toBeLessThanOrEqual(1);
    await walk.pan();
    expect(await stepOf(walk, 'PAN')).toBe('DONE');
    const [{ count }] = await service.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM onboarding.pan_lookups WHERE user_id =
         (SELECT user_id FROM onboarding.identities ORDER BY verified_at DESC LIMIT 1)`,
    );
    expect(count).toBe(2);
  });
});

describe.each(POINTS)('a service that is killed %s of', (point) => {
  it('a short-message provider: at most one message more, with the same code, which is good', async () => {
    const first = await processes.start(throughProxy());
    const walk = new Walk(first.url, 'aravalli', aPerson());
    const { phone } = walk.person;
    await killInStep(walk, first, () => walk.register(), proxy.holdNext(/\/sms\/primary\//, point));
    const { attemptsUsed } = (await walk.register()).body.payload;
    // the send that nobody was told of is counted all the same
    expect(attemptsUsed).toBe(1);
    await eventually(async () => expect(await effectsOf('sms', phone)).toHaveLength(2));
    const messages = await inboxOf(phone);
    expect(new Set(messages.map(({ code }) => code)).size).toBe(1);
    await walk.logIn();
  });

  it('the Aadhaar provider that is to send a code: the pause is kept, and no second code is sent', async () => {
    const walk = await killDuring(
      'sahyadri',
      { before: (person) => person.pan(), step: (person) => person.tryAadhaarCode() },
      /\/providers\/aadhaar\/otp$/,
      point,
    );
    await eventually(async () => expect(await effectsOf('aadhaar', walk.person.aadhaar)).toHaveLength(1));
    const again = await walk.tryAadhaarCode();
    expect([again.status, again.body.error?.[0]?.errorCode]).toEqual([429, AadhaarErrors.otpTooSoon.code]);
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await effectsOf('aadhaar', walk.person.aadhaar)).toHaveLength(1);
  });

  it('the document locker: the session that it opened is the one that is given', async () => {
    const walk = await killDuring(
      'kaveri',
      { before: (person) => person.pan(), step: (person) => person.openLocker() },
      /\/providers\/locker\/sessions$/,
      point,
    );
    // 503 until the lease of the dead process ends
    const { session_id: id, url } = (await eventually(() => walk.openLocker())).body.payload;
    expect(await effectsOf('locker', id as string)).toHaveLength(1);
    expect((await walk.openLocker()).body.payload['url']).toBe(url);
    const rows = await service.dataSource.query<object[]>(
      `SELECT 1 FROM onboarding.locker_sessions WHERE ekyc_request_id =
         (SELECT ekyc_request_id FROM onboarding.locker_sessions WHERE id = $1)`,
      [id],
    );
    expect(rows).toHaveLength(1);
    await walk.ekyc();
  });
});

describe('a service that is killed before the answer of', () => {
  it('the Aadhaar provider that is to check a code: the same code verifies', async () => {
    let sent: unknown;
    const walk = await killDuring(
      'sahyadri',
      {
        before: async (person) => {
          await person.pan();
          sent = (await person.tryAadhaarCode()).body.payload['ekyc_request_id'];
        },
        step: (person) => person.aadhaarCheck(sent),
      },
      /\/providers\/aadhaar\/otp\/verify$/,
      'before the answer',
    );
    await walk.aadhaarCheck(sent);
    expect((await walk.status()).body.payload['is_ekyc_verified']).toBe(true);
  });

  it('the issuer that is to say what it wants of a lead: it says it again', async () => {
    let lead: unknown;
    const walk = await killDuring(
      'sahyadri',
      {
        before: async (person) => {
          lead = (await person.lead()).body.payload['lead_id'];
        },
        step: (person) => person.kycContext(lead),
      },
      /\/leads\/[^/]+\/kyc-context$/,
      'before the answer',
    );
    await walk.kycContext(lead);
    expect(await stepOf(walk, 'KYC_CONTEXT')).toBe('DONE');
    expect(await effectsOf('issuer:sahyadri', lead as string)).toHaveLength(1);
  });

  it('the mail server: the next mail has the same code, which is good', async () => {
    const mail = await ScriptedMailServer.start();
    mail.script = { message: 'silence' };
    const first = await processes.start({ MAIL_SMTP_URL: mail.url });
    const walk = new Walk(first.url, 'aravalli', aPerson());
    await walk.register();
    await walk.logIn();
    await killInStep(walk, first, () => walk.tryEmail(), {
      caught: eventually(() => expect(mail.mails).toHaveLength(1)),
    });
    await walk.email();
    expect(mail.mails).toHaveLength(1);
    expect(mail.mails[0]).toContain(await codeOf(walk.person.email));
    expect(await effectsOf('mail', walk.person.email)).toMatchObject([{ calls: 1 }]);
    await mail.stop();
  });
});

describe('a kill with an idempotency key', () => {
  it('lets the same call be made again under the same key after a moment', async () => {
    const first = await processes.start(throughProxy());
    const second = await processes.start();
    const walk = new Walk(first.url, 'aravalli', aPerson());
    await walk.register();
    await walk.logIn();
    const headers = { 'idempotency-key': 'pan-1' };
    const body = { number: walk.person.pan, dob: walk.person.dob, consent_checked: true };
    const held = proxy.holdNext(/\/providers\/pan\//, 'before the answer');
    const cutOff = walk.call('POST', '/api/v1/pan-verification', body, headers).catch(() => 'cut off');
    await held.caught;
    await first.kill();
    held.release();
    expect(await cutOff).toBe('cut off');
    walk.baseUrl = second.url;
    const again = await onceFree(() => walk.call('POST', '/api/v1/pan-verification', body, headers));
    // the check of the dead process
    expect(again.status).toBe(202);
    const replayed = await walk.call('POST', '/api/v1/pan-verification', body, headers);
    expect([replayed.body, replayed.headers.get('idempotent-replayed')]).toEqual([again.body, 'true']);
  });

  it('logs in with the same code under the same key when killed between the check and the commit', async () => {
    const [first, second] = [await processes.start(), await processes.start()];
    const walk = new Walk(first.url, 'aravalli', aPerson());
    await walk.register();
    const body = verifyBody(walk.person.phone, await codeOf(walk.person.phone));
    const logIn = (key: string) =>
      walk.call('POST', '/auth/api/v2/register/verify', body, { 'idempotency-key': key });
    await service.dataSource.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE onboarding.sessions IN ACCESS EXCLUSIVE MODE');
      const cutOff = logIn('login-1').catch(() => 'cut off');
      await eventually(async () => expect(await waitingInserts()).toBe(1));
      await first.kill();
      expect(await cutOff).toBe('cut off');
      // PostgreSQL ends the statement of the dead process by itself
      await eventually(async () => expect(await waitingInserts()).toBe(0));
    });
    walk.baseUrl = second.url;
    // whoever else has the code has come too late
    expect((await logIn('login-2')).body.error?.[0]?.errorCode).toBe(LoginErrors.otpExpired.code);
    const again = await onceFree(() => logIn('login-1'));
    expect([again.status, again.body.payload['is_new_user']]).toEqual([200, true]);
    expect((await logIn('login-1')).body).toEqual(again.body);
    const [{ count }] = await service.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM onboarding.sessions WHERE user_id = $1',
      [again.body.payload['user_id']],
    );
    expect(count).toBe(1);
    recordEvidence('otp-survives-kill', { kills: 1, logins: count });
  });
});

/** The answer to a call whose key a dead process holds: the client waits as long as it is told, 3 seconds at most. */
async function onceFree(call: () => Promise<Answer>): Promise<Answer> {
  const answer = await call();
  if (answer.body.error?.[0]?.errorCode !== IdempotencyErrors.callRunning.code) return answer;
  const retryAfter = Number(answer.headers.get('retry-after'));
  expect([answer.status, retryAfter >= 1 && retryAfter <= 3]).toEqual([409, true]);
  await sleep(retryAfter * 1_000);
  return onceFree(call);
}

/** How many logins wait for the table of sessions, by how their statement begins: PostgreSQL shows no more of it. */
async function waitingInserts(): Promise<number> {
  const [{ count }] = await service.dataSource.query<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%WITH permit AS%'
        AND pid <> pg_backend_pid()`,
  );
  return count;
}

describe('a service that is killed once a vendor has been paid for a PAN', () => {
  beforeAll(() => service.app.get(Jobs).beforeApplicationShutdown());

  /** Ends the process while what it has learned waits to be written down. */
  async function killBeforeCommit(first: RunningProcess, answer: () => void): Promise<void> {
    const waiting = async () =>
      service.dataSource.query<object[]>(
        `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'onboarding.identities'::regclass`,
      );
    await service.dataSource.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE onboarding.identities IN EXCLUSIVE MODE');
      answer();
      await eventually(async () => expect(await waiting()).toHaveLength(1));
      await first.kill();
      // PostgreSQL ends the statement of the dead process by itself
      await eventually(async () => expect(await waiting()).toEqual([]));
    });
  }

  it.each([
    ['setu', 'cashfree', 'before its answer', /\/api\/verify\/pan$/, ['pan']],
    ['setu', 'cashfree', 'before our commit', /\/api\/verify\/pan$/, ['pan']],
    ['cashfree', 'setu', 'before its first answer', /\/pan$/, ['pan']],
    ['cashfree', 'setu', 'before its second answer', /\/pan-lite$/, ['pan', 'pan_lite']],
    ['cashfree', 'setu', 'before our commit', /\/pan-lite$/, ['pan', 'pan_lite']],
  ] as const)(
    'pays %s once, %s not at all, when it is killed %s; again when the person sends the PAN again',
    async (vendor, other, point, path, paid) => {
      const order = { ...SHORT_LOOKUPS, PAN_PROVIDERS: `${vendor},${other}` };
      const first = await processes.start({ ...throughProxy(), ...vendorSettings(proxy.url), ...order });
      const walk = new Walk(first.url, 'aravalli', aPerson());
      const { pan } = walk.person;
      const payments = async (party: string) => (await effectsOf(party, pan)).map(({ kind }) => kind).sort();
      await walk.register();
      await walk.logIn();
      const held = proxy.holdNext(path, 'before the answer');
      const cutOff = walk.tryPan().catch(() => undefined);
      await held.caught;
      if (point === 'before our commit') await killBeforeCommit(first, () => held.release());
      else await first.kill();
      held.release();
      await cutOff;
      walk.baseUrl = (await processes.start({ ...vendorSettings(sandboxUrl()), ...order })).url;
      // whoever sends it again meanwhile meets the check of the dead process
      const met = await walk.tryPan();
      expect([met.status, met.body.payload['pending_code']]).toEqual([202, PanErrors.pending.code]);
      const poll = `/api/v1/pan-verification/${met.body.payload['verification_id'] as string}`;
      await eventually(async () => expect((await walk.call('GET', poll)).status).toBe(503));
      expect(await stepOf(walk, 'PAN')).toBe('FAILED');
      expect([await payments(vendor), await payments(other)]).toEqual([paid, []]);
      // neither vendor says again what it found by our reference: a look-up of its own, which the person asks for
      await walk.pan();
      expect(await stepOf(walk, 'PAN')).toBe('DONE');
      const whole = vendor === 'setu' ? ['pan'] : ['pan', 'pan_lite'];
      expect([await payments(vendor), await payments(other)]).toEqual([[...paid, ...whole].sort(), []]);
    },
  );
});

describe.each(POINTS)('a service whose worker asks a vendor and is killed %s of', (point) => {
  // the one of this process asks another provider, and would take the work
  beforeAll(() => service.app.get(Jobs).beforeApplicationShutdown());

  it.each([
    ['cashfree', 'setu', /\/bank-account\/async$/],
    ['setu', 'cashfree', /\/verify\/ban\/async$/],
  ] as const)('%s sends one penny, and the other vendor none', async (vendor, other, path) => {
    const order = { BANK_PROVIDERS: `${vendor},${other}` };
    const first = await processes.start({ ...throughProxy(), ...vendorSettings(proxy.url), ...order });
    const walk = new Walk(first.url, 'aravalli', aPerson());
    await walk.register();
    await walk.logIn();
    await eventually(() => walk.pan());
    const { account } = walk.person;
    const { full_name: holder } = (await walk.profile()).body.payload;
    await nameHolder(account, holder as string);
    const held = proxy.holdNext(path, point);
    const given = await walk.tryBank();
    expect(given.status).toBe(202);
    // by the worker, since the client has its answer
    await held.caught;
    await first.kill();
    held.release();
    walk.baseUrl = (await processes.start({ ...vendorSettings(sandboxUrl()), ...order })).url;
    await eventually(async () => {
      const [row] = await service.dataSource.query<{ state: string; tries: number }[]>(
        'SELECT state, tries FROM onboarding.bank_accounts WHERE id = $1',
        [given.body.payload['verification_id']],
      );
      // Setu cannot say what became of it: it is left open
      if (vendor === 'setu') expect(row).toMatchObject({ state: 'DUE', tries: expect.any(Number) as number });
      else expect(row!.state).toBe('VERIFIED');
      if (vendor === 'setu') expect(row!.tries).toBeGreaterThan(0);
    }, 60_000);
    expect(await effectsOf(vendor, account)).toHaveLength(1);
    expect(await effectsOf(other, account)).toEqual([]);
  });

  it('a KYC link of Cashfree is one link and one payment, which completes the eKYC', async () => {
    const order = { EKYC_PROVIDERS: 'cashfree' };
    const atProxy = { ...throughProxy(), ...vendorSettings(proxy.url), ...order };
    const atSandbox = { ...vendorSettings(sandboxUrl()), ...order };
    const first = await processes.start(atProxy);
    const walk = new Walk(first.url, 'aravalli', aPerson());
    await walk.register();
    await walk.logIn();
    await eventually(() => walk.pan());
    const opening = proxy.holdNext(/\/verification\/form$/, point);
    const cutOff = walk.tryStatus().catch(() => undefined);
    await opening.caught;
    await first.kill();
    opening.release();
    await cutOff;
    const second = await processes.start(atProxy);
    walk.baseUrl = second.url;
    // 503 until the lease of the dead process ends
    const { ekyc_request_id: id } = (await eventually(() => walk.status(), 60_000)).body.payload;
    expect((await effectsOf('cashfree', id as string)).map(({ kind }) => kind)).toEqual(['kyc_link']);
    const reading = proxy.holdNext(/\/document\/AADHAAR/, point);
    const { full_name: name } = (await walk.profile()).body.payload;
    await finishEkyc(id as string, 'verified', { name: name as string, date_of_birth: walk.person.dob });
    await reading.caught;
    await second.kill();
    reading.release();
    walk.baseUrl = (await processes.start(atSandbox)).url;
    await eventually(async () => expect(await stepOf(walk, 'EKYC')).toBe('DONE'), 60_000);
    const kinds = (await effectsOf('cashfree', id as string)).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['aadhaar', 'kyc_link']);
  });

  it.each(['cashfree', 'setu'] as const)(
    '%s is paid for one Aadhaar, which completes the eKYC',
    async (vendor) => {
      const order = { LOCKER_PROVIDERS: vendor };
      const first = await processes.start({ ...throughProxy(), ...vendorSettings(proxy.url), ...order });
      const walk = new Walk(first.url, 'kaveri', aPerson());
      await walk.register();
      await walk.logIn();
      await eventually(() => walk.pan());
      const { full_name: name } = (await walk.profile()).body.payload;
      const { url, session_id: id } = (await walk.openLocker()).body.payload;
      const held = proxy.holdNext(/aadhaar/i, point);
      await finishLocker(url as string, 'allow', { name: name as string, date_of_birth: walk.person.dob });
      const asked = walk
        .call('GET', walk.path(`v1/document-locker/session/${id as string}`))
        .catch(() => undefined);
      await held.caught;
      await first.kill();
      held.release();
      await asked;
      walk.baseUrl = (await processes.start({ ...vendorSettings(sandboxUrl()), ...order })).url;
      await eventually(async () => expect(await stepOf(walk, 'EKYC')).toBe('DONE'), 60_000);
      const rows = await service.dataSource.query<{ locker_id: string }[]>(
        `SELECT locker_id FROM onboarding.locker_sessions WHERE ekyc_request_id =
         (SELECT ekyc_request_id FROM onboarding.locker_sessions WHERE id = $1)`,
        [id],
      );
      expect(rows).toHaveLength(1);
      const paid = await effectsOf(vendor, rows[0]!.locker_id);
      expect(paid.filter(({ kind }) => kind === 'aadhaar')).toHaveLength(1);
    },
  );
});
