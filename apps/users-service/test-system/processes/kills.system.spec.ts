import { setTimeout as sleep } from 'node:timers/promises';
import { AadhaarErrors, IdempotencyErrors, LoginErrors, PanErrors } from '@fd/errors';
import {
  eventually,
  GENEROUS_LIMITS,
  recordEvidence,
  repeatUntilServed,
  type RunningProcess,
} from '@fd/testing';
import { nameHolder } from '../../test/support/bank-holders.js';
import { Jobs } from '../../src/core/index.js';
import { aadhaarReadsOf, effectsOf } from '../../test/support/effects.js';
import { finishEkyc, finishLocker } from '../../test/support/ekyc.js';
import type { HoldPoint } from '../../test/support/holding-proxy.js';
import { codeOf, inboxOf } from '../../test/support/inbox.js';
import { type Answer, JourneyClient } from '../../test/support/journey-client.js';
import { KilledService, SHORT_LOOKUPS } from '../../test/support/killed-service.js';
import { verifyBody } from '../../test/support/login.js';
import { aPerson } from '../../test/support/person.js';
import { sandboxUrl } from '../../test/support/sandbox.config.js';
import { ScriptedMailServer } from '../../test/support/scripted-mail-server.js';
import { vendorSettings } from '../../test/support/settings.js';
import { withOwn } from '../../test/support/with-own.js';

/** Long enough for the lease of a killed process to expire. */
jest.setTimeout(240_000);

const POINTS: readonly HoldPoint[] = ['before the call', 'before the answer'];

type Test<Case extends unknown[]> = (own: KilledService, ...of: Case) => Promise<void>;

// each test has processes and stores of its own, since most of its time it waits for the lease of a dead process
const withService = <Case extends unknown[]>(test: Test<Case>) => withOwn(() => KilledService.start(), test);

/** Without the worker of the tests' process, which uses other providers and would take the job. */
const withoutWorker = <Case extends unknown[]>(test: Test<Case>) =>
  withOwn(async () => {
    const own = await KilledService.start();
    await own.service.app.get(Jobs).beforeApplicationShutdown();
    return own;
  }, test);

const stepOf = async (customer: JourneyClient, name: string): Promise<unknown> => {
  const { steps } = (await customer.journey()).body.payload as {
    steps: { step: string; status: string }[];
  };
  return steps.find(({ step }) => step === name)?.status;
};

/** Expects the end of a PAN check whose answer was lost, which a busy process does not give. */
const expectLost = ({ body }: Answer): void =>
  expect(body.error?.[0]?.errorCode).toBe(PanErrors.registryUnavailable.code);

describe.each(POINTS)('service killed %s', (point) => {
  it.concurrent.each([
    ['the bank', 'aravalli', /\/account-verifications$/],
    ['an issuer that decides at once', 'aravalli', /\/bank-accounts$/],
    ['an issuer that accepts and decides later', 'kaveri', /\/beneficiaryAdd$/],
    ['the status call of such an issuer', 'vindhya', /\/beneficiaryStatus$/],
  ] as const)(
    'loses and repeats nothing at %s, without another call by the client',
    // that worker may take the status call of a slow process, and then nothing is held
    withoutWorker(async (own, _name, slug, path) => {
      const customer = await own.killDuring(
        slug,
        { before: (person) => person.pan(), step: (person) => person.tryBank() },
        path,
        point,
      );
      await eventually(async () => expect(await stepOf(customer, 'BANK')).toBe('DONE'));
      const { account } = customer.person;
      expect(await effectsOf('bank', account)).toHaveLength(1);
      expect(await effectsOf(`issuer:${slug}`, account)).toHaveLength(1);
      // a client that calls again gets the result
      expect((await customer.bank()).body.payload).toMatchObject({ is_bank_verified: true, is_synced: true });
      expect(await effectsOf('bank', account)).toHaveLength(1);
    }),
  );

  it.concurrent(
    'returns the same eKYC request to the next call',
    withService(async (own) => {
      const customer = await own.killDuring(
        'nilgiri',
        { before: (person) => person.pan(), step: (person) => person.tryStatus() },
        /\/providers\/ekyc\/requests$/,
        point,
      );
      // 503 until the lease of the dead process expires
      const { ekyc_request_id: id } = (await eventually(() => customer.status())).body.payload;
      expect(await effectsOf('ekyc', id as string)).toHaveLength(1);
      const rows = await own.service.dataSource.query<object[]>(
        'SELECT 1 FROM onboarding.ekyc_requests r JOIN onboarding.ekyc_requests o USING (user_id) WHERE o.id = $1',
        [id],
      );
      expect(rows).toHaveLength(1);
      await customer.ekyc();
    }),
  );

  it.concurrent(
    'opens one lead and returns it to the next call',
    withService(async (own) => {
      const customer = await own.killDuring(
        'sahyadri',
        { before: () => Promise.resolve(), step: (person) => person.lead() },
        /\/leads$/,
        point,
      );
      const { lead_id: id } = (await customer.lead()).body.payload;
      expect(await effectsOf('issuer:sahyadri', id as string)).toHaveLength(1);
      await customer.kycContext(id);
    }),
  );

  it.concurrent(
    'counts one PAN look-up, does not repeat it, and lets the user verify the PAN',
    withService(async (own) => {
      const customer = await own.killDuring(
        'aravalli',
        {
          before: () => Promise.resolve(),
          step: (person) => person.pan(),
        },
        /\/providers\/pan\/verifications$/,
        point,
      );
      const { pan } = customer.person;
      // until its lease expires, the call of the dead process is still pending
      const met = await repeatUntilServed(() => customer.tryPan());
      expect([met.status, met.body.payload['pending_code']]).toEqual([202, PanErrors.pending.code]);
      const path = `/api/v1/pan-verification/${met.body.payload['verification_id'] as string}`;
      await eventually(async () => expectLost(await customer.call('GET', path)), 60_000);
      expect(await stepOf(customer, 'PAN')).toBe('FAILED');
      expect((await effectsOf('pan', pan)).length).toBeLessThanOrEqual(1);
      await customer.pan();
      expect(await stepOf(customer, 'PAN')).toBe('DONE');
      const [{ count }] = await own.service.dataSource.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM onboarding.pan_lookups WHERE user_id =
         (SELECT user_id FROM onboarding.identities ORDER BY verified_at DESC LIMIT 1)`,
      );
      expect(count).toBe(2);
    }),
  );

  it.concurrent(
    'sends at most one more SMS, with the same valid code',
    withService(async (own) => {
      const first = await own.processes.start(own.throughProxy());
      const customer = new JourneyClient(first.url, 'aravalli', aPerson());
      const { phone } = customer.person;
      await own.killInStep(
        customer,
        first,
        () => customer.register(),
        own.proxy.holdNext(/\/sms\/primary\//, point),
      );
      const { attemptsUsed } = (await customer.register()).body.payload;
      // the unanswered send is counted too
      expect(attemptsUsed).toBe(1);
      await eventually(async () => expect(await effectsOf('sms', phone)).toHaveLength(2));
      const messages = await inboxOf(phone);
      expect(new Set(messages.map(({ code }) => code)).size).toBe(1);
      await customer.logIn();
    }),
  );

  it.concurrent(
    'keeps the pause between Aadhaar codes, and sends no second one',
    withService(async (own) => {
      const customer = await own.killDuring(
        'sahyadri',
        {
          before: (person) => person.pan(),
          step: (person) => person.tryAadhaarCode(),
        },
        /\/providers\/aadhaar\/otp$/,
        point,
      );
      await eventually(async () =>
        expect(await effectsOf('aadhaar', customer.person.aadhaar)).toHaveLength(1),
      );
      const again = await repeatUntilServed(() => customer.tryAadhaarCode());
      expect([again.status, again.body.error?.[0]?.errorCode]).toEqual([429, AadhaarErrors.otpTooSoon.code]);
      expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await effectsOf('aadhaar', customer.person.aadhaar)).toHaveLength(1);
    }),
  );

  it.concurrent(
    'returns the locker session that it had opened',
    withService(async (own) => {
      const customer = await own.killDuring(
        'kaveri',
        { before: (person) => person.pan(), step: (person) => person.openLocker() },
        /\/providers\/locker\/sessions$/,
        point,
      );
      // 503 until the lease of the dead process expires
      const { session_id: id, url } = (await eventually(() => customer.openLocker())).body.payload;
      expect(await effectsOf('locker', id as string)).toHaveLength(1);
      expect((await customer.openLocker()).body.payload['url']).toBe(url);
      const rows = await own.service.dataSource.query<object[]>(
        `SELECT 1 FROM onboarding.locker_sessions WHERE ekyc_request_id =
         (SELECT ekyc_request_id FROM onboarding.locker_sessions WHERE id = $1)`,
        [id],
      );
      expect(rows).toHaveLength(1);
      await customer.ekyc();
    }),
  );
});

describe('service killed before the answer', () => {
  it.concurrent(
    'accepts the same Aadhaar code again',
    withService(async (own) => {
      let sent: unknown;
      const customer = await own.killDuring(
        'sahyadri',
        {
          before: async (person) => {
            await person.pan();
            const answer = await person.tryAadhaarCode();
            expect(answer.status).toBe(200);
            sent = answer.body.payload['ekyc_request_id'];
          },
          step: (person) => person.aadhaarCheck(sent),
        },
        /\/providers\/aadhaar\/otp\/verify$/,
        'before the answer',
      );
      await customer.aadhaarCheck(sent);
      expect((await customer.status()).body.payload['is_ekyc_verified']).toBe(true);
    }),
  );

  it.concurrent(
    'returns the KYC context of the lead again',
    withService(async (own) => {
      let lead: unknown;
      const customer = await own.killDuring(
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
      await customer.kycContext(lead);
      expect(await stepOf(customer, 'KYC_CONTEXT')).toBe('DONE');
      expect(await effectsOf('issuer:sahyadri', lead as string)).toHaveLength(1);
    }),
  );

  it.concurrent(
    'mails the same valid code at the next request',
    withService(async (own) => {
      const mail = await ScriptedMailServer.start();
      mail.script = { message: 'silence' };
      const first = await own.processes.start({ MAIL_SMTP_URL: mail.url });
      const customer = new JourneyClient(first.url, 'aravalli', aPerson());
      await customer.register();
      await customer.logIn();
      await own.killInStep(customer, first, () => customer.tryEmail(), {
        caught: eventually(() => expect(mail.mails).toHaveLength(1)),
      });
      await customer.email();
      expect(mail.mails).toHaveLength(1);
      expect(mail.mails[0]).toContain(await codeOf(customer.person.email));
      expect(await effectsOf('mail', customer.person.email)).toMatchObject([{ calls: 1 }]);
      await mail.stop();
    }),
  );
});

describe('kill during a call with an idempotency key', () => {
  it.concurrent(
    'allows the same call with the same key once the lease has expired',
    withService(async (own) => {
      // its lease on the PAN check outlives the test
      const first = await own.processes.start({ ...own.throughProxy(), ...GENEROUS_LIMITS });
      const second = await own.service.replica();
      const customer = new JourneyClient(first.url, 'aravalli', aPerson());
      await customer.register();
      await customer.logIn();
      const headers = { 'idempotency-key': 'pan-1' };
      const body = { number: customer.person.pan, dob: customer.person.dob, consent_checked: true };
      const held = own.proxy.holdNext(/\/providers\/pan\//, 'before the answer');
      const cutOff = customer.call('POST', '/api/v1/pan-verification', body, headers).catch(() => 'cut off');
      await held.caught;
      await first.kill();
      held.release();
      expect(await cutOff).toBe('cut off');
      customer.baseUrl = second.url;
      const again = await onceFree(() => customer.call('POST', '/api/v1/pan-verification', body, headers));
      // the PAN check of the dead process
      expect(again.status).toBe(202);
      const replayed = await repeatUntilServed(() =>
        customer.call('POST', '/api/v1/pan-verification', body, headers),
      );
      expect([replayed.body, replayed.headers.get('idempotent-replayed')]).toEqual([again.body, 'true']);
    }),
  );

  it.concurrent(
    'logs in with the same code under the same key when killed between the check and the commit',
    withService(async (own) => {
      // its statement waits for the lock until it is killed
      const [first, second] = [await own.processes.start(GENEROUS_LIMITS), await own.service.replica()];
      const customer = new JourneyClient(first.url, 'aravalli', aPerson());
      await customer.register();
      const body = verifyBody(customer.person.phone, await codeOf(customer.person.phone));
      const logIn = (key: string) =>
        customer.call('POST', '/auth/api/v2/register/verify', body, { 'idempotency-key': key });
      await own.service.dataSource.transaction(async (transaction) => {
        await transaction.query('SET LOCAL idle_in_transaction_session_timeout = 0');
        await transaction.query('LOCK TABLE onboarding.sessions IN ACCESS EXCLUSIVE MODE');
        const cutOff = logIn('login-1').catch(() => 'cut off');
        await eventually(async () => expect(await waitingInserts(own)).toBe(1));
        await first.kill();
        expect(await cutOff).toBe('cut off');
        // PostgreSQL ends the statement of the dead process
        await eventually(async () => expect(await waitingInserts(own)).toBe(0));
      });
      customer.baseUrl = second.url;
      // another caller with the code cannot use it
      const other = await repeatUntilServed(() => logIn('login-2'));
      expect(other.body.error?.[0]?.errorCode).toBe(LoginErrors.otpExpired.code);
      const again = await onceFree(() => logIn('login-1'));
      expect([again.status, again.body.payload['is_new_user']]).toEqual([200, true]);
      expect((await repeatUntilServed(() => logIn('login-1'))).body).toEqual(again.body);
      const [{ count }] = await own.service.dataSource.query<[{ count: number }]>(
        'SELECT count(*)::int AS count FROM onboarding.sessions WHERE user_id = $1',
        [again.body.payload['user_id']],
      );
      expect(count).toBe(1);
      recordEvidence('otp-survives-kill', { kills: 1, logins: count });
    }),
  );
});

/** Repeats a call while a dead process holds its key; waits as `Retry-After` says, at most 3 seconds. */
async function onceFree(call: () => Promise<Answer>): Promise<Answer> {
  const answer = await repeatUntilServed(call);
  if (answer.body.error?.[0]?.errorCode !== IdempotencyErrors.callRunning.code) return answer;
  const retryAfter = Number(answer.headers.get('retry-after'));
  expect([answer.status, retryAfter >= 1 && retryAfter <= 3]).toEqual([409, true]);
  await sleep(retryAfter * 1_000);
  return onceFree(call);
}

/**
 * Counts logins that wait for the sessions table. Matches only the start of the statement, because pg_stat_activity
 * truncates it.
 */
async function waitingInserts(own: KilledService): Promise<number> {
  const [{ count }] = await own.service.dataSource.query<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%WITH replaced AS%'
        AND pid <> pg_backend_pid()`,
  );
  return count;
}

describe('service killed after a vendor was paid for a PAN', () => {
  /** Kills the process while it waits to commit the result. */
  async function killBeforeCommit(
    own: KilledService,
    first: RunningProcess,
    answer: () => void,
  ): Promise<void> {
    const waiting = async () =>
      own.service.dataSource.query<object[]>(
        `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'onboarding.identities'::regclass`,
      );
    await own.service.dataSource.transaction(async (transaction) => {
      await transaction.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      await transaction.query('LOCK TABLE onboarding.identities IN EXCLUSIVE MODE');
      answer();
      await eventually(async () => expect(await waiting()).toHaveLength(1));
      await first.kill();
      // PostgreSQL ends the statement of the dead process
      await eventually(async () => expect(await waiting()).toEqual([]));
    });
  }

  it.concurrent.each([
    ['setu', 'cashfree', 'before its answer', /\/api\/verify\/pan$/, ['pan']],
    ['setu', 'cashfree', 'before our commit', /\/api\/verify\/pan$/, ['pan']],
    ['cashfree', 'setu', 'before its first answer', /\/pan$/, ['pan']],
    ['cashfree', 'setu', 'before its second answer', /\/pan-lite$/, ['pan', 'pan_lite']],
    ['cashfree', 'setu', 'before our commit', /\/pan-lite$/, ['pan', 'pan_lite']],
  ] as const)(
    'pays %s once and %s never when it is killed %s, and pays again when the user sends the PAN again',
    withoutWorker(async (own, vendor, other, point, path, paid) => {
      const order = { ...SHORT_LOOKUPS, PAN_PROVIDERS: `${vendor},${other}` };
      const first = await own.processes.start({
        ...own.throughProxy(),
        ...vendorSettings(own.proxy.url),
        ...order,
      });
      const next = await own.service.replica({
        ...vendorSettings(sandboxUrl()),
        PAN_PROVIDERS: order.PAN_PROVIDERS,
      });
      const customer = new JourneyClient(first.url, 'aravalli', aPerson());
      const { pan } = customer.person;
      const payments = async (provider: string) =>
        (await effectsOf(provider, pan)).map(({ kind }) => kind).sort();
      await customer.register();
      await customer.logIn();
      const held = own.proxy.holdNext(path, 'before the answer');
      const cutOff = customer.tryPan().catch(() => undefined);
      await held.caught;
      if (point === 'before our commit') await killBeforeCommit(own, first, () => held.release());
      else await first.kill();
      held.release();
      await cutOff;
      customer.baseUrl = next.url;
      // until its lease expires, the check of the dead process is still pending
      const met = await repeatUntilServed(() => customer.tryPan());
      expect([met.status, met.body.payload['pending_code']]).toEqual([202, PanErrors.pending.code]);
      const poll = `/api/v1/pan-verification/${met.body.payload['verification_id'] as string}`;
      await eventually(async () => expectLost(await customer.call('GET', poll)), 90_000);
      expect(await stepOf(customer, 'PAN')).toBe('FAILED');
      expect([await payments(vendor), await payments(other)]).toEqual([paid, []]);
      // neither vendor returns an earlier result by our reference, so the user's next request pays again
      await customer.pan();
      expect(await stepOf(customer, 'PAN')).toBe('DONE');
      const whole = vendor === 'setu' ? ['pan'] : ['pan', 'pan_lite'];
      expect([await payments(vendor), await payments(other)]).toEqual([[...paid, ...whole].sort(), []]);
    }),
  );
});

/** Reads of an Aadhaar whose answer was lost with a process: the next process reads it again, once. */
const LOST_AND_REPEATED = { reads: 2, charges: 2 };

interface Visit {
  readonly state: string;
  readonly locker_id: string | null;
}

/** Returns the locker sessions of an eKYC request, by one of them, oldest first. */
const visitsOf = (own: KilledService, id: unknown): Promise<Visit[]> =>
  own.service.dataSource.query<Visit[]>(
    `SELECT state, locker_id FROM onboarding.locker_sessions WHERE ekyc_request_id =
       (SELECT ekyc_request_id FROM onboarding.locker_sessions WHERE id = $1) ORDER BY created_at`,
    [id],
  );

describe('service killed between the two paid calls for a PAN', () => {
  it.concurrent(
    'verifies the PAN without paying again, and deletes what it kept',
    withoutWorker(async (own) => {
      const order = { ...SHORT_LOOKUPS, PAN_PROVIDERS: 'cashfree,setu' };
      const first = await own.processes.start({
        ...own.throughProxy(),
        ...vendorSettings(own.proxy.url),
        ...order,
      });
      const next = await own.service.replica({
        ...vendorSettings(sandboxUrl()),
        PAN_PROVIDERS: order.PAN_PROVIDERS,
      });
      const customer = new JourneyClient(first.url, 'aravalli', aPerson());
      const { pan } = customer.person;
      const payments = async (provider: string) =>
        (await effectsOf(provider, pan)).map(({ kind }) => kind).sort();
      await customer.register();
      await customer.logIn();
      const held = own.proxy.holdNext(/\/pan-lite$/, 'before the call');
      const cutOff = customer.tryPan().catch(() => undefined);
      await held.caught;
      await first.kill();
      await cutOff;
      expect(await payments('cashfree')).toEqual(['pan']);
      customer.baseUrl = next.url;
      const met = await repeatUntilServed(() => customer.tryPan());
      expect([met.status, met.body.payload['pending_code']]).toEqual([202, PanErrors.pending.code]);
      const id = met.body.payload['verification_id'] as string;
      await eventually(async () =>
        expect((await customer.call('GET', `/api/v1/pan-verification/${id}`)).status).toBe(200),
      );
      expect(await stepOf(customer, 'PAN')).toBe('DONE');
      expect([await payments('cashfree'), await payments('setu')]).toEqual([['pan', 'pan_lite'], []]);
      const [row] = await own.service.dataSource.query<{ state: string; claim_encrypted: string | null }[]>(
        'SELECT state, claim_encrypted FROM onboarding.pan_checks WHERE id = $1',
        [id],
      );
      expect(row).toEqual({ state: 'VERIFIED', claim_encrypted: null });
      // the vendor refuses the call of the dead process, should it still arrive
      held.release();
    }),
  );
});

describe.each(POINTS)('worker killed %s', (point) => {
  // the longest first: two run at once
  it.concurrent(
    'creates one KYC link of Cashfree, reads its Aadhaar once more, and completes the eKYC',
    withoutWorker(async (own) => {
      const order = { EKYC_PROVIDERS: 'cashfree' };
      const atProxy = { ...own.throughProxy(), ...vendorSettings(own.proxy.url), ...order };
      const atSandbox = { ...vendorSettings(sandboxUrl()), ...order };
      const first = await own.processes.start(atProxy);
      const customer = new JourneyClient(first.url, 'aravalli', aPerson());
      await customer.register();
      await customer.logIn();
      await eventually(() => customer.pan());
      const opening = own.proxy.holdNext(/\/verification\/form$/, point);
      const cutOff = customer.tryStatus().catch(() => undefined);
      await opening.caught;
      await first.kill();
      opening.release();
      await cutOff;
      const second = await own.processes.start(atProxy);
      customer.baseUrl = second.url;
      // 503 until the lease of the dead process expires
      const { ekyc_request_id: id } = (await eventually(() => customer.status(), 60_000)).body.payload;
      expect((await effectsOf('cashfree', id as string)).map(({ kind }) => kind)).toEqual(['kyc_link']);
      const reading = own.proxy.holdNext(/\/document\/AADHAAR/, point);
      const { full_name: name } = (await customer.profile()).body.payload;
      await finishEkyc(id as string, 'verified', {
        name: name as string,
        date_of_birth: customer.person.dob,
      });
      await reading.caught;
      await second.kill();
      reading.release();
      customer.baseUrl = (await own.service.replica(atSandbox)).url;
      await eventually(async () => expect(await stepOf(customer, 'EKYC')).toBe('DONE'), 60_000);
      const links = (await effectsOf('cashfree', id as string)).filter(({ kind }) => kind === 'kyc_link');
      expect(links).toHaveLength(1);
      expect(await aadhaarReadsOf('cashfree', id as string)).toEqual(LOST_AND_REPEATED);
    }),
  );

  it.concurrent.each([
    ['cashfree', 'setu', /\/bank-account\/async$/],
    ['setu', 'cashfree', /\/verify\/ban\/async$/],
  ] as const)(
    'sends one penny over %s and none over the other vendor',
    withoutWorker(async (own, vendor, other, path) => {
      const order = { BANK_PROVIDERS: `${vendor},${other}` };
      const first = await own.processes.start({
        ...own.throughProxy(),
        ...vendorSettings(own.proxy.url),
        ...order,
      });
      const customer = new JourneyClient(first.url, 'aravalli', aPerson());
      await customer.register();
      await customer.logIn();
      await eventually(() => customer.pan());
      const { account } = customer.person;
      const { full_name: holder } = (await customer.profile()).body.payload;
      await nameHolder(account, holder as string);
      const held = own.proxy.holdNext(path, point);
      const given = await repeatUntilServed(() => customer.tryBank());
      expect(given.status).toBe(202);
      // the worker makes this call; the client already has its answer
      await held.caught;
      await first.kill();
      held.release();
      customer.baseUrl = (await own.service.replica({ ...vendorSettings(sandboxUrl()), ...order })).url;
      await eventually(async () => {
        const [row] = await own.service.dataSource.query<{ state: string; tries: number }[]>(
          'SELECT state, tries FROM onboarding.bank_accounts WHERE id = $1',
          [given.body.payload['verification_id']],
        );
        // Setu cannot return the outcome of the lost call, so the verification stays open
        if (vendor === 'setu')
          expect(row).toMatchObject({ state: 'DUE', tries: expect.any(Number) as number });
        else expect(row!.state).toBe('VERIFIED');
        if (vendor === 'setu') expect(row!.tries).toBeGreaterThan(0);
      }, 60_000);
      expect(await effectsOf(vendor, account)).toHaveLength(1);
      expect(await effectsOf(other, account)).toEqual([]);
    }),
  );

  it.concurrent.each(['cashfree', 'setu'] as const)(
    'opens another session at %s when the opening is lost, and completes the eKYC with one read',
    withoutWorker(async (own, vendor) => {
      const order = { LOCKER_PROVIDERS: vendor };
      const first = await own.processes.start({
        ...own.throughProxy(),
        ...vendorSettings(own.proxy.url),
        ...order,
      });
      const customer = new JourneyClient(first.url, 'kaveri', aPerson());
      await customer.register();
      await customer.logIn();
      await eventually(() => customer.pan());
      const { full_name: name } = (await customer.profile()).body.payload;
      const opening = own.proxy.holdNext(/\/digilocker\/?$/, point);
      const cutOff = customer.openLocker().catch(() => undefined);
      await opening.caught;
      await first.kill();
      opening.release();
      await cutOff;
      customer.baseUrl = (await own.service.replica({ ...vendorSettings(sandboxUrl()), ...order })).url;
      // 503 until the lease of the dead process expires
      const { url, session_id: id } = (await eventually(() => customer.openLocker(), 60_000)).body.payload;
      await finishLocker(url as string, 'allow', {
        name: name as string,
        date_of_birth: customer.person.dob,
      });
      await eventually(async () => expect(await stepOf(customer, 'EKYC')).toBe('DONE'), 60_000);
      const rows = await visitsOf(own, id);
      // Cashfree refuses the reference of the lost session; Setu accepts none
      expect(rows.map(({ state }) => state)).toEqual(
        vendor === 'cashfree' ? ['SETTLED', 'SETTLED'] : ['SETTLED'],
      );
      expect(await aadhaarReadsOf(vendor, rows.at(-1)!.locker_id!)).toEqual({ reads: 1, charges: 1 });
    }),
  );

  it.concurrent.each(['cashfree', 'setu'] as const)(
    'reads an Aadhaar at %s once more and completes the eKYC',
    withoutWorker(async (own, vendor) => {
      const order = { LOCKER_PROVIDERS: vendor };
      const first = await own.processes.start({
        ...own.throughProxy(),
        ...vendorSettings(own.proxy.url),
        ...order,
      });
      const customer = new JourneyClient(first.url, 'kaveri', aPerson());
      await customer.register();
      await customer.logIn();
      await eventually(() => customer.pan());
      const { full_name: name } = (await customer.profile()).body.payload;
      const { url, session_id: id } = (await customer.openLocker()).body.payload;
      const held = own.proxy.holdNext(/aadhaar/i, point);
      await finishLocker(url as string, 'allow', {
        name: name as string,
        date_of_birth: customer.person.dob,
      });
      const asked = customer
        .call('GET', customer.path(`v1/document-locker/session/${id as string}`))
        .catch(() => undefined);
      await held.caught;
      await first.kill();
      held.release();
      await asked;
      customer.baseUrl = (await own.service.replica({ ...vendorSettings(sandboxUrl()), ...order })).url;
      await eventually(async () => expect(await stepOf(customer, 'EKYC')).toBe('DONE'), 60_000);
      const rows = await visitsOf(own, id);
      expect(rows).toHaveLength(1);
      expect(await aadhaarReadsOf(vendor, rows[0]!.locker_id!)).toEqual(LOST_AND_REPEATED);
    }),
  );
});
