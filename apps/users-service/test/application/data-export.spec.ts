import {
  type EkycStatusPayload,
  indiaDateOf,
  type LoginPayload,
  type UserDataExportPayload,
} from '@fd/contracts';
import { GeneralErrors, PanErrors, SessionErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import { EntityManager } from 'typeorm';
import { MAX_EXPORT_BYTES } from '../../src/application/data-export/data-export.service.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { shortOf, trailOf } from '../support/audit.js';
import { bankBody, postBank, verifyBank } from '../support/bank.js';
import { anAadhaar, finishEkyc } from '../support/ekyc.js';
import { verifyEmail } from '../support/email.js';
import { codeOf } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { as, type LoggedIn, logIn, verifyBody } from '../support/login.js';
import { nominate } from '../support/nominees.js';
import { runUsers, WHO } from '../support/operator.js';
import { panBody, postPan, verifyPan } from '../support/pan.js';
import { aPartner, ecKeys } from '../support/partner.js';
import { withoutTriggers } from '../support/past-rows.js';
import { startService, type TestService } from '../support/users-app.js';

const EXPORT = '/api/v1/user-data-export';
const CONFIRM = '/api/v1/account-confirmation';
const OTHER = 'https://invest.northwind.example';

interface Fact {
  readonly number: string;
  readonly dob: string;
}

describe(`POST ${EXPORT}`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ SEPARATE_PARTNERS: 'true', CONFIRM_LOGIN_AFTER_DAYS: '90' });
    await aPartner(service.dataSource, { url: OTHER, keys: ecKeys() });
  });
  afterAll(() => service.close());

  type User = LoggedIn & { readonly api: ApiClient };

  const aUser = async (phone?: string): Promise<User> => {
    const user = await logIn(service, phone);
    return { ...user, api: as(service.api, user) };
  };
  const aPanHolder = async (): Promise<User & { fact: Fact }> => {
    const user = await aUser();
    const { number, dob } = await verifyPan(user.api);
    return { ...user, fact: { number, dob } };
  };
  const atOther = async (phone: string): Promise<ApiClient> => {
    await service.api.post('/auth/register', { phone });
    const { body } = await service.api.post(
      '/auth/api/v2/register/verify',
      verifyBody(phone, await codeOf(phone), OTHER),
    );
    return as(service.api, body.payload as LoginPayload);
  };
  const ask = ({ api }: { api: ApiClient }, fact: object = {}) => api.post(EXPORT, fact);
  const exportOf = async (user: { api: ApiClient }, fact: object = {}): Promise<UserDataExportPayload> => {
    const { status, body } = await ask(user, fact);
    expect([status, body.message]).toEqual([200, 'Data exported']);
    return body.payload as UserDataExportPayload;
  };
  const wrong = ({ number }: Fact): Fact => ({ number, dob: '1991-04-21' });
  const rows = (table: string, { user_id }: LoggedIn) =>
    service.dataSource.query<object[]>(`SELECT FROM onboarding.${table} WHERE user_id = $1`, [user_id]);

  it('returns the same document as the export by an operator, and records it', async () => {
    const user = await aPanHolder();
    await verifyEmail(user.api);
    await nominate(user.api);
    // in the name of the PAN
    await verifyBank(user.api, { account_holder_full_name: null, issuer_code: 'ARAVFIN' });
    const response = await ask(user, user.fact);
    expect([response.status, response.headers['cache-control']]).toEqual([200, 'no-store']);
    const own = response.body.payload as UserDataExportPayload;
    const output = await runUsers(service, '', 'export', '--user', user.user_id, ...WHO);
    const { exported_at: _, ...theirs } = JSON.parse(output) as UserDataExportPayload;
    const { exported_at, ...ours } = own;
    expect(exported_at).toMatch(/^20\S+Z$/);
    // the export itself is one more event
    const isSame = ({ data, ...document }: typeof ours) => {
      const { audit_events: sealed, audit_unsealed: unsealed, ...others } = data;
      const actions = [...sealed!, ...unsealed!].map(({ action }) => action);
      return { ...document, others, actions: actions.filter((action) => action !== 'USER_EXPORTED') };
    };
    expect(isSame(ours)).toEqual(isSame(theirs));
    expect(ours.data['identities']![0]).toMatchObject({ pan: user.fact.number, dob: user.fact.dob });
    expect(ours.data['users']![0]).toMatchObject({ phone: user.phone });
    expect(ours.data['bank_syncs']![0]).toMatchObject({ state: 'SYNCED' });
    const [event] = (await trailOf(service, user.user_id)).filter(({ action }) => action === 'USER_EXPORTED');
    expect([shortOf(event!), event!.actor]).toEqual(['USER_EXPORTED', `user:${user.user_id}`]);
  });

  it('records each export, and stores none for a repeat with the same Idempotency-Key', async () => {
    const user = await aPanHolder();
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const stored = () => service.dataSource.query<object[]>('SELECT FROM onboarding.idempotent_calls');
    const before = (await stored()).length;
    for (let n = 0; n < 2; n++) {
      const response = await user.api.post(EXPORT, user.fact, { headers });
      expect([response.status, response.headers['idempotent-replayed']]).toEqual([200, undefined]);
    }
    expectRefusal(
      await user.api.post(EXPORT, {}, { headers }),
      PanErrors.missing,
      PanErrors.birthDateMissing,
    );
    expect(await stored()).toHaveLength(before);
    const trail = (await trailOf(service, user.user_id)).map(shortOf);
    expect(trail.filter((short) => short.startsWith('USER_EXPORTED'))).toEqual([
      'USER_EXPORTED',
      'USER_EXPORTED',
      `USER_EXPORTED REFUSED ${PanErrors.missing.code}`,
    ]);
  });

  it('names the day of the full due diligence after an Aadhaar code, though the request began on a hosted page', async () => {
    const user = await aPanHolder();
    const hosted = await service.replica({ EKYC_METHODS: 'sahyadri=HOSTED' });
    const { body } = await as(hosted.api, user).post(issuerPath('sahyadri', 'v3/check-status'), {});
    const { ekyc_request_id } = body.payload;
    const aadhaar_number = anAadhaar();
    const aadhaar = (call: string, content: object) =>
      user.api.post(issuerPath('sahyadri', `v1/aadhaar-ekyc/${call}`), content);
    const sent = await aadhaar('send-otp', { aadhaar_number, consent_checked: true });
    expect(sent.body.payload).toMatchObject({ ekyc_request_id });
    const verified = await aadhaar('verify-otp', { ekyc_request_id, otp: await codeOf(aadhaar_number) });
    expect(verified.status).toBe(200);
    const [request] = (await exportOf(user, user.fact)).data['ekyc_requests']!;
    const [year, ...day] = indiaDateOf(new Date(request!['settled_at'] as string)).split('-');
    expect(request).toMatchObject({
      ...{ id: ekyc_request_id, method: 'HOSTED', status: 'VERIFIED' },
      full_kyc_due_on: [Number(year) + 1, ...day].join('-').replace('-02-29', '-02-28'),
    });
  });

  it('reads all tables in one snapshot', async () => {
    const user = await aPanHolder();
    const begun = jest.spyOn(EntityManager.prototype, 'transaction');
    await exportOf(user, user.fact);
    const levels = begun.mock.calls.map(([level]) => level).filter((level) => typeof level === 'string');
    begun.mockRestore();
    expect(levels).toEqual(['REPEATABLE READ']);
  });

  describe('with a verified PAN', () => {
    it('asks for PAN and date of birth in a usual session, too', async () => {
      const user = await aPanHolder();
      expectRefusal(await ask(user), PanErrors.missing, PanErrors.birthDateMissing);
      expectRefusal(await ask(user, { ...user.fact, dob: ' ' }), PanErrors.birthDateMissing);
      expectRefusal(
        await ask(user, { number: 'abc', dob: '1990-02-30' }),
        PanErrors.wrongLength,
        PanErrors.birthDateInvalid,
      );
      // none of these counts
      for (const left of [2, 1]) {
        const refused = await ask(user, left === 2 ? wrong(user.fact) : panBody());
        expectRefusal(refused, SessionErrors.confirmationWrong);
        expect(JSON.stringify(refused.body)).toContain(`Tries left today: ${left}`);
      }
      await exportOf(user, user.fact);
    });

    it('answers no session after three wrong tries on a day, also with the right values', async () => {
      const user = await aPanHolder();
      const answers = await inParallel(6, () => ask(user, wrong(user.fact)));
      expect(answers.map(({ status }) => status).sort()).toEqual([400, 400, 400, 429, 429, 429]);
      for (const session of [user, await aUser(user.phone)]) {
        const refused = await ask(session, user.fact);
        expectRefusal(refused, SessionErrors.confirmationsExhausted);
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
      }
      expect(await rows('data_exports', user)).toEqual([]);
      await service.dataSource.query(
        "UPDATE onboarding.confirmation_tries SET created_at = created_at - interval '1 day' WHERE user_id = $1",
        [user.user_id],
      );
      await exportOf(user, user.fact);
    });

    it('counts wrong tries apart from those of unconfirmed sessions, which cannot use them up', async () => {
      const user = await aPanHolder();
      const others = [await atOther(user.phone), await atOther(user.phone)];
      for (const other of [...others, others[0]!])
        expectRefusal(await other.post(CONFIRM, wrong(user.fact)), SessionErrors.confirmationWrong);
      for (const other of others)
        expectRefusal(await other.post(CONFIRM, user.fact), SessionErrors.confirmationsExhausted);
      expectRefusal(await ask(user, wrong(user.fact)), SessionErrors.confirmationWrong);
      await exportOf(user, user.fact);
    });
  });

  describe('without a verified PAN', () => {
    it("needs nothing but the account's own session, and no body", async () => {
      const user = await aUser();
      const exported = await exportOf(user);
      expect(exported.data['users']![0]).toMatchObject({ phone: user.phone });
      expect((await user.api.raw('post', EXPORT, undefined)).status).toBe(200);
      expect((await ask(user, panBody())).status).toBe(200);
    });

    it('refuses a session of another partner with which the account is not shared', async () => {
      const user = await aUser();
      const api = await atOther(user.phone);
      expectRefusal(await ask({ api }), SessionErrors.unconfirmed);
      // the account was confirmed, and the PAN is another user's since
      await service.dataSource.query(
        `UPDATE onboarding.sessions SET is_unconfirmed = false, confirmed_at = now()
          WHERE user_id = $1 AND is_unconfirmed`,
        [user.user_id],
      );
      expectRefusal(await ask({ api }), SessionErrors.unshared);
    });
  });

  it('is a right of the person in the app of every partner, once the account is confirmed', async () => {
    const user = await aPanHolder();
    const api = await atOther(user.phone);
    expectRefusal(await ask({ api }, user.fact), SessionErrors.unconfirmed);
    expect((await api.post(CONFIRM, user.fact)).status).toBe(200);
    expectRefusal(await ask({ api }), PanErrors.missing, PanErrors.birthDateMissing);
    expect((await exportOf({ api }, user.fact)).user_id).toBe(user.user_id);
  });

  it('has no link by which who reads it could end an eKYC', async () => {
    const user = await aPanHolder();
    const links = [];
    for (const [path, link] of [
      [issuerPath('aravalli', 'v3/check-status'), 'ekyc_url'],
      [issuerPath('kaveri', 'v1/document-locker/session'), 'url'],
    ] as const) {
      const { status, body } = await user.api.post(path, { consent_checked: true });
      expect(status).toBe(200);
      links.push((body.payload as Record<string, string>)[link]!);
    }
    const { data } = await exportOf(user, user.fact);
    expect([data['ekyc_requests'], data['locker_sessions']]).toMatchObject([[{}, {}], [{}]]);
    for (const link of links) expect(JSON.stringify(data)).not.toContain(new URL(link).pathname);
  });

  it('refuses the session of a phone that may have another owner', async () => {
    const user = await aPanHolder();
    await service.dataSource.query(
      "UPDATE onboarding.users SET last_login_at = now() - interval '91 days' WHERE id = $1",
      [user.user_id],
    );
    expectRefusal(await ask(await aUser(user.phone), user.fact), SessionErrors.unconfirmed);
  });

  describe('limits', () => {
    const addEvents = ({ user_id }: LoggedIn, count: number, bytes: number) =>
      withoutTriggers(
        service,
        `INSERT INTO onboarding.insight_events (user_id, event_id, event_name, occurred_at, properties)
         SELECT $1, gen_random_uuid(), 'PAN_SUBMITTED', now(), jsonb_build_object('note', repeat('x', $3))
           FROM generate_series(1, $2)`,
        [user_id, count, bytes],
      );

    it('refuses an export of more than 4 MiB and stops reading there, while operators have no such limit', async () => {
      const user = await aUser();
      await addEvents(user, 9_000, 1_000);
      expect(MAX_EXPORT_BYTES).toBe(4_194_304);
      const queried = jest.spyOn(EntityManager.prototype, 'query');
      const refused = await ask(user);
      const fetches = queried.mock.calls.filter(([sql]) => /^FETCH/.test(sql));
      const cursors = queried.mock.calls.flatMap(([sql]) => /FROM "onboarding"."(\w+)"/.exec(sql)?.[1] ?? []);
      queried.mockRestore();
      expectRefusal(refused, SessionErrors.exportTooLarge);
      expect(JSON.stringify(refused.body)).toContain('Ask our support');
      expect(fetches.length).toBeLessThan(40);
      expect(cursors.at(-1)).toBe('insight_events');
      const [event] = (await trailOf(service, user.user_id)).filter(
        ({ action }) => action === 'USER_EXPORTED',
      );
      expect(shortOf(event!)).toBe(`USER_EXPORTED REFUSED ${SessionErrors.exportTooLarge.code}`);
      const output = await runUsers(service, '', 'export', '--user', user.user_id, ...WHO);
      const { data } = JSON.parse(output) as UserDataExportPayload;
      expect(data['insight_events']).toHaveLength(9_000);
    });

    it('exports what is just smaller', async () => {
      const user = await aUser();
      await addEvents(user, 3_000, 1_000);
      expect((await exportOf(user)).data['insight_events']).toHaveLength(3_000);
    });

    it('answers ten calls of a person in 24 hours, over two replicas', async () => {
      const user = await aPanHolder();
      const replica = as((await service.replica()).api, user);
      const answers = await inParallel(12, (n) => ask(n % 2 ? user : { api: replica }, user.fact));
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused).toHaveLength(2);
      for (const response of refused) {
        expectRefusal(response, GeneralErrors.tooManyRequests);
        expect(Number(response.headers['retry-after'])).toBeGreaterThan(86_000);
      }
      await service.dataSource.query(
        "UPDATE onboarding.data_exports SET created_at = created_at - interval '1 day' WHERE user_id = $1",
        [user.user_id],
      );
      await exportOf(user, user.fact);
      await service.app.get(Jobs).runCleanup();
      expect(await rows('data_exports', user)).toHaveLength(1);
    });
  });

  describe('with data about another person', () => {
    it('withholds what providers said about persons who are not proved to be the user', async () => {
      const body = panBody();
      const [holder, claimant] = [await aUser(), await aUser()];
      const { full_name } = await verifyPan(holder.api, body);
      expectRefusal(await postPan(claimant.api, body), PanErrors.belongsToAnotherUser);
      // compared with no PAN yet
      await postBank(claimant.api, bankBody({ account_holder_full_name: 'Zubin Mistry' }));
      const { data } = await exportOf(claimant);
      expect(data['contested_identities']![0]).toMatchObject({ pan: body.number, names: null });
      expect(data['bank_accounts']![0]).toMatchObject({ state: 'VERIFIED', name_at_bank: null });
      expect(JSON.stringify(data)).not.toContain(full_name);
      expect(JSON.stringify(data)).not.toContain(holder.user_id);
    });

    it('hides who took over the PAN of the user, who then needs none', async () => {
      const body = panBody();
      const [first, later] = [await aUser(), await aUser()];
      await verifyPan(first.api, body);
      expectRefusal(await postPan(later.api, body), PanErrors.belongsToAnotherUser);
      const status = async () =>
        (
          (await later.api.post(issuerPath('aravalli', 'v3/check-status'), {})).body as {
            payload: EkycStatusPayload;
          }
        ).payload;
      await finishEkyc((await status()).ekyc_request_id!, 'verified');
      await eventually(async () => expect(await status()).toMatchObject({ is_ekyc_verified: true }));
      const { data } = await exportOf(first);
      const events = [...data['audit_events']!, ...data['audit_unsealed']!];
      expect(events.find(({ action }) => action === 'PAN_RELEASED')).toMatchObject({
        actor: 'another user',
        session_id: null,
        request_id: null,
      });
      expect(data['identities']).toEqual([]);
      expect(JSON.stringify(data)).not.toContain(later.user_id);
    });
  });
});
