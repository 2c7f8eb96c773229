import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ConsentsPayload,
  EkycStatusPayload,
  LoginPayload,
  UserProfilePayload,
  UserSessionsPayload,
} from '@fd/contracts';
import { ConsentErrors, GeneralErrors, SessionErrors } from '@fd/errors';
import { type ApiDocument, Exchange, operationsOf } from '@fd/fuzzing';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import { CallsOfUsers, Jobs } from '../../src/core/index.js';
import { IdempotentCalls } from '../../src/core/idempotency/idempotent-calls.js';
import { shortOf, trailOf } from '../support/audit.js';
import { verifyBank } from '../support/bank.js';
import { finishEkyc } from '../support/ekyc.js';
import { anEmail, verifyEmail } from '../support/email.js';
import { codeOf } from '../support/inbox.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { aNominee, nominate, NOMINEE_PATH, postNominee } from '../support/nominees.js';
import { runPan, WHO } from '../support/operator.js';
import { panBody, verifyPan } from '../support/pan.js';
import { aPartner, ecKeys } from '../support/partner.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const OTHER = 'https://invest.northwind.example';
const CONFIRM = '/api/v1/account-confirmation';
const STATES = ['unconfirmed', 'confirmed', 'shared'] as const;

type User = LoginPayload & { readonly phone: string; readonly api: ApiClient };

/** The rows of the table in docs/partners.md, by call. */
const TABLE = new Map(
  readFileSync(new URL('../../../../docs/partners.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
    .map(([, call, ...cells]) => [call!, cells.slice(0, STATES.length)] as const),
);

describe('an account that was begun with another partner', () => {
  let service: TestService;
  let together: UsersApp;
  beforeAll(async () => {
    service = await startService({ SEPARATE_PARTNERS: 'true', CONFIRM_LOGIN_AFTER_DAYS: '90' });
    together = await service.replica({ SEPARATE_PARTNERS: 'false' });
    // its worker would take what the other one leaves
    await together.app.get(Jobs).beforeApplicationShutdown();
    await aPartner(service.dataSource, { url: OTHER, keys: ecKeys() });
  });
  afterAll(() => service.close());

  const logInAt = async (partner: string, phone?: string, { api }: UsersApp = service): Promise<User> => {
    const given = phone ?? (await logIn(service)).phone;
    await api.post('/auth/register', { phone: given });
    const { status, body } = await api.post(
      '/auth/api/v2/register/verify',
      verifyBody(given, await codeOf(given), partner),
    );
    expect(status).toBe(200);
    const payload = body.payload as LoginPayload;
    return { ...payload, phone: given, api: as(api, payload) };
  };
  const begin = async (): Promise<User> => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };

  /** A user with data, and a session of the same user with another partner. */
  async function twoPartners() {
    const first = await begin();
    const pan = panBody();
    await verifyPan(first.api, pan);
    await verifyEmail(first.api);
    await nominate(first.api, aNominee({ share_percentage: 50 }));
    const { number, dob } = pan;
    const other = await logInAt(OTHER, first.phone);
    const confirm = (share_with_partner?: unknown) =>
      other.api.post(CONFIRM, { number, dob, share_with_partner });
    return { first, other, confirm };
  }
  const profileOf = async ({ api }: User): Promise<UserProfilePayload> =>
    ((await api.get('/api/v1/user-profile')).body as { payload: UserProfilePayload }).payload;
  const consentsOf = async ({ api }: User) =>
    ((await api.get('/api/v1/consents')).body as { payload: ConsentsPayload }).payload.consents;
  const consentTo = async (user: User, purpose: string, partner: string) =>
    (await consentsOf(user)).find(
      (consent) =>
        consent.purpose === purpose && consent.partner_url === partner && consent.withdrawn_at === null,
    );
  const change = ({ api }: User) => postNominee(api, aNominee({ name: 'Ravi Rao', share_percentage: 10 }));

  it.each(STATES)('answers a session that is %s as docs/partners.md says, call by call', async (state) => {
    const exchange = new Exchange(service.url);
    const document = JSON.parse((await exchange.send('get', '/openapi.json')).text) as ApiDocument;
    const operations = operationsOf(document).filter(({ isPublic }) => !isPublic);
    expect([...TABLE.keys()].sort()).toEqual(
      operations.map(({ method, template }) => `${method.toUpperCase()} ${template}`).sort(),
    );
    const { other, confirm } = await twoPartners();
    if (state !== 'unconfirmed') expect((await confirm(state === 'shared')).status).toBe(200);
    const seen: Record<string, string> = {};
    const expected: Record<string, string> = {};
    // the logout ends the session
    const isLogout = ({ template }: { template: string }) => template.endsWith('/logout');
    for (const { method, template } of [...operations].sort(
      (a, b) => Number(isLogout(a)) - Number(isLogout(b)),
    )) {
      const name = `${method.toUpperCase()} ${template}`;
      const path = template.replace('{issuer_slug}', 'aravalli').replaceAll(/\{\w+\}/g, other.user_id);
      const headers = { authorization: `Bearer ${other.access_token}`, 'content-type': 'application/json' };
      const body = method === 'get' ? undefined : Buffer.from('{}');
      const { text } = await exchange.send(method, path, headers, body);
      const { error } = JSON.parse(text) as { error?: { errorCode: string }[] };
      const code = error?.[0]?.errorCode;
      const isRefused = code === SessionErrors.unconfirmed.code || code === SessionErrors.unshared.code;
      seen[name] = isRefused ? code.replace('SVCUSER', '') : 'answered';
      expected[name] = TABLE.get(name)![STATES.indexOf(state)]!;
    }
    exchange.close();
    expect(seen).toEqual(expected);
  });

  it('shows nothing of it to the other partner, whose login gives no consent', async () => {
    const { first, other } = await twoPartners();
    expect(other).toMatchObject({
      user_id: first.user_id,
      needs_confirmation: true,
      needs_sharing_consent: true,
      user: { is_pan_verified: false, is_email_verified: false },
    });
    expect(await profileOf(other)).toMatchObject({
      pan: null,
      full_name: null,
      email: null,
      nominees_count: 0,
    });
    expect((await consentsOf(first)).map(({ partner_url }) => partner_url)).not.toContain(OTHER);
    expectRefusal(await change(other), SessionErrors.unconfirmed);
    expect(await profileOf(first)).toMatchObject({ is_pan_verified: true, nominees_count: 1 });
  });

  it("leaves the person's own rights whole after a second fact, and the data to the first partner", async () => {
    const { first, other, confirm } = await twoPartners();
    expect((await confirm()).body).toMatchObject({ payload: { is_confirmed: true } });
    expect(await profileOf(other)).toMatchObject({ is_pan_verified: true, nominees_count: 1 });
    expect((await other.api.get(NOMINEE_PATH)).status).toBe(200);
    for (const call of [
      change(other),
      other.api.post('/api/v1/email/send-otp', { email: anEmail() }),
      other.api.get('/issuer-apis/aravalli/v1/booking-check'),
    ])
      expectRefusal(await call, SessionErrors.unshared);
    expect((await consentsOf(other)).map(({ partner_url }) => partner_url)).not.toContain(OTHER);
    const terms = await consentTo(other, 'TERMS_OF_USE', service.partner.url);
    expect((await other.api.post(`/api/v1/consents/${terms!.consent_id}/withdraw`, {})).status).toBe(200);
    const { body } = await other.api.get('/api/v1/user-sessions');
    const { sessions } = (body as { payload: UserSessionsPayload }).payload;
    const firsts = sessions.find(({ is_current }) => !is_current)!;
    expect((await other.api.delete(`/api/v1/user-sessions/${firsts.session_id}`)).status).toBe(200);
    expectRefusal(await first.api.get('/api/v1/user-profile'), SessionErrors.ended);
    expect((await trailOf(service, first.user_id)).map(shortOf)).toContain('ACCOUNT_CONFIRMED');
    // the next login with this partner asks again
    expect(await logInAt(OTHER, first.phone)).toMatchObject({ needs_sharing_consent: true });
  });

  it.each(['the confirmation', 'a call of its own'])(
    'lets the other partner go on with the journey after the consent by %s',
    async (by) => {
      const { first, other, confirm } = await twoPartners();
      expect((await confirm(by === 'the confirmation')).status).toBe(200);
      if (by === 'a call of its own') {
        const given = { purpose: 'PARTNER_SHARING', notice_version: '2026-11' };
        expect((await other.api.post('/api/v1/consents', given)).status).toBe(200);
      }
      expect((await change(other)).status).toBe(201);
      expect(await profileOf(first)).toMatchObject({ nominees_count: 2 });
      for (const url of [OTHER, service.partner.url]) {
        const later = await logInAt(url, first.phone);
        expect(later).not.toHaveProperty('needs_confirmation');
        expect(later).not.toHaveProperty('needs_sharing_consent');
      }
    },
  );

  it('ends the sessions of the other partner when the consent is withdrawn, not those of the first', async () => {
    const { first, other, confirm } = await twoPartners();
    await confirm(true);
    expect((await change(other)).status).toBe(201);
    const sharing = await consentTo(first, 'PARTNER_SHARING', OTHER);
    expect((await first.api.post(`/api/v1/consents/${sharing!.consent_id}/withdraw`, {})).status).toBe(200);
    // nothing is read on, and the consent is not given again, without the person and a new code
    expectRefusal(await change(other), SessionErrors.ended);
    const given = { purpose: 'PARTNER_SHARING', notice_version: '2026-11' };
    expectRefusal(await other.api.post('/api/v1/consents', given), SessionErrors.ended);
    expectRefusal(await confirm(true), SessionErrors.ended);
    expect((await first.api.get('/issuer-apis/aravalli/v1/journey')).status).toBe(200);
    expect(await logInAt(OTHER, first.phone)).toMatchObject({ needs_sharing_consent: true });
  });

  it('asks for the second fact again in the session that withdraws the consent', async () => {
    const { first, other, confirm } = await twoPartners();
    await confirm(true);
    const usual = await logInAt(OTHER, first.phone);
    expect(usual).not.toHaveProperty('needs_confirmation');
    const sharing = await consentTo(other, 'PARTNER_SHARING', OTHER);
    expect((await other.api.post(`/api/v1/consents/${sharing!.consent_id}/withdraw`, {})).status).toBe(200);
    const given = { purpose: 'PARTNER_SHARING', notice_version: '2026-11' };
    expectRefusal(await other.api.post('/api/v1/consents', given), SessionErrors.unconfirmed);
    expect((await profileOf(other)).full_name).toBeNull();
    expectRefusal(await usual.api.get('/api/v1/consents'), SessionErrors.ended);
    expect((await confirm()).status).toBe(200);
    expect((await profileOf(other)).full_name).not.toBeNull();
    expect((await confirm(true)).status).toBe(200);
    expect((await change(other)).status).toBe(201);
  });

  it('lets no consent of the other partner carry on what was withdrawn at the first', async () => {
    const { first, other, confirm } = await twoPartners();
    await confirm();
    const status = () => first.api.post('/issuer-apis/aravalli/v3/check-status', {});
    const { ekyc_request_id: id } = ((await status()).body as { payload: EkycStatusPayload }).payload;
    for (const purpose of ['TERMS_OF_USE', 'PAN_VERIFICATION']) {
      const consent = await consentTo(first, purpose, service.partner.url);
      await first.api.post(`/api/v1/consents/${consent!.consent_id}/withdraw`, {});
      const given = { purpose, notice_version: consent!.notice_version };
      expect((await other.api.post('/api/v1/consents', given)).status).toBe(200);
    }
    await finishEkyc(id!, 'verified');
    const stateOf = async () => {
      const [row] = await service.dataSource.query<[{ status: string }]>(
        'SELECT status FROM onboarding.ekyc_requests WHERE id = $1',
        [id],
      );
      return row.status;
    };
    await service.dataSource.query('UPDATE onboarding.ekyc_requests SET next_try_at = now() WHERE id = $1', [
      id,
    ]);
    await eventually(async () => expect(await stateOf()).toBe('EXPIRED'));
  });

  it('withdraws nothing from the first by what the other partner has given and withdrawn itself', async () => {
    const { first, other, confirm } = await twoPartners();
    await confirm();
    for (const purpose of ['ISSUER_SHARING', 'BANK_ACCOUNT_VERIFICATION']) {
      const given = { purpose, notice_version: '2026-11' };
      expect((await other.api.post('/api/v1/consents', given)).status).toBe(200);
      const consent = await consentTo(other, purpose, OTHER);
      await other.api.post(`/api/v1/consents/${consent!.consent_id}/withdraw`, {});
    }
    expect((await first.api.post('/issuer-apis/vindhya/v2/check-etb', {})).status).toBe(200);
    expect((await verifyBank(first.api, { account_holder_full_name: null })).is_bank_verified).toBe(true);
    // a partner with which it is shared goes by the consents of all, as ever
    expect((await confirm(true)).status).toBe(200);
    expectRefusal(await other.api.post('/issuer-apis/vindhya/v2/check-etb', {}), ConsentErrors.withdrawn);
  });

  it('leaves no session open to a login at the moment of the withdrawal', async () => {
    for (let round = 0; round < 4; round++) {
      const { first, confirm } = await twoPartners();
      await confirm(true);
      const sharing = await consentTo(first, 'PARTNER_SHARING', OTHER);
      const [later] = await Promise.all([
        logInAt(OTHER, first.phone),
        first.api.post(`/api/v1/consents/${sharing!.consent_id}/withdraw`, {}),
      ]);
      // ended if it came before the withdrawal
      expect([401, 403]).toContain((await change(later)).status);
    }
  });

  it.each(['first', 'other'] as const)(
    'gives the consent again by no call that was under way when it was withdrawn in a session of the %s partner',
    async (where) => {
      const { first, other, confirm } = await twoPartners();
      await confirm(true);
      const busy = where === 'first' ? await logInAt(OTHER, first.phone) : other;
      const sharing = await consentTo(first, 'PARTNER_SHARING', OTHER);
      const given = { purpose: 'PARTNER_SHARING', notice_version: '2026-11' };
      await service.dataSource.transaction(async (tx) => {
        // holds the withdrawal back at its last step
        await tx.query('SELECT FROM onboarding.sessions WHERE user_id = $1 FOR UPDATE', [first.user_id]);
        const { api } = where === 'first' ? first : busy;
        const withdrawn = api.post(`/api/v1/consents/${sharing!.consent_id}/withdraw`, {});
        await sleep(100);
        const again = busy.api.post('/api/v1/consents', given);
        await sleep(100);
        await tx.query('ROLLBACK');
        await tx.query('BEGIN');
        expect((await withdrawn).status).toBe(200);
        expectRefusal(await again, where === 'first' ? SessionErrors.ended : SessionErrors.unconfirmed);
      });
      expect(await consentTo(first, 'PARTNER_SHARING', OTHER)).toBeUndefined();
      expect(await logInAt(OTHER, first.phone)).toMatchObject({ needs_sharing_consent: true });
    },
  );

  it.each([
    '/issuer-apis/nilgiri/v1/journey',
    '/api/v1/personal-details?issuer_code=NILHFC',
    '/api/v1/personal-details/options?issuer_code=NILHFC',
  ])('chooses no issuer by a look in the app of the other partner: %s', async (path) => {
    const { first, other, confirm } = await twoPartners();
    await first.api.get('/issuer-apis/aravalli/v1/journey');
    await confirm();
    expect((await other.api.get(path)).status).toBe(200);
    expect((await verifyBank(first.api, { account_holder_full_name: null })).issuer_code).toBe('ARAVFIN');
  });

  it('does not restrict the first partner by a consent that it does not need', async () => {
    const user = await begin();
    const given = { purpose: 'PARTNER_SHARING', notice_version: '2026-11' };
    await user.api.post('/api/v1/consents', given);
    const sharing = await consentTo(user, 'PARTNER_SHARING', service.partner.url);
    await user.api.post(`/api/v1/consents/${sharing!.consent_id}/withdraw`, {});
    expect((await verifyEmail(user.api)).email).toContain('@');
  });

  describe('without a verified PAN', () => {
    const tryConfirm = ({ api }: User, share_with_partner?: boolean) => {
      const { number, dob } = panBody();
      return api.post(CONFIRM, { number, dob, share_with_partner });
    };

    it('opens by the consent', async () => {
      const first = await begin();
      await verifyEmail(first.api);
      const other = await logInAt(OTHER, first.phone);
      expectRefusal(await tryConfirm(other), SessionErrors.unshared);
      expect((await profileOf(other)).email).toBeNull();
      expect((await tryConfirm(other, true)).status).toBe(200);
      expect((await profileOf(other)).email).not.toBeNull();
      await verifyPan(first.api);
      const sharing = await consentTo(first, 'PARTNER_SHARING', OTHER);
      await first.api.post(`/api/v1/consents/${sharing!.consent_id}/withdraw`, {});
      expectRefusal(await tryConfirm(other, true), SessionErrors.ended);
    });

    it('never opens to a possible new owner of the phone', async () => {
      const first = await begin();
      await service.dataSource.query(
        "UPDATE onboarding.users SET last_login_at = now() - interval '91 days' WHERE id = $1",
        [first.user_id],
      );
      const other = await logInAt(OTHER, first.phone);
      expectRefusal(await tryConfirm(other, true), SessionErrors.nothingToConfirm);
      expect((await other.api.post(`${CONFIRM}/start-anew`, { start_anew: true })).status).toBe(200);
    });
  });

  it('is not opened by the consent alone once it had a PAN, which was released', async () => {
    const { first, other, confirm } = await twoPartners();
    await runPan(service, '', 'release', '--user', first.user_id, ...WHO);
    expectRefusal(await confirm(true), SessionErrors.nothingToConfirm);
    expectRefusal(await other.api.get(NOMINEE_PATH), SessionErrors.unconfirmed);
    // the way that the refusal names
    const again = panBody();
    await verifyPan(first.api, again);
    const { number, dob } = again;
    expect((await other.api.post(CONFIRM, { number, dob, share_with_partner: true })).status).toBe(200);
    expect((await other.api.get(NOMINEE_PATH)).status).toBe(200);
  });

  it('is shared no longer by any version of the notice once one consent is withdrawn', async () => {
    const { first, other, confirm } = await twoPartners();
    expect((await confirm(true)).status).toBe(200);
    await service.dataSource.query(
      `INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash, is_united)
       SELECT gen_random_uuid(), user_id, partner_id, purpose, 'earlier', ip_hash, is_united
         FROM onboarding.consents WHERE user_id = $1 AND purpose = 'PARTNER_SHARING'`,
      [first.user_id],
    );
    const { consent_id } = (await consentTo(first, 'PARTNER_SHARING', OTHER))!;
    expect((await first.api.post(`/api/v1/consents/${consent_id}/withdraw`, {})).status).toBe(200);
    expect(await consentTo(first, 'PARTNER_SHARING', OTHER)).toBeUndefined();
    expect(await logInAt(OTHER, other.phone)).toMatchObject({ needs_sharing_consent: true });
    const withdrawn = (await trailOf(service, first.user_id)).map(shortOf);
    expect(withdrawn.filter((action) => action === 'CONSENT_WITHDRAWN')).toHaveLength(2);
  });

  it('cannot be given up by the other partner', async () => {
    const { first, other } = await twoPartners();
    expectRefusal(
      await other.api.post(`${CONFIRM}/start-anew`, { start_anew: true }),
      SessionErrors.confirmed,
    );
    expect((await profileOf(first)).is_pan_verified).toBe(true);
  });

  it.each(['yes', 1, {}])('refuses share_with_partner %j', async (share) => {
    const { confirm } = await twoPartners();
    expectRefusal(await confirm(share), GeneralErrors.fieldInvalid);
  });

  it('loses no session of the first partner to many logins with the other one', async () => {
    const { first } = await twoPartners();
    await service.dataSource.query(
      `INSERT INTO onboarding.sessions (id, user_id, partner_id, expires_at, is_unconfirmed)
       SELECT gen_random_uuid(), user_id, partner_id, expires_at, true
         FROM onboarding.sessions, generate_series(1, 25) WHERE user_id = $1 AND is_unconfirmed`,
      [first.user_id],
    );
    await logInAt(OTHER, first.phone);
    expect((await profileOf(first)).is_pan_verified).toBe(true);
    const [{ open }] = await service.dataSource.query<[{ open: number }]>(
      'SELECT count(*)::int AS open FROM onboarding.sessions WHERE user_id = $1 AND ended_at IS NULL AND is_unconfirmed',
      [first.user_id],
    );
    expect(open).toBe(20);
  });

  it('uses up none of the calls of the first partner', async () => {
    const limited = await service.replica({ RATE_LIMIT_PER_MINUTE: '20' });
    // as a thousand
    Object.assign(limited.app.get(IdempotentCalls), { ofUsers: new CallsOfUsers(3) });
    const { first, other } = await twoPartners();
    const [mine, theirs] = [as(limited.api, first), as(limited.api, other)];
    const key = (index: number) => ({ headers: { 'idempotency-key': `${first.user_id} ${index}` } });
    const answers = await inParallel(25, (index) => theirs.post(CONFIRM, {}, key(index)));
    expect(answers.map(({ status }) => status)).toContain(429);
    expect((await mine.get('/api/v1/user-profile')).status).toBe(200);
    expect((await postNominee(mine, aNominee({ share_percentage: 10 }))).status).toBe(201);
    expect((await mine.post('/auth/api/v2/logout', {}, key(99))).status).toBe(200);
  });

  it('is a usual one for a new user, and for every partner without SEPARATE_PARTNERS', async () => {
    const user = await logInAt(OTHER);
    // logIn began it with the usual partner
    expect(user).toMatchObject({ needs_sharing_consent: true });
    const elsewhere = await logInAt(OTHER, user.phone, together);
    expect(elsewhere).not.toHaveProperty('needs_confirmation');
    await verifyEmail(elsewhere.api);
    // the setting holds for sessions from before, too
    expectRefusal(
      await as(service.api, elsewhere).post('/api/v1/email/send-otp', { email: anEmail() }),
      SessionErrors.unconfirmed,
    );
  });
});
