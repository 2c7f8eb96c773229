import type { ConsentsPayload, LoginPayload, UserProfilePayload } from '@fd/contracts';
import { ConsentErrors, EmailErrors, GeneralErrors, LoginErrors, PanErrors, SessionErrors } from '@fd/errors';
import { type ApiDocument, Exchange, operationsOf } from '@fd/fuzzing';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import { shortOf, trailOf } from '../support/audit.js';
import { anEmail, verifyEmail } from '../support/email.js';
import { anAadhaar, finishEkyc, finishLocker } from '../support/ekyc.js';
import { codeOf, inboxOf } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { lockWaiters } from '../support/lock-waiters.js';
import { as, type LoggedIn, logIn, renewed, verifyBody } from '../support/login.js';
import { nominate } from '../support/nominees.js';
import { runUsers, WHO } from '../support/operator.js';
import { aPan, panBody, postPan, verifyPan } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

const CONFIRM = '/api/v1/account-confirmation';
const START_ANEW = `${CONFIRM}/start-anew`;
const AFTER_DAYS = 90;

describe('an account whose phone may have another owner', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ CONFIRM_LOGIN_AFTER_DAYS: String(AFTER_DAYS) });
  });
  afterAll(() => service.close());

  interface User extends LoggedIn {
    readonly api: ApiClient;
  }
  const loggedIn = async (phone?: string): Promise<User> => {
    const user = await logIn(service, phone);
    return { ...user, api: as(service.api, user) };
  };
  /** The last login of a user was so many days ago. */
  const pause = ({ user_id }: LoggedIn, days = AFTER_DAYS + 1) =>
    service.dataSource.query(
      'UPDATE onboarding.users SET last_login_at = now() - make_interval(days => $2) WHERE id = $1',
      [user_id, days],
    );
  const profileOf = async ({ api }: User): Promise<UserProfilePayload> =>
    ((await api.get('/api/v1/user-profile')).body as { payload: UserProfilePayload }).payload;
  const sessionsOf = (userId: string): Promise<{ ended_at: Date | null }[]> =>
    service.dataSource.query('SELECT ended_at FROM onboarding.sessions WHERE user_id = $1 ORDER BY id', [
      userId,
    ]);

  /** A user with a PAN, an address and a nominee, and an unconfirmed session of the same phone. */
  async function aPausedUser(): Promise<{ owner: User; later: User; pan: ReturnType<typeof panBody> }> {
    const owner = await loggedIn();
    const pan = panBody();
    await verifyPan(owner.api, pan);
    await verifyEmail(owner.api);
    await nominate(owner.api);
    await pause(owner);
    return { owner, later: await loggedIn(owner.phone), pan };
  }
  /** Messages to the phone about a PAN that was taken over, also those that wait. */
  const noticesOf = ({ user_id }: User) =>
    service.dataSource.query<object[]>('SELECT FROM onboarding.pan_notices WHERE user_id = $1', [user_id]);
  const confirm = ({ api }: User, { number, dob }: { number: string; dob: string }) =>
    api.post(CONFIRM, { number, dob });

  describe('login', () => {
    it('answers as ever, without a word about the account', async () => {
      const { owner, later } = await aPausedUser();
      const { user_id, is_new_user, needs_confirmation, user } = later;
      expect({ user_id, is_new_user, needs_confirmation, user }).toEqual({
        user_id: owner.user_id,
        is_new_user: false,
        needs_confirmation: true,
        user: { phone: owner.user.phone, is_pan_verified: false, is_email_verified: false },
      });
      const { user_id: _, ...seen } = await profileOf(later);
      const { user_id: __, ...ofNewUser } = await profileOf(await loggedIn());
      expect(seen).toEqual({ ...ofNewUser, phone: owner.user.phone });
    });

    it('asks nobody who has logged in within the time', async () => {
      const owner = await loggedIn();
      await pause(owner, AFTER_DAYS - 1);
      const later = await loggedIn(owner.phone);
      expect(later).not.toHaveProperty('needs_confirmation');
      // this login counts
      await service.dataSource.query(
        "UPDATE onboarding.users SET last_login_at = last_login_at - interval '2 days' WHERE id = $1",
        [owner.user_id],
      );
      expect(await loggedIn(owner.phone)).not.toHaveProperty('needs_confirmation');
    });

    it('asks nobody who is new while the clock of the service is ahead', async () => {
      // as in the sandbox, whose clock moves neither tokens of partners nor the audit trail
      jest.spyOn(service.clock, 'machineNow').mockImplementation(() => new Date());
      service.clock.advanceSeconds((AFTER_DAYS + 1) * 86_400);
      const owner = await loggedIn();
      expect(await loggedIn(owner.phone)).not.toHaveProperty('needs_confirmation');
      service.clock.reset();
    });

    it('does not count while it is unconfirmed: the next one is asked too, and refreshed tokens are', async () => {
      const { owner, later } = await aPausedUser();
      expect(await loggedIn(owner.phone)).toMatchObject({ needs_confirmation: true });
      const { access_token } = await renewed(service, later);
      expectRefusal(
        await as(service.api, { access_token }).get('/api/v1/user-sessions'),
        SessionErrors.unconfirmed,
      );
    });

    it('gives no consent, and ends no session, of the former owner', async () => {
      const owner = await loggedIn();
      await verifyPan(owner.api);
      const { consents } = ((await owner.api.get('/api/v1/consents')).body as { payload: ConsentsPayload })
        .payload;
      const terms = consents.find(({ purpose }) => purpose === 'TERMS_OF_USE')!;
      await owner.api.post(`/api/v1/consents/${terms.consent_id}/withdraw`, {});
      await pause(owner);
      const later = await loggedIn(owner.phone);
      expectRefusal(
        await later.api.post('/auth/api/v2/logout', { all_devices: true }),
        SessionErrors.unconfirmed,
      );
      const again = ((await owner.api.get('/api/v1/consents')).body as { payload: ConsentsPayload }).payload;
      expect(
        again.consents.filter(({ withdrawn_at: at }) => at === null).map(({ purpose }) => purpose),
      ).toEqual(['PAN_VERIFICATION']);
      expectRefusal(
        await owner.api.post('/api/v1/email/send-otp', { email: anEmail() }),
        ConsentErrors.withdrawn,
      );
      expect((await sessionsOf(owner.user_id)).map(({ ended_at: at }) => at)).toEqual([null, null]);
      expect((await later.api.post('/auth/api/v2/logout', {})).status).toBe(200);
    });
  });

  it('refuses every call with credentials but the profile, the logout and the confirmation', async () => {
    const { later } = await aPausedUser();
    const exchange = new Exchange(service.url);
    const document = JSON.parse((await exchange.send('get', '/openapi.json')).text) as ApiDocument;
    const open = [
      'get /api/v1/user-profile',
      'post /api/v1/account-confirmation',
      'post /api/v1/account-confirmation/start-anew',
      'post /auth/api/v2/logout',
    ];
    const refused: string[] = [];
    const operations = operationsOf(document).filter(({ isPublic }) => !isPublic);
    for (const { method, template } of operations) {
      const name = `${method} ${template}`;
      if (open.includes(name)) continue;
      const path = template.replace('{issuer_slug}', 'aravalli').replaceAll(/\{\w+\}/g, later.user_id);
      const headers = { authorization: `Bearer ${later.access_token}`, 'content-type': 'application/json' };
      const body = method === 'get' ? undefined : Buffer.from('{}');
      const { status, text } = await exchange.send(method, path, headers, body);
      const [error] = (JSON.parse(text) as { error: { errorCode: string }[] }).error;
      expect([name, status, error?.errorCode]).toEqual([name, 403, SessionErrors.unconfirmed.code]);
      refused.push(name);
    }
    exchange.close();
    expect(refused.length).toBeGreaterThan(25);
    expect(refused).toHaveLength(operations.length - open.length);
  });

  describe(`POST ${CONFIRM}`, () => {
    it('gives the owner the account back, in this session alone', async () => {
      const { owner, later, pan } = await aPausedUser();
      const other = await loggedIn(owner.phone);
      expect(await confirm(later, pan)).toMatchObject({
        status: 200,
        body: { message: 'Account confirmed', payload: { is_confirmed: true } },
      });
      expect(await profileOf(later)).toMatchObject({
        is_pan_verified: true,
        is_email_verified: true,
        nominees_count: 1,
      });
      expectRefusal(await other.api.get('/api/v1/user-nominee'), SessionErrors.unconfirmed);
      // a repeat changes nothing, and the next login is a usual one
      expect((await confirm(later, panBody())).status).toBe(200);
      expect(await loggedIn(owner.phone)).not.toHaveProperty('needs_confirmation');
      expect((await trailOf(service, owner.user_id)).map(shortOf)).toContain('ACCOUNT_CONFIRMED');
    });

    it.each<[what: string, wrong: (pan: ReturnType<typeof panBody>) => { number: string; dob: string }]>([
      ['another PAN', ({ dob }) => ({ number: aPan(), dob })],
      ['another date of birth', ({ number }) => ({ number, dob: '1991-04-21' })],
    ])('refuses %s, three times a day', async (_what, wrong) => {
      const { owner, later, pan } = await aPausedUser();
      for (const left of [2, 1, 0]) {
        const refused = await confirm(later, wrong(pan));
        expectRefusal(refused, SessionErrors.confirmationWrong);
        expect(JSON.stringify(refused.body)).toContain(`Tries left today: ${left}`);
      }
      // also with the right values, and in another session
      for (const user of [later, await loggedIn(owner.phone)]) {
        const refused = await confirm(user, pan);
        expectRefusal(refused, SessionErrors.confirmationsExhausted);
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
      }
      await service.dataSource.query(
        "UPDATE onboarding.confirmation_tries SET created_at = created_at - interval '1 day' WHERE user_id = $1",
        [owner.user_id],
      );
      expect((await confirm(later, pan)).status).toBe(200);
    });

    it('compares three of many parallel tries', async () => {
      const { later, pan } = await aPausedUser();
      const answers = await inParallel(8, () => confirm(later, { ...pan, dob: '1991-04-21' }));
      expect(answers.map(({ status }) => status).sort()).toEqual([400, 400, 400, 429, 429, 429, 429, 429]);
    });

    it('refuses an account without a verified PAN, which has nothing to prove it by', async () => {
      const owner = await loggedIn();
      await pause(owner);
      expectRefusal(await confirm(await loggedIn(owner.phone), panBody()), SessionErrors.nothingToConfirm);
    });

    it('refuses malformed values without counting them', async () => {
      const { later } = await aPausedUser();
      for (let n = 0; n < 4; n++)
        expectRefusal(
          await later.api.post(CONFIRM, { number: 'abc', dob: '1990-02-30' }),
          PanErrors.wrongLength,
          PanErrors.birthDateInvalid,
        );
      expectRefusal(await later.api.post(CONFIRM, {}), PanErrors.missing, PanErrors.birthDateMissing);
      expectRefusal(await confirm(later, panBody()), SessionErrors.confirmationWrong);
    });
  });

  it('loses its PAN without a message to the phone, whose owner it may not be', async () => {
    const owner = await loggedIn();
    const pan = panBody();
    const address = anEmail();
    await verifyPan(owner.api, pan);
    await verifyEmail(owner.api, address);
    await pause(owner);
    const holder = await loggedIn();
    expectRefusal(await postPan(holder.api, pan), PanErrors.belongsToAnotherUser);
    await proveWho(holder, holder.phone);
    await eventually(async () =>
      expect((await inboxOf(address)).map(({ text }) => text).join()).toContain('moved to their account'),
    );
    expect(await noticesOf(owner)).toEqual([]);
  });

  describe(`POST ${START_ANEW}`, () => {
    const startAnew = async ({ api, phone }: User): Promise<User> => {
      const response = await api.post(START_ANEW, { start_anew: true });
      expect([response.status, response.body.message]).toEqual([200, 'Started anew']);
      const { payload } = response.body as { payload: LoginPayload };
      return { ...payload, phone, api: as(service.api, payload) };
    };

    it('gives a login that runs beside it no session of the account that is given up', async () => {
      const { owner } = await aPausedUser();
      await service.api.post('/auth/register', { phone: owner.phone });
      const body = verifyBody(owner.phone, await codeOf(owner.phone));
      const { login } = await service.dataSource.transaction(async (tx) => {
        await tx.query(
          `UPDATE onboarding.users SET phone_released_at = now(), released_phone_index = phone_index,
             phone_index = sha256(phone_index) WHERE id = $1`,
          [owner.user_id],
        );
        const loggingIn = service.api.post('/auth/api/v2/register/verify', body).then((answer) => answer);
        await lockWaiters(service, 1);
        return { login: loggingIn };
      });
      const { payload } = (await login).body as { payload: LoginPayload };
      expect(payload.is_new_user).toBe(true);
      expect(payload.user_id).not.toBe(owner.user_id);
    });

    it('gives the phone a new account, and leaves the former one its data', async () => {
      const { owner, later } = await aPausedUser();
      const anew = await startAnew(later);
      expect(anew).toMatchObject({ is_new_user: true, token_type: 'Bearer' });
      expect(anew.user_id).not.toBe(owner.user_id);
      expect(await profileOf(anew)).toMatchObject({ phone: owner.user.phone, pan: null, nominees_count: 0 });
      await verifyPan(anew.api);
      const consents = ((await anew.api.get('/api/v1/consents')).body as { payload: ConsentsPayload })
        .payload;
      expect(consents.consents.map(({ purpose }) => purpose)).toContain('TERMS_OF_USE');
      expectRefusal(await later.api.get('/api/v1/user-profile'), SessionErrors.ended);
      expect((await loggedIn(owner.phone)).user_id).toBe(anew.user_id);
      const [{ count }] = await service.dataSource.query<[{ count: number }]>(
        'SELECT count(*)::int AS count FROM onboarding.nominees WHERE user_id = $1',
        [owner.user_id],
      );
      expect(count).toBe(1);
      expect((await trailOf(service, owner.user_id)).map(shortOf)).toContain('ACCOUNT_STARTED_ANEW');
    });

    it('tells the verified address of the former owner what to do', async () => {
      const owner = await loggedIn();
      const address = anEmail();
      await verifyEmail(owner.api, address);
      await pause(owner);
      await startAnew(await loggedIn(owner.phone));
      await eventually(async () => {
        const notices = (await inboxOf(address)).filter(({ code }) => code === null).map(({ text }) => text);
        expect(notices).toEqual([expect.stringContaining('log in with your current number')]);
      });
    });

    it('lets the former owner take the PAN over with another phone, and tells the phone nothing', async () => {
      const { owner, later, pan } = await aPausedUser();
      // the former owner had proved who they are
      await whileInUse(later, async () => {
        await proveWho(owner);
      });
      await startAnew(later);
      // so that nothing but the new account of the phone keeps the message back
      await pause(owner, 0);
      const back = await loggedIn();
      expectRefusal(await postPan(back.api, pan), PanErrors.belongsToAnotherUser);
      await proveWho(back);
      expect(await profileOf(back)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
      expect(await noticesOf(owner)).toEqual([]);
    });

    it('keeps the PAN from a namesake of the same year, whose document has no full date', async () => {
      const { owner, later, pan } = await aPausedUser();
      await whileInUse(later, async () => {
        await proveWho(owner, owner.phone);
      });
      await startAnew(later);
      const namesake = await loggedIn();
      expectRefusal(await postPan(namesake.api, pan), PanErrors.belongsToAnotherUser);
      const locker = issuerPath('kaveri', 'v1/document-locker/session');
      const { body } = await namesake.api.post(locker, { consent_checked: true });
      const { url, session_id: id } = body.payload as { url: string; session_id: string };
      await finishLocker(url, 'birth_year', undefined, namesake.phone);
      expectRefusal(await namesake.api.get(`${locker}/${id}`), PanErrors.belongsToAnotherUser);
      const back = await loggedIn();
      expectRefusal(await postPan(back.api, pan), PanErrors.belongsToAnotherUser);
      await proveWho(back);
      expect(await profileOf(back)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
    });

    it('is the way of the next owner of a blocked number, once an operator lets the login pass', async () => {
      const owner = await loggedIn();
      const operate = (action: string) => runUsers(service, '', action, '--user', owner.user_id, ...WHO);
      await operate('block');
      await pause(owner);
      await expect(loggedIn(owner.phone)).rejects.toThrow(LoginErrors.userBlocked.code);
      await operate('unblock');
      const anew = await startAnew(await loggedIn(owner.phone));
      expect(await operate('block')).toMatch(/^blocked/);
      expect((await loggedIn(owner.phone)).user_id).toBe(anew.user_id);
      expectRefusal(await owner.api.get('/api/v1/user-profile'), SessionErrors.ended);
    });

    it('frees the verified address for whoever proves it', async () => {
      const { owner, later } = await aPausedUser();
      const address = anEmail();
      await whileInUse(later, async () => {
        await verifyEmail(owner.api, address);
      });
      // not while the account is in use
      const stranger = await loggedIn();
      await expect(verifyEmail(stranger.api, address)).rejects.toThrow(EmailErrors.belongsToAnotherUser.code);
      const anew = await startAnew(later);
      expect((await verifyEmail(anew.api, address)).email).toContain('@');
    });

    it('asks no issuer about a phone that the former owner may have given it', async () => {
      const { later } = await aPausedUser();
      const anew = await startAnew(later);
      await verifyPan(anew.api, panBody(aPan({ digits: '0200' })));
      const { body } = await anew.api.post(issuerPath('vindhya', 'v2/check-etb'), {});
      expect(body).toMatchObject({ success: 1, payload: { is_etb: false } });
    });

    it('tells the former owner by mail of a PAN that is lost to the link of the new one', async () => {
      const { owner, later, pan } = await aPausedUser();
      const address = anEmail();
      await whileInUse(later, async () => {
        await verifyEmail(owner.api, address);
        await proveWho(owner, owner.phone);
      });
      const anew = await startAnew(later);
      expectRefusal(await postPan(anew.api, pan), PanErrors.belongsToAnotherUser);
      await proveWho(anew);
      await eventually(async () =>
        expect((await inboxOf(address)).map(({ text }) => text).join()).toContain('moved to their account'),
      );
    });

    it('is refused in every session once the owner has confirmed the account', async () => {
      const { owner, later: stale, pan } = await aPausedUser();
      const back = await loggedIn(owner.phone);
      expect((await confirm(back, pan)).status).toBe(200);
      for (const user of [stale, { ...stale, api: as(service.api, await renewed(service, stale)) }])
        expectRefusal(await user.api.post(START_ANEW, { start_anew: true }), SessionErrors.confirmed);
      expect((await loggedIn(owner.phone)).user_id).toBe(owner.user_id);
    });

    it('or the confirmation wins, if both are called at once', async () => {
      for (let round = 0; round < 5; round++) {
        const { owner, later, pan } = await aPausedUser();
        const back = await loggedIn(owner.phone);
        const [confirmed, anew] = await Promise.all([
          confirm(back, pan),
          later.api.post(START_ANEW, { start_anew: true }),
        ]);
        expect([confirmed.status, anew.status].filter((status) => status === 200)).toHaveLength(1);
        const isOwners = (await loggedIn(owner.phone)).user_id === owner.user_id;
        expect(isOwners).toBe(confirmed.status === 200);
      }
    });

    it('proves nobody by the phone afterwards, which documents of the former owner may name', async () => {
      const { owner, later, pan } = await aPausedUser();
      const anew = await startAnew(later);
      expectRefusal(await postPan(anew.api, pan), PanErrors.belongsToAnotherUser);
      // the former owner completes it, whose Aadhaar still has the former number
      await proveWho(anew, owner.phone);
      const back = await loggedIn();
      expectRefusal(await postPan(back.api, pan), PanErrors.belongsToAnotherUser);
      await proveWho(back, back.phone);
      expect(await profileOf(back)).toMatchObject({ is_pan_verified: true });
      expect(await profileOf(anew)).toMatchObject({ is_pan_verified: false });
    });

    it('nor by the code of an Aadhaar, which comes to the number of the former owner', async () => {
      const { later, pan } = await aPausedUser();
      const anew = await startAnew(later);
      expectRefusal(await postPan(anew.api, pan), PanErrors.belongsToAnotherUser);
      const aadhaar = anAadhaar();
      const { body } = await anew.api.post(issuerPath('sahyadri', 'v1/aadhaar-ekyc/send-otp'), {
        aadhaar_number: aadhaar,
        consent_checked: true,
      });
      const verified = await anew.api.post(issuerPath('sahyadri', 'v1/aadhaar-ekyc/verify-otp'), {
        ekyc_request_id: body.payload.ekyc_request_id as string,
        otp: await codeOf(aadhaar),
      });
      expect(verified.body.payload).toMatchObject({ is_ekyc_verified: true });
      const back = await loggedIn();
      expectRefusal(await postPan(back.api, pan), PanErrors.belongsToAnotherUser);
      await proveWho(back, back.phone);
      expect(await profileOf(back)).toMatchObject({ is_pan_verified: true });
    });

    it('nor in a later account of the number, after the account that began anew was erased', async () => {
      const { owner, later, pan } = await aPausedUser();
      const erased = await startAnew(later);
      const operated = await runUsers(service, '', 'erase', '--user', erased.user_id, ...WHO);
      expect(operated).toContain('deleted\tusers\t1\n');
      const next = await loggedIn(owner.phone);
      expect(next.is_new_user).toBe(true);
      expectRefusal(await postPan(next.api, pan), PanErrors.belongsToAnotherUser);
      await proveWho(next, owner.phone);
      const back = await loggedIn();
      expectRefusal(await postPan(back.api, pan), PanErrors.belongsToAnotherUser);
      await proveWho(back, back.phone);
      expect(await profileOf(back)).toMatchObject({ is_pan_verified: true });
      expect(await profileOf(next)).toMatchObject({ is_pan_verified: false });
    });

    it('opens one account for parallel calls', async () => {
      const { owner, later } = await aPausedUser();
      const answers = await inParallel(5, () => later.api.post(START_ANEW, { start_anew: true }));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
      expect((await sessionsOf(owner.user_id)).filter(({ ended_at: at }) => at === null)).toHaveLength(1);
    });

    it('is refused without the explicit choice, and in a usual session', async () => {
      const { later } = await aPausedUser();
      for (const body of [{}, { start_anew: false }, { start_anew: 'true' }])
        expectRefusal(await later.api.post(START_ANEW, body), GeneralErrors.fieldInvalid);
      const usual = await loggedIn();
      expectRefusal(await usual.api.post(START_ANEW, { start_anew: true }), SessionErrors.confirmed);
    });
  });

  const sessionOf = ({ access_token }: LoggedIn): string =>
    (JSON.parse(Buffer.from(access_token.split('.')[1]!, 'base64url').toString()) as { sid: string }).sid;

  /** Lets the owner act as before the pause; the later session is unconfirmed again afterwards. */
  async function whileInUse(later: User, act: () => Promise<void>): Promise<void> {
    const set = 'UPDATE onboarding.sessions SET is_unconfirmed = ';
    await service.dataSource.query(`${set} false WHERE user_id = $1`, [later.user_id]);
    await act();
    await service.dataSource.query(`${set} true WHERE id = $1`, [sessionOf(later)]);
  }

  /** @param reported phone, by the provider */
  async function proveWho({ api }: User, reported?: string): Promise<void> {
    const status = async () =>
      (await api.post(issuerPath('aravalli', 'v3/check-status'), {})).body as {
        payload: { ekyc_request_id?: string; is_ekyc_verified: boolean };
      };
    await finishEkyc((await status()).payload.ekyc_request_id!, 'verified', undefined, reported);
    expect((await status()).payload.is_ekyc_verified).toBe(true);
  }
});

describe('a login after a long pause, without CONFIRM_LOGIN_AFTER_DAYS', () => {
  it('is a usual one', async () => {
    const service = await startService();
    const { phone, user_id } = await logIn(service);
    await service.dataSource.query(
      "UPDATE onboarding.users SET last_login_at = now() - interval '10 years' WHERE id = $1",
      [user_id],
    );
    await service.api.post('/auth/register', { phone });
    expect(await codeOf(phone)).toMatch(/^\d{6}$/);
    expect(await logIn(service, phone)).not.toHaveProperty('needs_confirmation');
    await service.close();
  });
});
