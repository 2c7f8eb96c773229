import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  BookingCheckPayload,
  ConsentsPayload,
  EkycStatusPayload,
  UserProfilePayload,
} from '@fd/contracts';
import { BankErrors, ConsentErrors, PanErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import { AccountRequests } from '../../src/banking/account-requests.service.js';
import { IssuerDirectory } from '../../src/journey/steps/current-issuer.service.js';
import { IdentitiesRepository } from '../../src/kyc/pan/identities.repository.js';
import {
  afterBankWorker,
  bankBody,
  getVerification,
  handOverToBankWorker,
  payloadOf,
  postBank,
  verifyBank,
} from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { finishEkyc } from '../support/ekyc.js';
import { anAccount, ISSUER_CODES, issuerPath, type IssuerSlug } from '../support/issuers.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { decideNames, runPan, WHO } from '../support/operator.js';
import { knownAs, panBody, postPan, verifyPan } from '../support/pan.js';
import { answersJson } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';
import { withProvider } from '../support/with-own.js';

const HOLDER = 'Zubin Mistry';
const ANOTHER_PERSON = 'MEERA RANI REDDY';

describe('bank account verified before the PAN', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    // its worker competes for the same rows
    await service.replica();
  });
  afterAll(() => service.close());

  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    service.dataSource.query<Row[]>(sql, parameters);

  async function aUser() {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  }
  const bodyOf = (more: object = {}) => bankBody({ account_holder_full_name: HOLDER, ...more });
  const stepOf = async (userId: string, slug: IssuerSlug) =>
    (
      await query<{ state: string; reason: string | null }>(
        `SELECT state, reason FROM onboarding.journey_steps
          WHERE user_id = $1 AND issuer_slug = $2 AND step = 'BANK'`,
        [userId, slug],
      )
    )[0];
  const profileOf = async (api: ApiClient) =>
    ((await api.get('/api/v1/user-profile')).body as { payload: UserProfilePayload }).payload;
  const isBankMissing = async (api: ApiClient, slug: IssuerSlug) => {
    const response = await api.get(issuerPath(slug, 'v1/booking-check'));
    const { blockers } = (response.body as { payload: BookingCheckPayload }).payload;
    return blockers.some(({ step }) => step === 'BANK');
  };
  const syncOf = async (accountId: string) =>
    (
      await query<{ id: string; state: string }>(
        'SELECT id, state FROM onboarding.bank_syncs WHERE account_id = $1',
        [accountId],
      )
    )[0]!;
  /** Expects one call to the bank and one registration at each issuer. */
  const expectAskedOnce = async (account: string, ...slugs: IssuerSlug[]) => {
    for (const provider of ['bank', ...slugs.map((slug) => `issuer:${slug}`)])
      expect(await effectsOf(provider, account)).toMatchObject([{ calls: 1 }]);
  };

  const ISSUERS = ['aravalli', 'kaveri'] as const;

  /** A verified account of a user without a PAN, whose registration at Kaveri and Aravalli is requested. */
  async function anEarlyAccount(more: object = {}) {
    const user = await aUser();
    const body = bodyOf(more);
    const responses = [
      await postBank(user.api, { ...body, issuer_code: 'KAVSFB' }),
      await postBank(user.api, { ...body, issuer_code: 'ARAVFIN' }),
    ];
    const id = payloadOf(responses[0]!).verification_id;
    return { ...user, id, body, responses };
  }
  const WAITING = { state: 'IN_PROGRESS', reason: 'PAN_NOT_VERIFIED' };
  const DONE = { state: 'DONE', reason: null };
  const FAILED = { state: 'FAILED', reason: BankErrors.holderDiffers.code };
  const expectRegistered = async ({ user_id, body }: Awaited<ReturnType<typeof anEarlyAccount>>) => {
    for (const slug of ISSUERS)
      await eventually(async () => expect(await stepOf(user_id, slug)).toEqual(DONE));
    await expectAskedOnce(body.account, ...ISSUERS);
  };
  const expectNotRegistered = async (account: string) => {
    for (const slug of ISSUERS) expect(await effectsOf(`issuer:${slug}`, account)).toEqual([]);
  };

  // the longest first: Jest runs five at a time
  it.concurrent(
    'compares the holder with the PAN when the bank finishes its check after the PAN was verified',
    async () => {
      const user = await aUser();
      const body = bodyOf({ account: anAccount('0202'), issuer_code: 'ARAVFIN' });
      const pending = await postBank(user.api, body);
      expect(pending.status).toBe(202);
      await knownAs(service, user.user_id, ANOTHER_PERSON);
      const { verification_id: id } = payloadOf(pending);
      await eventually(async () =>
        expectRefusal(await getVerification(user.api, id), BankErrors.holderDiffers),
      );
      expect(await stepOf(user.user_id, 'aravalli')).toEqual(FAILED);
      expect(await effectsOf('issuer:aravalli', body.account)).toEqual([]);
    },
  );

  it.concurrent(
    'verifies the account, registers it nowhere, and names the PAN as the missing data of the step',
    async () => {
      const { api, user_id, id, body, responses } = await anEarlyAccount();
      await afterBankWorker(service, user_id);
      responses.push(await getVerification(api, id, { issuer_code: 'KAVSFB' }));
      for (const response of responses) {
        // nothing runs in the background, so there is nothing to poll
        expect([response.status, payloadOf(response)]).toEqual([
          200,
          expect.objectContaining({
            is_bank_verified: true,
            is_synced: false,
            issuer_reference: null,
            name_match: expect.objectContaining({ score: 100 }) as object,
          }),
        ]);
        expect(payloadOf(response)).not.toHaveProperty('pending_code');
      }
      for (const slug of ISSUERS) {
        expect(await stepOf(user_id, slug)).toEqual(WAITING);
        expect(await isBankMissing(api, slug)).toBe(true);
      }
      await expectNotRegistered(body.account);
      expect(await profileOf(api)).toMatchObject({ is_bank_verified: false, bank: null });
    },
  );

  it.concurrent.each(['at once', 'three days later'])(
    'registers the account without another call when the PAN, %s, names the holder',
    async (when) => {
      const early = await anEarlyAccount();
      if (when !== 'at once')
        await query(
          `UPDATE onboarding.bank_syncs SET due_since = due_since - interval '3 days',
                  next_try_at = next_try_at - interval '3 days' WHERE account_id = $1`,
          [early.id],
        );
      await knownAs(service, early.user_id, 'ZUBIN MISTRY');
      await expectRegistered(early);
    },
  );

  const withdrawAll = async (api: ApiClient): Promise<void> => {
    const { body } = await api.get('/api/v1/consents');
    for (const { consent_id } of (body as { payload: ConsentsPayload }).payload.consents)
      await api.post(`/api/v1/consents/${consent_id}/withdraw`, {});
  };

  const agreeAgain = (api: ApiClient) =>
    api.post('/api/v1/consents', { purpose: 'TERMS_OF_USE', notice_version: '2026-11' });

  it.concurrent(
    'ends a registration whose consent was withdrawn meanwhile, until the user sends the account again',
    async () => {
      const early = await anEarlyAccount();
      await withdrawAll(early.api);
      await knownAs(service, early.user_id, HOLDER);
      for (const slug of ISSUERS)
        await eventually(async () =>
          expect(await stepOf(early.user_id, slug)).toEqual({
            state: 'FAILED',
            reason: ConsentErrors.withdrawn.code,
          }),
        );
      await expectNotRegistered(early.body.account);
      await agreeAgain(early.api);
      for (const issuer_code of ['KAVSFB', 'ARAVFIN'])
        await postBank(early.api, { ...early.body, issuer_code });
      await expectRegistered(early);
    },
  );

  it.concurrent(
    'asks no bank about an account whose consent was withdrawn before the worker took it',
    async () => {
      const user = await aUser();
      const body = bodyOf({ issuer_code: 'ARAVFIN' });
      const requests = service.app.get(AccountRequests);
      await withdrawAll(user.api);
      // its bank is not asked for three seconds
      await requests.requestVerification(
        { userId: user.user_id, account: body.account, ifsc: body.ifsc, holderName: HOLDER },
        service.app.get(IssuerDirectory).bySlug('aravalli'),
      );
      await eventually(async () =>
        expect(await stepOf(user.user_id, 'aravalli')).toEqual({
          state: 'FAILED',
          reason: ConsentErrors.withdrawn.code,
        }),
      );
      expect(await effectsOf('bank', body.account)).toEqual([]);
      await agreeAgain(user.api);
      expect((await postBank(user.api, body)).status).toBe(200);
    },
  );

  it.concurrent(
    'drops the registrations without another call when the PAN names another person',
    async () => {
      const { user_id, body } = await anEarlyAccount();
      await knownAs(service, user_id, ANOTHER_PERSON);
      for (const slug of ISSUERS)
        await eventually(async () => expect(await stepOf(user_id, slug)).toEqual(FAILED));
      await expectNotRegistered(body.account);
    },
  );

  it.concurrent.each([HOLDER, ANOTHER_PERSON])(
    'registers the account once, or not at all, when the PAN is verified at the same moment and names %s',
    async (panName) => {
      await inParallel(4, async (round) => {
        const user = await aUser();
        const body = bodyOf({ issuer_code: 'ARAVFIN' });
        const [response] = await Promise.all([
          postBank(user.api, body),
          sleep(round * 15).then(() => knownAs(service, user.user_id, panName)),
        ]);
        const isHolder = panName === HOLDER;
        expect(isHolder ? [200, 202] : [200, 400]).toContain(response.status);
        await handOverToBankWorker(service, user.user_id);
        await eventually(async () =>
          expect(await stepOf(user.user_id, 'aravalli')).toEqual(isHolder ? DONE : FAILED),
        );
        await afterBankWorker(service, user.user_id);
        expect(await effectsOf('issuer:aravalli', body.account)).toMatchObject(
          isHolder ? [{ calls: 1 }] : [],
        );
      });
    },
  );

  const ROUTES = ['GET /api/v1/bank/verification/{verification_id}', 'POST /api/v1/bank/sync-to-issuer'];
  const ask = (route: string, { api, id, body }: Awaited<ReturnType<typeof anEarlyAccount>>) =>
    route.startsWith('GET')
      ? getVerification(api, id, { issuer_code: 'ARAVFIN' })
      : postBank(api, { ...body, issuer_code: 'ARAVFIN' });

  it.concurrent.each(ROUTES)(
    'registers the account once at each issuer when the PAN names the holder, without another call to the bank, by %s',
    async (route) => {
      const early = await anEarlyAccount();
      const { api, body } = early;
      await knownAs(service, early.user_id, 'ZUBIN MISTRY');
      for (const response of await inParallel(3, () => ask(route, early)))
        expect([200, 202]).toContain(response.status);
      await eventually(async () => {
        const response = await ask(route, early);
        expect([response.status, payloadOf(response)]).toEqual([
          200,
          expect.objectContaining({ is_bank_verified: true, is_synced: true, issuer_code: 'ARAVFIN' }),
        ]);
      });
      await expectRegistered(early);
      for (const slug of ISSUERS) expect(await isBankMissing(api, slug)).toBe(false);
      expect(await profileOf(api)).toMatchObject({ is_bank_verified: true, bank: { ifsc: body.ifsc } });
    },
  );

  it.concurrent.each(ROUTES)(
    'refuses the account and registers it nowhere when the PAN names another person, by %s',
    async (route) => {
      const early = await anEarlyAccount();
      const { api, user_id, body } = early;
      await knownAs(service, user_id, ANOTHER_PERSON);
      for (const response of await inParallel(2, () => ask(route, early)))
        expectRefusal(response, BankErrors.holderDiffers);
      expect(await stepOf(user_id, 'aravalli')).toEqual(FAILED);
      expect(await isBankMissing(api, 'aravalli')).toBe(true);
      expect(await profileOf(api)).toMatchObject({ is_bank_verified: false, bank: null });
      // another name in the call makes no difference
      expectRefusal(
        await postBank(api, { ...body, account_holder_full_name: null }),
        BankErrors.holderDiffers,
      );
      expectRefusal(
        await postBank(api, { ...body, account_holder_full_name: ANOTHER_PERSON }),
        BankErrors.holderDiffers,
      );
      expectRefusal(await getVerification(api, early.id), BankErrors.holderDiffers);
      for (const slug of ISSUERS) expect(await stepOf(user_id, slug)).toEqual(FAILED);
      await expectNotRegistered(body.account);
      // an account in the PAN holder's name is accepted
      const own = bankBody({ account_holder_full_name: ANOTHER_PERSON, issuer_code: 'ARAVFIN' });
      expect((await postBank(api, own)).status).toBe(200);
      expect(await stepOf(user_id, 'aravalli')).toEqual(DONE);
    },
  );

  it.concurrent('compares the holder with the name that the PAN registry confirms', async () => {
    const { api, user_id, id } = await anEarlyAccount({ account_holder_full_name: 'Qwxyz Vbnmk' });
    await verifyPan(api);
    expectRefusal(await getVerification(api, id), BankErrors.holderDiffers);
    expect(await stepOf(user_id, 'aravalli')).toEqual(FAILED);
  });

  it.concurrent(
    'accepts another spelling that fits bank and PAN, and registers the account when the user requests it again',
    async () => {
      const { api, user_id, id, body } = await anEarlyAccount({
        account_holder_full_name: 'Asha Kumari Rao',
      });
      // similar enough to the name at the bank, but not to the PAN
      expect((await postBank(api, { ...body, account_holder_full_name: 'Asha Rao' })).status).toBe(200);
      await knownAs(service, user_id, 'ASHA KUMARI');
      expectRefusal(await getVerification(api, id), BankErrors.holderDiffers);
      const given = { ...body, account_holder_full_name: 'Asha Kumari Rao' };
      // bank and PAN match in part
      const slugs = ['aravalli', 'nilgiri'] as const;
      for (const slug of slugs) {
        const issuer_code = ISSUER_CODES[slug];
        const response = await postBank(api, { ...given, issuer_code });
        expect(payloadOf(response)).toMatchObject({ is_synced: false, issuer_code });
        expect(await stepOf(user_id, slug)).toEqual({ state: 'IN_PROGRESS', reason: 'BANK_NAME_IN_REVIEW' });
      }
      await decideNames(service, 'accept', id);
      await handOverToBankWorker(service, user_id);
      for (const slug of slugs)
        await eventually(async () => expect(await stepOf(user_id, slug)).toEqual(DONE));
      await expectAskedOnce(body.account, ...slugs);
    },
  );

  it.concurrent.each([['Gopal'], ['Gopal Venkataraman'], ['Gopal Mehta']])(
    'refuses %j when the PAN and the bank name different persons',
    async (name) => {
      const { api, user_id, id, body } = await anEarlyAccount({
        account_holder_full_name: 'Gopal Venkataraman',
      });
      await knownAs(service, user_id, 'GOPAL MEHTA');
      const given = { ...body, account_holder_full_name: name, issuer_code: 'NILHFC' };
      expectRefusal(await postBank(api, given), BankErrors.holderDiffers);
      expectRefusal(await getVerification(api, id), BankErrors.holderDiffers);
      expect(await stepOf(user_id, 'nilgiri')).toEqual(FAILED);
      expect(await effectsOf('issuer:nilgiri', body.account)).toEqual([]);
    },
  );

  it.concurrent(
    'refuses an account when only the name sent resembles both the PAN and the name at the bank',
    async () => {
      const { api, user_id, id, body } = await anEarlyAccount({
        account_holder_full_name: 'Gopal Venkataraman',
      });
      // a missing surname passes at the bank
      expect((await postBank(api, { ...body, account_holder_full_name: 'Gopal' })).status).toBe(200);
      await knownAs(service, user_id, 'GOPAL MEHTA');
      expectRefusal(await getVerification(api, id), BankErrors.holderDiffers);
      expect(await stepOf(user_id, 'aravalli')).toEqual(FAILED);
    },
  );

  /** A verified account whose replica died before it registered the account; workers wait for `release()`. */
  async function anOpenRegistration(slug: IssuerSlug) {
    const user = await aUser();
    const { verification_id: id, number } = await verifyBank(user.api, bodyOf());
    const issuer = service.app.get(IssuerDirectory).bySlug(slug);
    const { registration } = (await service.app
      .get(AccountRequests)
      .acceptHolderName({ account: { id, userId: user.user_id }, isRecorded: false }, HOLDER, issuer))!;
    const lease = (seconds: number) =>
      query(
        `UPDATE onboarding.bank_syncs SET lease_id = $2, next_try_at = now(),
                leased_until = now() + make_interval(secs => $3) WHERE id = $1`,
        [registration!.id, randomUUID(), seconds],
      );
    await lease(3_600);
    return { ...user, id, account: number, syncId: registration!.id, release: () => lease(0) };
  }
  const accepted = (syncId: string, receipt: string) =>
    query("UPDATE onboarding.bank_syncs SET state = 'ACCEPTED', receipt = $2 WHERE id = $1", [
      syncId,
      receipt,
    ]);

  it.concurrent('drops an open, unsent registration when the PAN names another person', async () => {
    const { user_id, id, account, release } = await anOpenRegistration('nilgiri');
    await knownAs(service, user_id, ANOTHER_PERSON);
    await release();
    await eventually(async () => expect(await syncOf(id)).toMatchObject({ state: 'DROPPED' }));
    expect(await stepOf(user_id, 'nilgiri')).toEqual(FAILED);
    expect(await effectsOf('issuer:nilgiri', account)).toEqual([]);
  });

  it.concurrent(
    'sends an open registration and completes the step when the PAN names the holder',
    async () => {
      const { user_id, account, release } = await anOpenRegistration('nilgiri');
      await knownAs(service, user_id, HOLDER);
      await release();
      await eventually(async () => expect(await stepOf(user_id, 'nilgiri')).toEqual(DONE));
      await expectAskedOnce(account, 'nilgiri');
    },
  );

  it.concurrent(
    'follows a registration that the issuer decides on, and fails the step, when the PAN names another person',
    async () => {
      const { api, user_id, id, account, syncId, release } = await anOpenRegistration('kaveri');
      const response = await fetch(`${service.environment['ISSUER_API_URL']}/kaveri/cbs/beneficiaryAdd`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: 'Bearer key',
          'idempotency-key': randomUUID(),
        },
        body: JSON.stringify({
          header: { channel: 'TEST', txnRef: 't-1' },
          body: { benName: HOLDER, benAcctNo: account, benIfsc: 'HDFC0001234', custRef: user_id },
        }),
      });
      const { body } = (await response.json()) as { body: { ackNo: string } };
      await accepted(syncId, body.ackNo);
      await knownAs(service, user_id, ANOTHER_PERSON);
      expectRefusal(await getVerification(api, id), BankErrors.holderDiffers);
      await release();
      await eventually(async () => expect(await syncOf(id)).toMatchObject({ state: 'SYNCED' }));
      expect(await stepOf(user_id, 'kaveri')).toEqual(FAILED);
    },
  );

  it.concurrent('drops a registration that the issuer lost when the PAN names another person', async () => {
    const { api, user_id, id, account, syncId, release } = await anOpenRegistration('kaveri');
    await accepted(syncId, 'gone');
    await knownAs(service, user_id, ANOTHER_PERSON);
    expectRefusal(
      await getVerification(api, id, { issuer_code: ISSUER_CODES.kaveri }),
      BankErrors.holderDiffers,
    );
    await release();
    await eventually(async () => expect(await syncOf(id)).toMatchObject({ state: 'DROPPED' }));
    expect(await effectsOf('issuer:kaveri', account)).toEqual([]);
  });
});

interface Status {
  readonly payload: EkycStatusPayload;
}

type User = LoggedIn & { readonly api: ApiClient };

/** Creates a user with a PAN, and another one who can take it over. */
async function twoClaims(service: TestService) {
  const [first, later] = await Promise.all(
    ['first', 'later'].map(async () => {
      const user = await logIn(service);
      return { ...user, api: as(service.api, user) };
    }),
  );
  const body = panBody();
  const { full_name: panName } = await verifyPan(first!.api, body);
  expectRefusal(await postPan(later!.api, body), PanErrors.belongsToAnotherUser);
  const status = async () =>
    ((await later!.api.post(issuerPath('aravalli', 'v3/check-status'), {})).body as Status).payload;
  const { ekyc_request_id: id } = await status();
  const takeOver = async () => {
    await finishEkyc(id!, 'verified');
    await eventually(async () => expect(await status()).toMatchObject({ is_ekyc_verified: true }));
  };
  return { first: first!, panName, takeOver };
}

const accountOf = (service: TestService, id: string) =>
  service.dataSource.query<object[]>(
    `SELECT a.state, is_compared, s.state AS registration FROM onboarding.bank_accounts a
       JOIN onboarding.bank_syncs s ON s.account_id = a.id WHERE a.id = $1`,
    [id],
  );

/** Expects that an account waits for a PAN, and that it is refused once its user verifies that of another person. */
async function expectNotTrusted(service: TestService, { user_id, api }: User, id: string, account: string) {
  expect(await accountOf(service, id)).toEqual([
    { state: 'VERIFIED', is_compared: false, registration: 'DUE' },
  ]);
  expect(await effectsOf('issuer:aravalli', account)).toEqual([]);
  await knownAs(service, user_id, ANOTHER_PERSON);
  expectRefusal(await getVerification(api, id), BankErrors.holderDiffers);
  expect(await accountOf(service, id)).toMatchObject([{ state: 'MISMATCHED', registration: 'DROPPED' }]);
  expect(await effectsOf('issuer:aravalli', account)).toEqual([]);
}

describe('PAN that another user takes over during a comparison with its name', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it.concurrent(
    'does not compare a PAN that was taken over with an account whose bank answered before',
    withProvider(
      (url) => ({ BANK_VERIFICATION_URL: url }),
      async ({ service, provider: bank }) => {
        bank.behaviour = answersJson(202, { verification_id: 'v-1', status: 'PROCESSING' });
        const { first, panName, takeOver } = await twoClaims(service);
        const account = anAccount();
        const given = { account, account_holder_full_name: panName, issuer_code: 'ARAVFIN' };
        const pending = await postBank(first.api, bankBody(given));
        expect(pending.status).toBe(202);
        const { verification_id: id } = payloadOf(pending);
        const holding = service.dataSource.createQueryRunner();
        try {
          await holding.startTransaction();
          const [{ pid }] = (await holding.query('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
          await holding.query('SELECT FROM onboarding.users WHERE id = $1 FOR NO KEY UPDATE', [
            first.user_id,
          ]);
          bank.behaviour = answersJson(200, {
            verification_id: 'v-1',
            status: 'COMPLETED',
            result: 'VALID',
            name_at_bank: panName,
            bank_name: 'HDFC Bank',
          });
          // the worker has the bank's answer
          await eventually(async () => {
            // one that has waited for too long pauses for a minute
            await handOverToBankWorker(service, first.user_id);
            expect(
              await service.dataSource.query<object[]>(
                'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
                [pid],
              ),
            ).toHaveLength(1);
          });
          await takeOver();
          await holding.commitTransaction();
        } finally {
          await holding.release();
        }
        await eventually(async () => {
          // a worker that has waited for too long pauses for a minute
          await handOverToBankWorker(service, first.user_id);
          expect(await accountOf(service, id)).toMatchObject([{ state: 'VERIFIED' }]);
        });
        await expectNotTrusted(service, first, id, account);
      },
    ),
  );

  it.concurrent('withdraws the account that was registered with the name of a PAN taken over', async () => {
    const { first, panName, takeOver } = await twoClaims(service);
    const given = { account_holder_full_name: panName, issuer_code: 'ARAVFIN' };
    const { number: account, is_synced } = await verifyBank(first.api, given);
    expect(is_synced).toBe(true);
    await takeOver();
    await eventually(async () =>
      expect((await effectsOf('issuer:aravalli', account)).map(({ kind }) => kind)).toContain(
        'account_withdrawal',
      ),
    );
  });

  it.concurrent(
    'does not compare a PAN that is released between read and lock with an account verified before it',
    async () => {
      const user = await logIn(service);
      const api = as(service.api, user);
      const panName = 'ZUBIN MISTRY';
      const given = { account_holder_full_name: panName, issuer_code: 'ARAVFIN' };
      const { verification_id: id, number: account } = await verifyBank(api, given);
      const identities = service.app.get(IdentitiesRepository);
      const find = identities.findByUserId.bind(identities);
      let released: Promise<string> | undefined;
      const reading = jest
        .spyOn(identities, 'findByUserId')
        .mockImplementation(async (userId, connection) => {
          const found = await find(userId, connection);
          if (userId === user.user_id && found && !connection) {
            released ??= runPan(service, '', 'release', '--user', userId, ...WHO);
            await released;
          }
          return found;
        });
      try {
        await knownAs(service, user.user_id, panName);
        await getVerification(api, id);
        expect(await released).toMatch(/^released/);
      } finally {
        reading.mockRestore();
      }
      await expectNotTrusted(service, { ...user, api }, id, account);
    },
  );
});
