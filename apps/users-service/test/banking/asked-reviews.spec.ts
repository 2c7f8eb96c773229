import type {
  BookingCheckPayload,
  ConsentsPayload,
  UserDataExportPayload,
  UserProfilePayload,
} from '@fd/contracts';
import { BankErrors, ConsentErrors, GeneralErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import { shortOf, trailOf } from '../support/audit.js';
import {
  afterBankWorker,
  bankBody,
  getVerification,
  handOverToBankWorker,
  payloadOf,
  postBank,
} from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount, ISSUER_CODES, issuerPath, type IssuerSlug } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { decideNames, namesToken, runBank, runPan, runUsers, WHO } from '../support/operator.js';
import { knownAs } from '../support/pan.js';
import { kindsOf, RegisteredUsers } from '../support/registered-users.js';
import { answersJson, BEHAVIOURS } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';
import { withProvider } from '../support/with-own.js';

const PAN_NAME = 'Zubin Mistry';
/** The name at the sandbox's bank of accounts that end in 1055. */
const AT_BANK = 'Gopal Venkataraman';
/** Resembles neither of them, nor each other. */
const OTHERS = ['Meera Rani Reddy', 'Farhan Qureshi', 'Lobsang Tenzin', 'Nikhil Joshi', 'Tara Banerjee'];
const OTHER = OTHERS[0]!;

const IN_REVIEW = ['IN_PROGRESS', 'BANK_NAME_IN_REVIEW'];
const FAILED = ['FAILED', BankErrors.holderDiffers.code];
const DONE = ['DONE', null];
const ASK = { ask_for_review: true };

/** Makes registrations due now: who finds nothing to send keeps the lease until it expires. */
const releaseLeases = ({ dataSource }: UsersApp, accountId: string) =>
  dataSource.query(
    'UPDATE onboarding.bank_syncs SET next_try_at = now(), leased_until = NULL, lease_id = NULL WHERE account_id = $1',
    [accountId],
  );

/** The message of a refused name. */
const messageOf = (response: Response): string =>
  (response.body as { error: { f_error_message: string }[] }).error[0]!.f_error_message;
const HINT = 'If the account is yours, you can ask for a review by a person (ask_for_review).';

function expectInReview(response: Response) {
  expect([response.status, payloadOf(response)]).toMatchObject([
    202,
    {
      is_bank_verified: false,
      is_synced: false,
      issuer_reference: null,
      name_match: { band: 'MISMATCH' },
      pending_code: BankErrors.pending.code,
    },
  ]);
}

describe('bank account whose names differ and whose user asks for a review', () => {
  let service: TestService;
  let other: UsersApp;
  let users: RegisteredUsers;
  beforeAll(async () => {
    service = await startService();
    // its worker competes for the same rows
    other = await service.replica();
    users = new RegisteredUsers(service);
  });
  afterAll(() => service.close());

  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    service.dataSource.query<Row[]>(sql, parameters);

  async function aUser(panName?: string) {
    const user = await logIn(service);
    if (panName !== undefined) await knownAs(service, user.user_id, panName);
    return { ...user, api: as(service.api, user) };
  }
  type User = Awaited<ReturnType<typeof aUser>>;

  const stepOf = async ({ api }: { api: ApiClient }, slug: IssuerSlug = 'aravalli') => {
    const { body: journey } = await api.get(issuerPath(slug, 'v1/journey'));
    const steps = journey.payload.steps as { step: string; status: string; reason: string | null }[];
    const { status, reason } = steps.find((one) => one.step === 'BANK')!;
    return [status, reason];
  };
  const eventuallyStep = (user: User, step: unknown[], slug?: IssuerSlug) =>
    eventually(async () => expect(await stepOf(user, slug)).toEqual(step));
  const isListed = async (id: string) => (await runBank(service, 'reviews', ...WHO)).includes(id);
  const mismatchesOf = ({ user_id }: User) =>
    query('SELECT 1 FROM onboarding.bank_mismatches WHERE user_id = $1', [user_id]);
  const registrationsAt = async (slug: IssuerSlug, account: string) =>
    (await kindsOf(slug, account)).filter(([kind]) => kind === 'account_registration');

  interface Kind {
    readonly account: () => string;
    readonly name: string;
    readonly atBank: string;
  }
  /** The two kinds of names that differ. */
  const KINDS: readonly (readonly [what: string, kind: Kind])[] = [
    [
      'the given name differs from the PAN',
      { account: () => anAccount(), name: OTHER, atBank: OTHER.toUpperCase() },
    ],
    [
      'the bank has another name',
      { account: () => anAccount('1055'), name: PAN_NAME, atBank: AT_BANK.toUpperCase() },
    ],
  ];

  /** An account in review, by default one whose given name differs from the PAN. */
  async function aReview(slug: IssuerSlug | null = 'aravalli', { account, name }: Kind = KINDS[0]![1]) {
    const user = await aUser(PAN_NAME);
    const body = bankBody({
      account: account(),
      account_holder_full_name: name,
      ...(slug && { issuer_code: ISSUER_CODES[slug] }),
    });
    const response = await postBank(user.api, { ...body, ...ASK });
    const { verification_id: id } = payloadOf(response);
    return { ...user, body, response, id };
  }

  // the longest first: Jest runs five at a time
  it.concurrent('waits for an operator when the worker gets the answer of the bank', async () => {
    const user = await aUser(PAN_NAME);
    const body = bankBody({
      account: anAccount('0202'),
      account_holder_full_name: OTHER,
      issuer_code: 'ARAVFIN',
    });
    const pending = await postBank(user.api, { ...body, ...ASK });
    expect([pending.status, payloadOf(pending).name_match]).toEqual([202, null]);
    // a repeat that does not ask again does not take the request back
    expect((await postBank(user.api, body)).status).toBe(202);
    await eventuallyStep(user, IN_REVIEW);
    expectInReview(await getVerification(user.api, payloadOf(pending).verification_id));
    expect(await mismatchesOf(user)).toHaveLength(1);
  });

  it.concurrent.each(KINDS)(
    'is verified at the bank, shown to an operator and registered nowhere, if %s',
    async (_what, kind) => {
      const { user_id, api, body, response, id } = await aReview('aravalli', kind);
      const { name, atBank } = kind;
      expectInReview(response);
      expect(await effectsOf('bank', body.account)).toMatchObject([{ calls: 1 }]);
      expect(await stepOf({ api })).toEqual(IN_REVIEW);
      // neither repeats nor the workers register it
      for (const again of [await postBank(api, body), await postBank(api, { ...body, ...ASK })])
        expectInReview(again);
      await query('UPDATE onboarding.bank_syncs SET next_try_at = now() WHERE account_id = $1', [id]);
      await afterBankWorker(service, user_id);
      expectInReview(await getVerification(api, id, { issuer_code: 'ARAVFIN' }));
      expect(await effectsOf('issuer:aravalli', body.account)).toEqual([]);
      expect(await isListed(id)).toBe(true);
      const names = await runBank(service, 'names', '--verification', id, ...WHO);
      expect(names).toContain(`\ngiven\t${name}\nat the bank\t${atBank}\nof the PAN\t${PAN_NAME}\n`);
      const profile = (await api.get('/api/v1/user-profile')).body as { payload: UserProfilePayload };
      expect(profile.payload).toMatchObject({ is_bank_verified: false, bank: null });
      const check = (await api.get(issuerPath('aravalli', 'v1/booking-check'))).body as {
        payload: BookingCheckPayload;
      };
      expect(check.payload.blockers.map(({ step }) => step)).toContain('BANK');
      // the name at the bank may be another person's
      const { data } = JSON.parse(
        await runUsers(service, '', 'export', '--user', user_id, ...WHO),
      ) as UserDataExportPayload;
      expect(data['bank_accounts']).toMatchObject([
        { state: 'MISMATCHED', name_at_bank: null, name_match: null },
      ]);
    },
  );

  it.concurrent.each(KINDS)(
    'is registered once an operator accepts the names, if %s',
    async (_what, kind) => {
      const { user_id, api, body, id, ...user } = await aReview('aravalli', kind);
      expect(await decideNames(service, 'accept', id)).toBe(`accepted\t${id}\n`);
      await eventuallyStep({ ...user, user_id, api }, DONE);
      for (const response of [
        await getVerification(api, id),
        await postBank(api, body),
        await postBank(api, { ...body, ...ASK }),
      ])
        expect([response.status, payloadOf(response)]).toMatchObject([
          200,
          { is_bank_verified: true, is_synced: true, name_match: { band: 'MISMATCH' } },
        ]);
      expect(await kindsOf('aravalli', body.account)).toEqual([['account_registration', 1]]);
      expect(await effectsOf('bank', body.account)).toMatchObject([{ calls: 1 }]);
      // another issuer gets it without another decision
      expect(payloadOf(await postBank(api, { ...body, issuer_code: 'NILHFC' })).is_synced).toBe(true);
      expect(await isListed(id)).toBe(false);
      const actions = (await trailOf(service, user_id)).map(shortOf);
      expect(actions).toContain('BANK_NAMES_ACCEPTED TICKET_4711');
      // another name is another question
      expectRefusal(
        await postBank(api, { ...body, account_holder_full_name: OTHERS[1], ...ASK }),
        BankErrors.holderDiffers,
      );
      expect((await getVerification(api, id)).status).toBe(200);
    },
  );

  it.concurrent.each(KINDS)(
    'is refused for good once an operator refuses the names, if %s',
    async (_what, kind) => {
      const user = await aReview('aravalli', kind);
      const { api, body, id } = user;
      expect(await decideNames(service, 'refuse', id)).toBe(`refused\t${id}\n`);
      for (const response of [
        await getVerification(api, id),
        await postBank(api, body),
        await postBank(api, { ...body, ...ASK }),
        await postBank(api, { ...body, ifsc: 'HDFC0009999', ...ASK }),
        await postBank(api, { ...body, account: `0${body.account}`, ...ASK }),
      ]) {
        expectRefusal(response, BankErrors.holderDiffers);
        // nobody looks at it again
        expect(messageOf(response)).not.toContain('ask_for_review');
      }
      expect(await stepOf(user)).toEqual(FAILED);
      await afterBankWorker(service, user.user_id);
      expect(await effectsOf('issuer:aravalli', body.account)).toEqual([]);
      const waiting = await query(
        "SELECT FROM onboarding.bank_accounts WHERE user_id = $1 AND name_review = 'WAITING'",
        [user.user_id],
      );
      expect(waiting).toEqual([]);
    },
  );

  it.concurrent('is refused without the request, and told how to ask', async () => {
    const user = await aUser(PAN_NAME);
    let step = FAILED;
    for (const [, { account, name }] of KINDS) {
      const body = bankBody({ account: account(), account_holder_full_name: name, issuer_code: 'ARAVFIN' });
      for (const ask_for_review of [undefined, false, null]) {
        const refused = await postBank(user.api, { ...body, ask_for_review });
        expectRefusal(refused, BankErrors.holderDiffers);
        expect(messageOf(refused)).toBe(`${BankErrors.holderDiffers.message} ${HINT}`);
      }
      expect(await stepOf(user)).toEqual(step);
      // a later request still reaches an operator
      expectInReview(await postBank(user.api, { ...body, ...ASK }));
      // which the step waits for, whatever becomes of another account
      step = IN_REVIEW;
    }
    // the name that differed from the PAN was not compared with the bank's before
    expect(await mismatchesOf(user)).toHaveLength(5);
  });

  it.concurrent('is verified as usual when the names match', async () => {
    const user = await aUser(PAN_NAME);
    const body = bankBody({ account_holder_full_name: PAN_NAME, issuer_code: 'ARAVFIN' });
    expect(payloadOf(await postBank(user.api, { ...body, ...ASK }))).toMatchObject({ is_synced: true });
    // and keeps its names when another one is given
    expectRefusal(
      await postBank(user.api, { ...body, account_holder_full_name: OTHER, ...ASK }),
      BankErrors.holderDiffers,
    );
    expect(payloadOf(await postBank(user.api, body))).toMatchObject({
      is_bank_verified: true,
      is_synced: true,
    });
    expect(await mismatchesOf(user)).toHaveLength(1);
  });

  it.concurrent('refuses another name without the request, which changes nothing', async () => {
    const { api, body, id, ...user } = await aReview();
    const token = await namesToken(service, id);
    const another = await postBank(api, {
      ...body,
      account: body.account,
      account_holder_full_name: OTHERS[1],
    });
    expectRefusal(another, BankErrors.holderDiffers);
    expectInReview(await postBank(api, body));
    expect(await stepOf({ api })).toEqual(IN_REVIEW);
    expect(await namesToken(service, id)).toBe(token);
    expect(await mismatchesOf({ ...user, api })).toHaveLength(1);
  });

  it.concurrent('shows the operator another name that is given with the request', async () => {
    const { api, body, id, ...user } = await aReview();
    const token = await namesToken(service, id);
    expectInReview(await postBank(api, { ...body, account_holder_full_name: OTHERS[1], ...ASK }));
    for (const action of ['accept', 'refuse'])
      await expect(runBank(service, action, '--verification', id, '--names', token, ...WHO)).rejects.toThrow(
        /read them again/,
      );
    expect(await mismatchesOf({ ...user, api })).toHaveLength(2);
    await decideNames(service, 'accept', id);
    await eventuallyStep({ ...user, api }, DONE);
  });

  it.concurrent.each([
    ['as a whole', PAN_NAME, 200],
    ['in part', 'Zubin', 202],
  ])(
    'ends the review of names that differ when a name is given that matches %s',
    async (_how, name, status) => {
      const user = await aUser(PAN_NAME);
      // the bank knows the holder by the first name that it gets
      const body = bankBody({ account_holder_full_name: PAN_NAME, issuer_code: 'ARAVFIN' });
      await postBank(user.api, body);
      const { verification_id: id } = payloadOf(await postBank(user.api, body));
      await query(
        `UPDATE onboarding.bank_accounts SET state = 'MISMATCHED', name_review = 'WAITING', is_review_asked = true WHERE id = $1`,
        [id],
      );
      await query(
        "UPDATE onboarding.bank_syncs SET state = 'DUE', settled_at = NULL, reference = NULL WHERE account_id = $1",
        [id],
      );
      const response = await postBank(user.api, { ...body, account_holder_full_name: name });
      expect([response.status, payloadOf(response).is_bank_verified]).toEqual([status, true]);
      expect(await isListed(id)).toBe(status === 202);
      if (status === 202) await decideNames(service, 'accept', id);
      await handOverToBankWorker(service, user.user_id);
      await eventually(async () =>
        expect(payloadOf(await getVerification(user.api, id)).is_synced).toBe(true),
      );
    },
  );

  describe('limit of names that differ', () => {
    const guess = (api: ApiClient, name: string, account: string) =>
      postBank(api, bankBody({ account, account_holder_full_name: name, ...ASK }));

    it.concurrent('counts each name of a user, and no repeat', async () => {
      const user = await aUser(PAN_NAME);
      for (const name of OTHERS) {
        const account = anAccount();
        expectInReview(await guess(user.api, name, account));
        expectInReview(await guess(user.api, name, account));
      }
      expect(await mismatchesOf(user)).toHaveLength(5);
      const account = anAccount();
      expectRefusal(await guess(user.api, 'Imran Sheikh', account), GeneralErrors.tooManyRequests);
      expect(await effectsOf('bank', account)).toEqual([]);
    });

    it.concurrent(
      'counts each name for an account, for all users, with those that were refused',
      async () => {
        const account = anAccount('1055');
        for (const [i, name] of OTHERS.entries()) {
          const user = await aUser();
          const response = await postBank(
            user.api,
            bankBody({ account, account_holder_full_name: name, ask_for_review: i % 2 === 0 }),
          );
          if (i % 2 === 0) expectInReview(response);
          else expectRefusal(response, BankErrors.holderDiffers);
        }
        expectRefusal(await guess((await aUser()).api, AT_BANK, account), GeneralErrors.tooManyRequests);
      },
    );

    it('compares five of many names that are given at once on two replicas', async () => {
      const user = await aUser();
      const account = anAccount('1055');
      const names = [...OTHERS, 'Imran Sheikh', 'Asha Rao', PAN_NAME];
      const answers = await inParallel(names.length, (i) =>
        guess(i % 2 ? user.api : as(other.api, user), names[i]!, account),
      );
      const inReview = answers.filter(({ status }) => status !== 429);
      for (const answer of inReview) expectInReview(answer);
      // a name that a parallel call replaces before it is answered is compared, and counted, again
      expect([4, 5]).toContain(inReview.length);
      expect(await mismatchesOf(user)).toHaveLength(5);
      const rows = await query('SELECT state, name_review FROM onboarding.bank_accounts WHERE user_id = $1', [
        user.user_id,
      ]);
      expect(rows).toEqual([{ state: 'MISMATCHED', name_review: 'WAITING' }]);
    });
  });

  describe('at several issuers', () => {
    it.concurrent.each(['accept', 'refuse'] as const)(
      'follows the decision to %s at each',
      async (action) => {
        const user = await aReview('aravalli');
        const { api, body, id } = user;
        expectInReview(await postBank(api, { ...body, issuer_code: 'KAVSFB' }));
        for (const slug of ['aravalli', 'kaveri'] as const)
          expect(await stepOf(user, slug)).toEqual(IN_REVIEW);
        await decideNames(service, action, id);
        for (const slug of ['aravalli', 'kaveri'] as const) {
          await eventuallyStep(user, action === 'accept' ? DONE : FAILED, slug);
          expect(await registrationsAt(slug, body.account)).toHaveLength(action === 'accept' ? 1 : 0);
        }
      },
    );

    it.concurrent('is registered at the issuer that the user chooses while it waits', async () => {
      const user = await aReview(null);
      const { api, body, id } = user;
      expectInReview(user.response);
      await api.post(issuerPath('aravalli', 'v3/check-status'), {});
      await eventuallyStep(user, IN_REVIEW);
      await decideNames(service, 'accept', id);
      await eventuallyStep(user, DONE);
      expect(await registrationsAt('aravalli', body.account)).toHaveLength(1);
    });

    it.concurrent('keeps the step in progress when an operator refuses another account', async () => {
      const user = await aReview();
      const body = bankBody({ account_holder_full_name: OTHERS[1], issuer_code: 'ARAVFIN' });
      const { verification_id: second } = payloadOf(await postBank(user.api, { ...body, ...ASK }));
      await decideNames(service, 'refuse', user.id);
      expect(await stepOf(user)).toEqual(IN_REVIEW);
      await decideNames(service, 'refuse', second);
      expect(await stepOf(user)).toEqual(FAILED);
    });
  });

  describe('with a PAN that is verified later', () => {
    const early = async () => {
      const user = await aUser();
      const body = bankBody({
        account: anAccount('1055'),
        account_holder_full_name: PAN_NAME,
        issuer_code: 'ARAVFIN',
      });
      const response = await postBank(user.api, { ...body, ...ASK });
      expectInReview(response);
      return { ...user, body, id: payloadOf(response).verification_id };
    };

    it.concurrent('shows the operator its name, who decides on all three', async () => {
      const user = await early();
      const token = await namesToken(service, user.id);
      await knownAs(service, user.user_id, PAN_NAME);
      await afterBankWorker(service, user.user_id);
      expectInReview(await getVerification(user.api, user.id));
      await expect(
        runBank(service, 'accept', '--verification', user.id, '--names', token, ...WHO),
      ).rejects.toThrow(/read them again/);
      await decideNames(service, 'accept', user.id);
      await eventuallyStep(user, DONE);
      expect(await registrationsAt('aravalli', user.body.account)).toHaveLength(1);
    });

    it.concurrent.each([PAN_NAME, OTHER])(
      'waits again for a decision on %s after one without a PAN',
      async (panName) => {
        const user = await early();
        await decideNames(service, 'accept', user.id);
        await eventuallyStep(user, ['IN_PROGRESS', 'PAN_NOT_VERIFIED']);
        expect(payloadOf(await postBank(user.api, user.body))).toMatchObject({
          is_bank_verified: true,
          is_synced: false,
        });
        await knownAs(service, user.user_id, panName);
        await eventuallyStep(user, IN_REVIEW);
        await afterBankWorker(service, user.user_id);
        expect(await effectsOf('issuer:aravalli', user.body.account)).toEqual([]);
        expectInReview(await postBank(user.api, user.body));
        await decideNames(service, panName === PAN_NAME ? 'accept' : 'refuse', user.id);
        await eventuallyStep(user, panName === PAN_NAME ? DONE : FAILED);
        expect(await registrationsAt('aravalli', user.body.account)).toHaveLength(
          panName === PAN_NAME ? 1 : 0,
        );
      },
    );

    it.concurrent('is refused if nobody has asked, and can be asked for then', async () => {
      const user = await aUser();
      const body = bankBody({ account_holder_full_name: OTHER, issuer_code: 'ARAVFIN' });
      const { verification_id: id } = payloadOf(await postBank(user.api, body));
      await knownAs(service, user.user_id, PAN_NAME);
      await eventuallyStep(user, FAILED);
      const refused = await getVerification(user.api, id);
      expectRefusal(refused, BankErrors.holderDiffers);
      expect(messageOf(refused)).toContain(HINT);
      expectInReview(await postBank(user.api, { ...body, ...ASK }));
      expect(await stepOf(user)).toEqual(IN_REVIEW);
      await decideNames(service, 'accept', id);
      await eventuallyStep(user, DONE);
      expect(await registrationsAt('aravalli', body.account)).toHaveLength(1);
    });

    it.concurrent('is put to review by the call that first compares it', async () => {
      const user = await aUser();
      const body = bankBody({ account_holder_full_name: OTHER, issuer_code: 'ARAVFIN' });
      expect((await postBank(user.api, body)).status).toBe(200);
      await knownAs(service, user.user_id, PAN_NAME);
      expectInReview(await postBank(user.api, { ...body, ...ASK }));
      expect(await stepOf(user)).toEqual(IN_REVIEW);
      await afterBankWorker(service, user.user_id);
      expect(await effectsOf('issuer:aravalli', body.account)).toEqual([]);
    });
  });

  describe('with a PAN that is lost', () => {
    it.concurrent('is registered nowhere after a decision until the next PAN is decided on', async () => {
      const user = await aReview();
      await runPan(service, '', 'release', '--user', user.user_id, ...WHO);
      await decideNames(service, 'accept', user.id);
      await afterBankWorker(service, user.user_id);
      expect(await effectsOf('issuer:aravalli', user.body.account)).toEqual([]);
      expect(await stepOf(user)).toEqual(['IN_PROGRESS', 'PAN_NOT_VERIFIED']);
      await knownAs(service, user.user_id, OTHERS[1]!);
      await eventuallyStep(user, IN_REVIEW);
      await afterBankWorker(service, user.user_id);
      expect(await effectsOf('issuer:aravalli', user.body.account)).toEqual([]);
    });

    it.concurrent('is withdrawn when it was registered after a decision', async () => {
      const user = await aReview();
      await decideNames(service, 'accept', user.id);
      await eventuallyStep(user, DONE);
      await users.nextPan(user, OTHERS[1]!);
      await eventually(async () =>
        expect(await kindsOf('aravalli', user.body.account)).toEqual([
          ['account_registration', 1],
          ['account_withdrawal', 1],
        ]),
      );
    });
  });

  describe('with an account that was registered before', () => {
    it.concurrent(
      'is withdrawn when the call that asks is the first to compare it with the next PAN',
      async () => {
        const user = await users.registered('aravalli');
        await users.nextPan(user, PAN_NAME);
        expectInReview(await postBank(user.api, { ...user.body, issuer_code: 'ARAVFIN', ...ASK }));
        await eventually(async () =>
          expect(await users.withdrawalsOf(user.id)).toEqual({ aravalli: 'WITHDRAWN' }),
        );
        expect(await users.registrationsOf(user.id)).toEqual({ aravalli: 'DUE' });
      },
    );

    it.concurrent.each(['accept', 'refuse'] as const)(
      'sends nothing before the decision to %s',
      async (action) => {
        const user = await users.registered('aravalli', 'kaveri');
        await users.nextPan(user, PAN_NAME);
        // an issuer that cannot remove it keeps it
        await eventually(async () =>
          expect(await users.registrationsOf(user.id)).toEqual({ aravalli: 'DROPPED', kaveri: 'SYNCED' }),
        );
        for (const issuer_code of ['ARAVFIN', 'KAVSFB'])
          expectInReview(await postBank(user.api, { ...user.body, issuer_code, ...ASK }));
        await afterBankWorker(service, user.user_id);
        expect(await registrationsAt('aravalli', user.body.account)).toHaveLength(1);
        expectInReview(await getVerification(user.api, user.id, { issuer_code: 'KAVSFB' }));
        for (const slug of ['aravalli', 'kaveri'] as const)
          expect(await stepOf(user, slug)).toEqual(IN_REVIEW);
        await decideNames(service, action, user.id);
        for (const slug of ['aravalli', 'kaveri'] as const)
          await eventuallyStep(user, action === 'accept' ? DONE : FAILED, slug);
        await afterBankWorker(service, user.user_id);
        expect(await registrationsAt('aravalli', user.body.account)).toHaveLength(
          action === 'accept' ? 2 : 1,
        );
        expect(await registrationsAt('kaveri', user.body.account)).toHaveLength(1);
      },
    );

    it.concurrent(
      'leaves a registration whose outcome is unknown alone until the decision',
      withProvider(
        (url) => ({ ISSUER_API_URL: url }),
        async ({ service: own, provider: issuer }) => {
          issuer.behaviour = BEHAVIOURS.resets;
          const user = await logIn(own);
          const api = as(own.api, user);
          await knownAs(own, user.user_id, PAN_NAME);
          const body = bankBody({ account_holder_full_name: PAN_NAME, issuer_code: 'ARAVFIN' });
          await postBank(api, body);
          const [{ id }] = await own.dataSource.query<[{ id: string }]>(
            'SELECT id FROM onboarding.bank_accounts WHERE user_id = $1',
            [user.user_id],
          );
          await new RegisteredUsers(own).nextPan(user, OTHER);
          await eventually(async () =>
            expectRefusal(await getVerification(api, id), BankErrors.holderDiffers),
          );
          expectInReview(await postBank(api, { ...body, ...ASK }));
          // a try that began before the review may still run
          await afterBankWorker(own, user.user_id);
          issuer.behaviour = answersJson(201, { beneficiary_id: 'b-1', state: 'ACTIVE' });
          const before = issuer.calls.length;
          await releaseLeases(own, id);
          await afterBankWorker(own, user.user_id);
          expect(issuer.calls).toHaveLength(before);
          await decideNames(own, 'accept', id);
          await releaseLeases(own, id);
          await eventually(async () =>
            expect(payloadOf(await getVerification(api, id)).is_synced).toBe(true),
          );
          const keys = new Set(issuer.calls.map(({ headers }) => headers['idempotency-key']));
          expect(keys.size).toBe(1);
        },
      ),
    );
  });

  it.concurrent(
    'is withdrawn from an issuer that registers it during the review, and registered again after the decision',
    withProvider(
      (url) => ({ ISSUER_API_URL: url }),
      async ({ service: own, provider: issuer }) => {
        const registered = answersJson(201, { beneficiary_id: 'b-1', state: 'ACTIVE' });
        let answer = (): void => undefined;
        issuer.behaviour = (response) => void (answer = () => registered(response));
        const user = await logIn(own);
        const api = as(own.api, user);
        await knownAs(own, user.user_id, PAN_NAME);
        const body = bankBody({ account_holder_full_name: PAN_NAME, issuer_code: 'ARAVFIN' });
        const first = postBank(api, body);
        await eventually(() => Promise.resolve(expect(issuer.calls).toHaveLength(1)));
        const ofOwn = new RegisteredUsers(own);
        await ofOwn.nextPan(user, OTHER);
        const asked = await eventually(async () => {
          const response = await postBank(api, { ...body, ...ASK });
          expectInReview(response);
          return response;
        });
        const { verification_id: id } = payloadOf(asked);
        issuer.behaviour = (response) =>
          issuer.calls.at(-1)!.path.endsWith('/withdrawal')
            ? answersJson(200, { beneficiary_id: 'b-1', state: 'WITHDRAWN' })(response)
            : registered(response);
        answer();
        await first;
        await eventually(async () =>
          expect(await ofOwn.withdrawalsOf(id)).toEqual({ aravalli: 'WITHDRAWN' }),
        );
        expectInReview(await getVerification(api, id));
        await decideNames(own, 'accept', id);
        await releaseLeases(own, id);
        await eventually(async () => expect(payloadOf(await getVerification(api, id)).is_synced).toBe(true));
        const keys = issuer.calls
          .filter(({ path }) => !path.endsWith('/withdrawal'))
          .map(({ headers }) => headers['idempotency-key']);
        expect(new Set(keys).size).toBe(2);
      },
    ),
  );

  describe('with a registration that the issuer had accepted before', () => {
    const accepted = (accountId: string, receipt: string) =>
      query(
        `UPDATE onboarding.bank_syncs SET state = 'ACCEPTED', receipt = $2, sent_at = now(), next_try_at = now(),
                leased_until = NULL, lease_id = NULL WHERE account_id = $1`,
        [accountId, receipt],
      );

    it.concurrent(
      'sends it no second time, also after a refusal, when the issuer has forgotten it',
      async () => {
        const user = await aReview();
        await accepted(user.id, 'gone');
        await eventually(async () =>
          expect(await users.registrationsOf(user.id)).toEqual({ aravalli: 'DUE' }),
        );
        await decideNames(service, 'refuse', user.id);
        await users.tryRegistrationNow(user);
        await afterBankWorker(service, user.user_id);
        expect(await users.registrationsOf(user.id)).toEqual({ aravalli: 'DROPPED' });
        expect(await kindsOf('aravalli', user.body.account)).toEqual([]);
      },
    );

    it.concurrent(
      'does not count as registered before the decision, and is not sent again after it',
      async () => {
        const user = await aReview('kaveri');
        const response = await fetch(`${service.environment['ISSUER_API_URL']}/kaveri/cbs/beneficiaryAdd`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            authorization: 'Bearer key',
            'idempotency-key': crypto.randomUUID(),
          },
          body: JSON.stringify({
            header: { channel: 'TEST', txnRef: 't-1' },
            body: {
              ...{ benName: OTHER, benAcctNo: user.body.account, benIfsc: 'HDFC0001234' },
              custRef: user.user_id,
            },
          }),
        });
        const { body } = (await response.json()) as { body: { ackNo: string } };
        await accepted(user.id, body.ackNo);
        // this issuer removes no account
        await eventually(async () =>
          expect([await users.registrationsOf(user.id), await users.withdrawalsOf(user.id)]).toEqual([
            { kaveri: 'SYNCED' },
            { kaveri: 'KEPT' },
          ]),
        );
        expectInReview(await getVerification(user.api, user.id));
        expect(await stepOf(user, 'kaveri')).toEqual(IN_REVIEW);
        await decideNames(service, 'accept', user.id);
        await eventuallyStep(user, DONE, 'kaveri');
        expect(await registrationsAt('kaveri', user.body.account)).toHaveLength(1);
      },
    );
  });

  it.concurrent('is not registered after a decision if the consent was withdrawn meanwhile', async () => {
    const user = await aReview();
    const { body } = await user.api.get('/api/v1/consents');
    for (const { consent_id } of (body as { payload: ConsentsPayload }).payload.consents)
      await user.api.post(`/api/v1/consents/${consent_id}/withdraw`, {});
    await decideNames(service, 'accept', user.id);
    await eventually(async () =>
      expect(
        await query(
          "SELECT state, reason FROM onboarding.journey_steps WHERE user_id = $1 AND step = 'BANK'",
          [user.user_id],
        ),
      ).toEqual([{ state: 'FAILED', reason: ConsentErrors.withdrawn.code }]),
    );
    expect(await effectsOf('issuer:aravalli', user.body.account)).toEqual([]);
  });

  it.concurrent('does not keep its user from being erased', async () => {
    const user = await aReview();
    expect(await runUsers(service, '', 'erase', '--user', user.user_id, ...WHO)).toContain(
      'deleted\tusers\t1\n',
    );
  });

  it.each(['yes', 1, {}])('refuses ask_for_review %j', async (ask_for_review) => {
    const user = await aUser(PAN_NAME);
    expectRefusal(await postBank(user.api, bankBody({ ask_for_review })), GeneralErrors.fieldInvalid);
  });
});
