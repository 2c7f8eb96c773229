import { randomUUID } from 'node:crypto';
import type { EkycStatusPayload, LockerSessionPayload, UserProfilePayload } from '@fd/contracts';
import { timeLimit } from '@fd/envelope';
import { GeneralErrors, LockerErrors, PanErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel, recordEvidence } from '@fd/testing';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { type EkycRequest, EkycRequestsRepository } from '../../src/kyc/ekyc/ekyc-requests.repository.js';
import { HostedOutcome } from '../../src/kyc/ekyc/hosted-outcome.service.js';
import { PanNotices } from '../../src/kyc/pan/pan-notices.js';
import { shortOf, trailOf } from '../support/audit.js';
import { bankBody, getVerification, payloadOf, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { finishEkyc, finishLocker } from '../support/ekyc.js';
import { inboxOf } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { lockWaiters } from '../support/lock-waiters.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { countRefusals, runPan, runUsers, WHO } from '../support/operator.js';
import { aPan, getPan, panBody, postPan, verifyPan } from '../support/pan.js';
import { BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

let service: TestService;
let replica: UsersApp;
beforeAll(async () => {
  service = await startService();
  replica = await service.replica();
});
afterAll(() => service.close());

interface User extends LoggedIn {
  readonly api: ApiClient;
}

const aUser = async (): Promise<User> => {
  const user = await logIn(service);
  return { ...user, api: as(service.api, user) };
};

const status = async (api: ApiClient, slug = 'aravalli'): Promise<EkycStatusPayload> => {
  const response = await api.post(issuerPath(slug, 'v3/check-status'), {});
  expect(response.status).toBe(200);
  return (response.body as { payload: EkycStatusPayload }).payload;
};

/** Completes the eKYC at the provider, of which the service learns by a call: its worker waits. */
async function proveAtProvider(api: ApiClient, slug?: string): Promise<void> {
  const { ekyc_request_id: id } = await status(api, slug);
  await postpone(id!, 3_600);
  await finishEkyc(id!, 'verified');
}

/** The same with the user's own phone, which the provider reports. */
async function proveByPhone({ api, phone }: User): Promise<void> {
  const { ekyc_request_id: id } = await status(api);
  await postpone(id!, 3_600);
  await finishEkyc(id!, 'verified', undefined, phone);
}

const profileOf = async ({ api }: User): Promise<UserProfilePayload> =>
  ((await api.get('/api/v1/user-profile')).body as { payload: UserProfilePayload }).payload;

async function stepsOf({ api }: User, slug = 'aravalli'): Promise<Record<string, string>> {
  const { body } = await api.get(issuerPath(slug, 'v1/journey'));
  const { steps } = (
    body as { payload: { steps: { step: string; status: string; reason: string | null }[] } }
  ).payload;
  return Object.fromEntries(
    steps.map(({ step, status, reason }) => [step, reason ? `${status} ${reason}` : status]),
  );
}

const actionsOf = async ({ user_id }: User): Promise<string[]> =>
  (await trailOf(service, user_id)).map(shortOf);

/** Creates a user with a PAN and a later user who was refused the same PAN. */
async function twoClaims(): Promise<{ first: User; later: User; body: ReturnType<typeof panBody> }> {
  const [first, later] = [await aUser(), await aUser()];
  const body = panBody();
  await verifyPan(first.api, body);
  expectRefusal(await postPan(later.api, body), PanErrors.belongsToAnotherUser);
  return { first, later, body };
}

const requestOf = async (id: string): Promise<unknown> =>
  (
    await service.dataSource.query<unknown[]>(
      'SELECT status, state FROM onboarding.ekyc_requests WHERE id = $1',
      [id],
    )
  )[0];

/** Lets the worker leave a request alone for some seconds. */
const postpone = (id: string, seconds: number) =>
  // a worker that has leased it would set its own next try
  eventually(async () => {
    const [, count] = await service.dataSource.query<[unknown, number]>(
      `UPDATE onboarding.ekyc_requests SET next_try_at = now() + make_interval(secs => $2)
        WHERE id = $1 AND lease_id IS NULL`,
      [id, seconds],
    );
    expect(count).toBe(1);
  });

/** Polls a request as the worker does. */
async function poll(id: string): Promise<void> {
  await postpone(id, 0);
  await service.app.get(DurableCalls).advanceDue(service.app.get(HostedOutcome));
}

const DUPLICATE = PanErrors.belongsToAnotherUser.code;

describe('PAN verified by another user', () => {
  it('moves a PAN to the user who completes the eKYC of its holder, with audit events for both and a message to the first', async () => {
    const { first, later, body } = await twoClaims();
    expect(await stepsOf(later)).toMatchObject({ PAN: `FAILED ${DUPLICATE}`, EKYC: 'DUE' });
    await status(first.api, 'nilgiri');
    expect(await stepsOf(first, 'nilgiri')).toMatchObject({ PAN: 'DONE', EKYC: 'IN_PROGRESS' });

    const [{ id: refused }] = await service.dataSource.query<[{ id: string }]>(
      'SELECT id FROM onboarding.pan_checks WHERE user_id = $1',
      [later.user_id],
    );
    const readCheck = () => later.api.get(`/api/v1/pan-verification/${refused}`);
    expectRefusal(await readCheck(), PanErrors.belongsToAnotherUser);
    await proveAtProvider(later.api);
    expect(await status(later.api)).toMatchObject({ is_ekyc_verified: true });
    expect((await readCheck()).body).toMatchObject({ payload: { is_pan_verified: true } });
    expect(await stepsOf(later)).toMatchObject({ PAN: 'DONE', EKYC: 'DONE' });
    expect(await profileOf(later)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
    const lookups = await effectsOf('pan', body.number);
    expect(await verifyPan(later.api, body)).toMatchObject({ is_pan_verified: true });
    expect(await effectsOf('pan', body.number)).toEqual(lookups);

    expect(await profileOf(first)).toMatchObject({ pan: null, full_name: null, is_pan_verified: false });
    expect(await stepsOf(first, 'nilgiri')).toMatchObject({ PAN: `DUE ${DUPLICATE}`, EKYC: 'LOCKED' });
    expect(await actionsOf(later)).toEqual(expect.arrayContaining(['PAN_TAKEN_OVER', 'PAN_VERIFIED']));
    const released = (await trailOf(service, first.user_id)).find(({ action }) => action === 'PAN_RELEASED')!;
    expect([shortOf(released), released.actor]).toEqual([
      `PAN_RELEASED ${DUPLICATE}`,
      `user:${later.user_id}`,
    ]);
    await eventually(async () => {
      await service.app.get(DurableCalls).advanceDue(service.app.get(PanNotices));
      expect((await inboxOf(first.phone))[0]!.text).toMatch(/proved by eKYC to hold the PAN/);
      expect(await actionsOf(first)).toContain('PAN_NOTICE_SENT');
    });
    expect((await inboxOf(first.phone)).filter(({ text }) => /eKYC/.test(text))).toHaveLength(1);
    expect((await inboxOf(later.phone)).filter(({ text }) => /eKYC/.test(text))).toHaveLength(0);

    expectRefusal(await postPan(first.api, body), PanErrors.belongsToAnotherUser);
    await verifyPan(first.api);
    expect(await stepsOf(first, 'nilgiri')).toMatchObject({ PAN: 'DONE' });
  });

  it('keeps a PAN with the first user who has completed the eKYC, even if another one completes it later', async () => {
    const { first, later, body } = await twoClaims();
    await proveByPhone(first);
    expect(await status(first.api)).toMatchObject({ is_ekyc_verified: true });
    await proveByPhone(later);
    for (let i = 0; i < 2; i++)
      expectRefusal(
        await later.api.post(issuerPath('aravalli', 'v3/check-status'), {}),
        PanErrors.belongsToAnotherUser,
      );
    expectRefusal(await postPan(later.api, body), PanErrors.belongsToAnotherUser);
    expect(await stepsOf(later)).toMatchObject({ PAN: `FAILED ${DUPLICATE}`, EKYC: 'IN_PROGRESS' });
    expect(await profileOf(later)).toMatchObject({ is_pan_verified: false, is_ekyc_verified: false });
    expect(await verifyPan(first.api, body)).toMatchObject({ is_pan_verified: true });
    expect(await actionsOf(first)).not.toContain('PAN_RELEASED');
  });

  it.each(['nobody', 'another user, provisionally'])(
    'moves a PAN to the user whose eKYC was too early once an operator has released it and it belongs to %s',
    async (holder) => {
      const { first, later, body } = await twoClaims();
      await proveByPhone(first);
      await status(first.api);
      for (const slug of ['aravalli', 'nilgiri']) {
        await proveAtProvider(later.api, slug);
        const path = issuerPath(slug, 'v3/check-status');
        expectRefusal(await later.api.post(path, {}), PanErrors.belongsToAnotherUser);
      }
      expect(await runPan(service, '', 'release', '--user', first.user_id, ...WHO)).toMatch(/^released/);
      if (holder !== 'nobody') await verifyPan((await aUser()).api, body);
      expect(await status(later.api)).toMatchObject({ is_ekyc_verified: true });
      expect(await profileOf(later)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
      for (const slug of ['aravalli', 'nilgiri'])
        expect(await stepsOf(later, slug)).toMatchObject({ PAN: 'DONE', EKYC: 'DONE' });
    },
  );

  it.each(['block', 'erase'])('moves a PAN from an account after the command %s', async (command) => {
    const { first, later } = await twoClaims();
    await proveAtProvider(first.api);
    await status(first.api);
    await runUsers(service, '', command, '--user', first.user_id, ...WHO);
    await proveByPhone(later);
    expect(await status(later.api)).toMatchObject({ is_ekyc_verified: true });
    expect(await profileOf(later)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
  });

  it('keeps a PAN with the first user while a later one fails or leaves the eKYC', async () => {
    const { first, later, body } = await twoClaims();
    const { ekyc_request_id: id } = await status(later.api);
    // repeated calls keep the link
    expectRefusal(await postPan(later.api, body), PanErrors.belongsToAnotherUser);
    expect((await status(later.api)).ekyc_request_id).toBe(id);
    await finishEkyc(id!, 'failed');
    expect(await status(later.api)).toMatchObject({ is_ekyc_verified: false, ekyc_status: 'FAILED' });
    expect(await verifyPan(first.api, body)).toMatchObject({ is_pan_verified: true });
    expect(await profileOf(later)).toMatchObject({ is_pan_verified: false });
  });

  it('gives a PAN to exactly one of three users who complete the eKYC in parallel on two replicas', async () => {
    for (let round = 0; round < 3; round++) {
      const { first, later, body } = await twoClaims();
      const third = await aUser();
      expectRefusal(await postPan(third.api, body), PanErrors.belongsToAnotherUser);
      const users = [first, later, third];
      for (const user of users) await proveByPhone(user);
      await inParallel(6, async (i) => {
        const { api } = i < 3 ? service : replica;
        await as(api, users[i % 3]!).post(issuerPath('aravalli', 'v3/check-status'), {});
      });
      const isHolder = await Promise.all(
        users.map(async (user) => {
          const { is_pan_verified, is_ekyc_verified } = await profileOf(user);
          expect(is_ekyc_verified).toBe(is_pan_verified);
          return is_pan_verified;
        }),
      );
      expect(isHolder.filter(Boolean)).toHaveLength(1);
      const answers = await Promise.all(users.map(({ api }) => postPan(api, body)));
      expect(answers.map((answer) => answer.status === 200)).toEqual(isHolder);
    }
    recordEvidence('pan-taken-over', { rounds: 3, claims: 9, holders: 3 });
  });

  it.each(['take-over', 'expiry'])(
    'resets the eKYC of the first user when its page expires during the take-over, and the %s is first',
    async (which) => {
      const { first, later } = await twoClaims();
      await proveAtProvider(later.api);
      const { ekyc_request_id: id } = await status(first.api, 'nilgiri');
      await postpone(id!, 3_600);
      await finishEkyc(id!, 'expired');
      const acts = {
        // a busy machine may meet the limit of the wait for the lock
        'take-over': () => eventually(async () => void (await status(later.api))),
        expiry: () => poll(id!),
      };
      const order = which === 'expiry' ? [acts.expiry, acts['take-over']] : [acts['take-over'], acts.expiry];
      // PostgreSQL gives the lock of a row to those who wait for it in their order
      const { both } = await service.dataSource.transaction(async (held) => {
        await held.query('SELECT FROM onboarding.ekyc_requests WHERE id = $1 FOR UPDATE', [id]);
        const acting: Promise<void>[] = [];
        for (const act of order) {
          acting.push(act());
          await lockWaiters(service, acting.length);
        }
        return { both: Promise.all(acting) };
      });
      await both;
      expect(await stepsOf(first, 'nilgiri')).toMatchObject({ PAN: `DUE ${DUPLICATE}`, EKYC: 'LOCKED' });
      expect(await profileOf(later)).toMatchObject({ is_pan_verified: true });
    },
  );

  it('ends the open eKYC of the first user with the take-over, so that nobody polls it again', async () => {
    const { first, later } = await twoClaims();
    const { ekyc_request_id: id } = await status(first.api, 'nilgiri');
    await proveAtProvider(later.api);
    await status(later.api);
    expect(await requestOf(id!)).toEqual({ status: 'EXPIRED', state: 'SETTLED' });
    await poll(id!);
    expect(await stepsOf(first, 'nilgiri')).toMatchObject({ EKYC: 'LOCKED' });
  });

  it.each(['opened', 'refused'])(
    'resets the eKYC of the first user although a locker session is %s during the take-over',
    async (what) => {
      const { first, later } = await twoClaims();
      await proveAtProvider(later.api);
      const locker = issuerPath('kaveri', 'v1/document-locker/session');
      const opened = await first.api.post(locker, { consent_checked: true });
      const { url, session_id: session, ekyc_request_id: id } = opened.body.payload as LockerSessionPayload;
      if (what === 'refused') await finishLocker(url, 'deny');
      await status(later.api);
      expect(await stepsOf(first, 'kaveri')).toMatchObject({ EKYC: 'LOCKED' });
      // what a replica writes that read the request before the take-over
      const request = {
        ...(await service.app.get(EkycRequestsRepository).findById(id)),
        status: 'IN_PROGRESS',
      };
      const { code } = LockerErrors.consentDenied;
      const records = service.app.get(EkycRequestsRepository);
      if (what === 'opened') await records.recordStart(request as EkycRequest);
      else await records.recordFailureNow(request as EkycRequest, code);
      expect((await first.api.get(`${locker}/${session}`)).status).toBe(400);
      expect(await stepsOf(first, 'kaveri')).toMatchObject({ EKYC: 'LOCKED' });
    },
  );

  it('keeps a PAN with the first user if the later one verifies another PAN during the take-over', async () => {
    const { first, later } = await twoClaims();
    await proveAtProvider(later.api);
    const own = panBody();
    const { taking } = await service.dataSource.transaction(async (held) => {
      await held.query('SELECT FROM onboarding.identities WHERE user_id = $1 FOR UPDATE', [first.user_id]);
      const call = later.api
        .post(issuerPath('aravalli', 'v3/check-status'), {})
        .then(({ body }) => body as object);
      await lockWaiters(service, 1);
      await verifyPan(later.api, own);
      // wrapped in an object: awaiting the call itself would deadlock with the transaction
      return { taking: call };
    });
    await taking;
    expect(await profileOf(later)).toMatchObject({ pan: `XXXXXX${own.number.slice(6)}` });
    expect(await profileOf(first)).toMatchObject({ is_pan_verified: true });
    expect(await actionsOf(first)).not.toContain(`PAN_RELEASED ${DUPLICATE}`);
  });

  it('allows a PAN to be claimed by eKYC in a strict journey', async () => {
    const strict = await service.replica({ STRICT_JOURNEY: 'true' });
    const { later } = await twoClaims();
    const api = as(strict.api, later);
    await proveAtProvider(api);
    expect(await status(api)).toMatchObject({ is_ekyc_verified: true });
    expect(await profileOf(later)).toMatchObject({ is_pan_verified: true });
  });
});

describe('PAN that a document with only the year of birth has proved', () => {
  const LOCKER = issuerPath('kaveri', 'v1/document-locker/session');

  /** Completes an eKYC by a document of a person with the holder's name who was born in the same year. */
  async function proveYear({ api, phone }: User): Promise<void> {
    const { body } = await api.post(LOCKER, { consent_checked: true });
    const { url, session_id: id } = body.payload as { url: string; session_id: string };
    await finishLocker(url, 'birth_year', undefined, phone);
    expect([200, 400]).toContain((await api.get(`${LOCKER}/${id}`)).status);
  }

  it('moves the PAN to the user who proves the full date, also after a namesake of the same year has completed the eKYC', async () => {
    const { first: namesake, later: holder } = await twoClaims();
    await proveYear(namesake);
    expect(await profileOf(namesake)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
    await proveAtProvider(holder.api);
    expect(await status(holder.api)).toMatchObject({ is_ekyc_verified: true });
    expect(await profileOf(holder)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
    expect(await profileOf(namesake)).toMatchObject({ is_pan_verified: false, is_ekyc_verified: false });
    expect(await actionsOf(namesake)).toContain(`PAN_RELEASED ${DUPLICATE}`);
  });

  it('keeps the PAN with the user who has proved the year first, or the full date', async () => {
    for (const prove of [proveYear, (user: User) => proveByPhone(user).then(() => status(user.api))]) {
      const { first, later } = await twoClaims();
      await prove(first);
      await proveYear(later);
      expect(await profileOf(first)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
      expect(await profileOf(later)).toMatchObject({ is_pan_verified: false });
    }
  });

  it('keeps the PAN for good once its user proves the full date at another issuer', async () => {
    const { first, later } = await twoClaims();
    await proveYear(first);
    await proveByPhone(first);
    expect(await status(first.api)).toMatchObject({ is_ekyc_verified: true });
    await proveAtProvider(later.api);
    const path = issuerPath('aravalli', 'v3/check-status');
    expectRefusal(await later.api.post(path, {}), PanErrors.belongsToAnotherUser);
    expect(await profileOf(first)).toMatchObject({ is_pan_verified: true });
  });
});

describe('eKYC of the holder of one PAN', () => {
  it('requires the eKYC again for another PAN that the user verifies later', async () => {
    const { later } = await twoClaims();
    await proveAtProvider(later.api);
    const { ekyc_request_id: compared } = await status(later.api, 'nilgiri');
    await verifyPan(later.api);
    await finishEkyc(compared!, 'verified');
    for (const slug of ['aravalli', 'nilgiri']) {
      expect(await status(later.api, slug)).toMatchObject({
        is_ekyc_verified: false,
        ekyc_status: 'EXPIRED',
      });
      expect(await stepsOf(later, slug)).not.toMatchObject({ EKYC: 'DONE' });
    }
    expect(await profileOf(later)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: false });
  });

  it('ignores an eKYC once another user has taken over the PAN', async () => {
    const { first, later } = await twoClaims();
    await proveAtProvider(later.api);
    // completed at the provider before the takeover, seen by the service after it
    await proveAtProvider(first.api);
    await status(later.api);
    expect(await status(first.api)).toMatchObject({ is_ekyc_verified: false, ekyc_status: 'EXPIRED' });
    await verifyPan(first.api);
    expect(await status(first.api)).toMatchObject({ is_ekyc_verified: false });
    expect(await profileOf(first)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: false });
  });
});

describe('data that depends on a PAN taken over', () => {
  it('undoes answers of issuers and comparisons of accounts for the user who lost the PAN', async () => {
    const { first, later } = await twoClaims();
    expect((await first.api.post(issuerPath('aravalli', 'v2/check-etb'), {})).status).toBe(200);
    const { full_name } = await profileOf(first);
    const bank = { ...bankBody({ account_holder_full_name: full_name! }), issuer_code: 'ARAVFIN' };
    expect([200, 201]).toContain((await postBank(first.api, bank)).status);
    expect(await profileOf(first)).toMatchObject({ is_bank_verified: true });
    expect(await stepsOf(first)).toMatchObject({ BANK: 'DONE' });

    await proveAtProvider(later.api);
    await status(later.api);
    expect(await profileOf(first)).toMatchObject({ is_pan_verified: false, is_bank_verified: false });
    expect(await stepsOf(first)).toMatchObject({ BANK: 'LOCKED' });
    const repeated = await postBank(first.api, bank);
    expect([repeated.status, payloadOf(repeated)]).toEqual([
      200,
      expect.objectContaining({ is_bank_verified: true, is_synced: false, issuer_reference: null }),
    ]);
    const read = payloadOf(await getVerification(first.api, payloadOf(repeated).verification_id));
    expect(read).toMatchObject({ is_synced: false, issuer_reference: null });
    expect(
      await service.dataSource.query('SELECT 1 FROM onboarding.existing_customers WHERE user_id = $1', [
        first.user_id,
      ]),
    ).toEqual([]);
  });
});

it('deletes a claim after 30 days without an eKYC', async () => {
  const { later } = await twoClaims();
  const age = (days: number) =>
    service.dataSource.query(
      'UPDATE onboarding.contested_identities SET verified_at = now() - make_interval(days => $2) WHERE user_id = $1',
      [later.user_id, days],
    );
  const isKept = async () => {
    await service.app.get(Jobs).runCleanup();
    const rows: unknown[] = await service.dataSource.query(
      'SELECT 1 FROM onboarding.contested_identities WHERE user_id = $1',
      [later.user_id],
    );
    return rows.length === 1;
  };
  await age(29);
  expect(await isKept()).toBe(true);
  await age(30);
  expect(await isKept()).toBe(false);
});

it('moves a claim to the next PAN that belongs to another user', async () => {
  const { later } = await twoClaims();
  const other = await aUser();
  const { number } = await verifyPan(other.api, panBody(aPan()));
  expectRefusal(await postPan(later.api, panBody(number)), PanErrors.belongsToAnotherUser);
  await proveAtProvider(later.api);
  await status(later.api);
  expect(await profileOf(later)).toMatchObject({ pan: `XXXXXX${number.slice(6)}` });
  expect(await profileOf(other)).toMatchObject({ is_pan_verified: false });
});

describe('pan release command', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const run = (input: string, ...args: string[]) => runPan(service, input, 'release', ...args);

  it.each(['--user', 'standard input'])(
    'releases a PAN by %s from a user whose eKYC is verified, and another user may verify it',
    async (by) => {
      const [first, later] = [await logIn(service), await logIn(service)];
      const [api, others] = [as(service.api, first), as(service.api, later)];
      const body = panBody();
      const { verification_id: verification } = await verifyPan(api, body);
      const { body: status } = await api.post(issuerPath('aravalli', 'v3/check-status'), {});
      await finishEkyc(status.payload.ekyc_request_id as string, 'verified');
      await api.post(issuerPath('aravalli', 'v3/check-status'), {});
      const line =
        by === '--user'
          ? await run('', '--user', first.user_id, ...WHO)
          : await run(`${body.number}\n`, ...WHO);
      expect(line).toMatch(
        new RegExp(`^released\t${first.user_id}\tXXXXXX${body.number.slice(6)}\t${verification}\t\\S+Z\n$`),
      );
      const released = (await trailOf(service, first.user_id)).at(-1)!;
      expect([shortOf(released), released.actor, released.objectId]).toEqual([
        'PAN_RELEASED TICKET_4711',
        'operator:pan release by asha-rao',
        verification,
      ]);
      const { body: profile } = await api.get('/api/v1/user-profile');
      expect(profile.payload).toMatchObject({ pan: null, is_pan_verified: false, is_ekyc_verified: false });
      const { body: journey } = await api.get(issuerPath('aravalli', 'v1/journey'));
      expect(journey.payload.steps).toContainEqual(
        expect.objectContaining({ step: 'EKYC', status: 'LOCKED' }),
      );
      // the operator's reason is for the audit trail only
      expect(journey.payload.steps).toContainEqual(
        expect.objectContaining({ step: 'PAN', status: 'DUE', reason: 'PAN_RELEASED' }),
      );
      await verifyPan(others, body);
      expectRefusal(await postPan(api, body), PanErrors.belongsToAnotherUser);
    },
  );

  it('shows a PAN verified later only under its own id', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const { verification_id: former } = await verifyPan(api);
    await run('', '--user', user.user_id, ...WHO);
    expectRefusal(await getPan(api, former), GeneralErrors.recordUnknown);
    await service.dataSource.query(
      `UPDATE onboarding.pan_checks SET settled_at = settled_at - interval '1 minute' WHERE id = $1`,
      [former],
    );
    const { verification_id: present } = await verifyPan(api);
    expectRefusal(await getPan(api, former), GeneralErrors.recordUnknown);
    expect((await getPan(api, present)).status).toBe(200);
  });

  it.each<[string, string, string[], RegExp]>([
    ['a missing operator name', '', ['--reason', 'X_1'], /--by/],
    ['no reason', '', ['--by', 'asha'], /--reason/],
    ['a reason in words', '', ['--by', 'asha', '--reason', 'he said so'], /--reason/],
    ['an invalid user id', '', ['--user', '7', ...WHO], /--user must be/],
    [
      'a PAN beside a user',
      'ABCPE1234F',
      ['--user', crypto.randomUUID(), ...WHO],
      /--user or a PAN, not both/,
    ],
    [
      'a file beside a user',
      '',
      ['--user', crypto.randomUUID(), '--file', '/dev/null', ...WHO],
      /--user or a PAN, not both/,
    ],
    ['a reason with a PAN', '', ['--by', 'asha', '--reason', 'PAN_ABCPE1234F'], /--reason must hold no PAN/],
    [
      'a reason with a phone',
      '',
      ['--by', 'asha', '--reason', 'CALL_919876543210'],
      /--reason must hold no PAN/,
    ],
    ['a user without a PAN', '', ['--user', crypto.randomUUID(), ...WHO], /This user has no PAN/],
    ['no PAN', 'ABCDE', WHO, /on standard input/],
    ['a PAN of no user', aPan(), WHO, /No user has this PAN/],
  ])('refuses %s', async (_name, input, args, message) => {
    await expect(run(input, ...args)).rejects.toThrow(message);
  });

  it.each<[string, string, string[]]>([
    ['a PAN beside a user', 'ABCPE1234F', ['--user', crypto.randomUUID()]],
    ['no PAN', 'ABCDE', []],
    ['a PAN of no user', aPan(), []],
  ])('records a release that is refused because of %s', async (_name, input, args) => {
    const before = await countRefusals(service, 'PAN_RELEASED');
    await expect(run(input, ...args, ...WHO)).rejects.toThrow();
    expect(await countRefusals(service, 'PAN_RELEASED')).toBe(before + 1);
  });

  it('records a release that is refused', async () => {
    const unknownId = crypto.randomUUID();
    await expect(run('', '--user', unknownId, ...WHO)).rejects.toThrow('This user has no PAN.');
    const events = await trailOf(service, unknownId);
    expect(events.map((event) => [shortOf(event), event.actor])).toEqual([
      ['PAN_RELEASED REFUSED TICKET_4711', 'operator:pan release by asha-rao'],
    ]);
  });
});

describe('pan release command with --to', () => {
  /** A user whose PAN is final, and two later ones whose eKYCs were too late. */
  const threeClaims = async () => {
    const { first, later: older, body } = await twoClaims();
    const later = await aUser();
    expectRefusal(await postPan(later.api, body), PanErrors.belongsToAnotherUser);
    await proveByPhone(first);
    await status(first.api);
    for (const { api } of [older, later]) {
      await proveAtProvider(api);
      await api.post(issuerPath('aravalli', 'v3/check-status'), {});
    }
    return { first, older, later, body };
  };
  const releaseTo = (from: User, to: string) =>
    runPan(service, '', 'release', '--user', from.user_id, '--to', to, ...WHO);

  it('gives the PAN to this claimant, and ends the claims of others', async () => {
    const { first, older, later, body } = await threeClaims();
    expect(await releaseTo(first, later.user_id)).toMatch(
      new RegExp(`^released\t${first.user_id}\t.*\ngiven\t${later.user_id}\n$`),
    );
    expect(await profileOf(later)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
    expect(await stepsOf(later)).toMatchObject({ PAN: 'DONE', EKYC: 'DONE' });
    const taken = (await trailOf(service, later.user_id)).find(({ action }) => action === 'PAN_TAKEN_OVER')!;
    expect(taken.actor).toBe('operator:pan release by asha-rao');
    // this proof is as good as that of the new user, from whom it would take the PAN
    await older.api.post(issuerPath('aravalli', 'v3/check-status'), {});
    expect(await profileOf(older)).toMatchObject({ is_pan_verified: false });
    expect(await profileOf(first)).toMatchObject({ is_pan_verified: false });
    expectRefusal(await postPan(older.api, body), PanErrors.belongsToAnotherUser);
    expect(await status(later.api)).toMatchObject({ is_ekyc_verified: true });
  });

  it.each(['a claim without an eKYC', 'the claim of another PAN', 'no claim', 'the PAN'])(
    'refuses a user with %s, records it, and changes nothing',
    async (has) => {
      const { first, later, body } = await twoClaims();
      const others = has === 'the claim of another PAN' ? await threeClaims() : undefined;
      const to = { 'no claim': randomUUID(), 'the PAN': first.user_id }[has] ?? later.user_id;
      await expect(releaseTo(first, others?.later.user_id ?? to)).rejects.toThrow(
        /The user of --to is blocked, has a PAN/,
      );
      expect(await verifyPan(first.api, body)).toMatchObject({ is_pan_verified: true });
      expect(await actionsOf(first)).toContain('PAN_RELEASED REFUSED TICKET_4711');
    },
  );

  it('refuses a blocked claimant', async () => {
    const { first, later } = await threeClaims();
    await runUsers(service, '', 'block', '--user', later.user_id, ...WHO);
    await expect(releaseTo(first, later.user_id)).rejects.toThrow(/is blocked/);
    expect(await profileOf(first)).toMatchObject({ is_pan_verified: true });
  });

  it('refuses an invalid id', async () => {
    const first = await aUser();
    await expect(releaseTo(first, '7')).rejects.toThrow(/--to must be the id of a user/);
  });
});

describe('message to a user whose PAN was taken over', () => {
  let service: TestService;
  let away: UsersApp;
  beforeAll(async () => {
    service = await startService({});
    const noProviders = { SMS_PRIMARY_URL: 'http://127.0.0.1:1', SMS_FALLBACK_URL: 'http://127.0.0.1:1' };
    away = await service.replica(noProviders);
    // the test itself runs the workers of these replicas
    for (const { app } of [service, away]) await app.get(Jobs).beforeApplicationShutdown();
  });
  afterAll(() => service.close());

  const send = ({ app }: UsersApp) => app.get(DurableCalls).advanceDue(app.get(PanNotices));
  const aNotice = async () => {
    const user = await logIn(service);
    await service.dataSource.query(
      'INSERT INTO onboarding.pan_notices (id, user_id, idempotency_key) VALUES ($1, $2, $1)',
      [randomUUID(), user.user_id],
    );
    const rows = (): Promise<{ state: string; tries: number }[]> =>
      service.dataSource.query('SELECT state, tries FROM onboarding.pan_notices WHERE user_id = $1', [
        user.user_id,
      ]);
    const messages = async () => (await inboxOf(user.phone)).filter(({ text }) => /eKYC/.test(text));
    const outcomes = async () =>
      (await trailOf(service, user.user_id)).map(shortOf).filter((action) => action.startsWith('PAN_NOTICE'));
    return { rows, messages, outcomes };
  };

  it('sends the message by one of two replicas once the SMS providers are back, and deletes it after 30 days', async () => {
    const { rows, messages, outcomes } = await aNotice();
    await send(away);
    expect(await rows()).toEqual([{ state: 'DUE', tries: 1 }]);
    expect(await messages()).toEqual([]);
    const replica = await service.replica();
    // its job would send this notice, or those of the next tests
    await replica.app.get(Jobs).beforeApplicationShutdown();
    await service.dataSource.query('UPDATE onboarding.pan_notices SET next_try_at = now()');
    await Promise.all([send(service), send(replica)]);
    expect(await rows()).toEqual([{ state: 'SENT', tries: 0 }]);
    expect([(await messages()).length, await outcomes()]).toEqual([1, ['PAN_NOTICE_SENT']]);
    await service.dataSource.query(
      "UPDATE onboarding.pan_notices SET settled_at = settled_at - interval '30 days'",
    );
    await service.app.get(Jobs).runCleanup();
    expect(await rows()).toEqual([]);
  });

  it('sends the message once by a vendor that takes as long as vendors do', async () => {
    const vendor = await ScriptedProvider.start();
    vendor.behaviour = (response) => setTimeout(() => BEHAVIOURS.accepts(response), timeLimit(1_500));
    const replica = await service.replica({
      SMS_PROVIDERS: 'primary',
      SMS_PRIMARY_URL: vendor.url,
      SMS_TIMEOUT_MS: '8000',
    });
    await replica.app.get(Jobs).beforeApplicationShutdown();
    const { rows } = await aNotice();
    await send(replica);
    expect(await rows()).toEqual([{ state: 'SENT', tries: 0 }]);
    expect(vendor.calls).toHaveLength(1);
    await vendor.stop();
  });

  it('gives the message up after a day, with an audit event', async () => {
    const { rows, messages, outcomes } = await aNotice();
    await service.dataSource.query(
      "UPDATE onboarding.pan_notices SET due_since = now() - interval '25 hours' WHERE state = 'DUE'",
    );
    await send(away);
    expect(await rows()).toEqual([{ state: 'ABANDONED', tries: 0 }]);
    expect([await messages(), await outcomes()]).toEqual([[], ['PAN_NOTICE_SENT FAILED']]);
  });
});
