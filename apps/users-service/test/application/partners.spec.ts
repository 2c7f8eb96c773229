import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  ConsentsPayload,
  EkycStatusPayload,
  GivenConsent,
  LoginPayload,
  UserProfilePayload,
  UserSessionsPayload,
} from '@fd/contracts';
import { ConsentErrors, GeneralErrors, LoginErrors, SessionErrors } from '@fd/errors';
import { type ApiDocument, Exchange, operationsOf } from '@fd/fuzzing';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import { IdempotentCalls } from '../../src/core/idempotency/idempotent-calls.js';
import { CallsOfUsers, Jobs } from '../../src/core/index.js';
import { shortOf, trailOf } from '../support/audit.js';
import { verifyBank } from '../support/bank.js';
import { finishEkyc } from '../support/ekyc.js';
import { anEmail, verifyEmail } from '../support/email.js';
import { aPhone, codeOf } from '../support/inbox.js';
import { lockWaiters } from '../support/lock-waiters.js';
import { open as openLocker } from '../support/locker-vendors.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { aNominee, nominate, NOMINEE_PATH, postNominee } from '../support/nominees.js';
import {
  countRefusals,
  refusalsOf,
  runPan,
  runPartners,
  runPartnersWith,
  runUsers,
  WHO,
} from '../support/operator.js';
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

  it('is one of those that a breach at the other partner concerns, once it was confirmed there', async () => {
    const { first, confirm } = await twoPartners();
    const affected = () => runUsers(service, '', 'affected', '--partner', OTHER, ...WHO);
    expect(await affected()).not.toContain(first.user_id);
    await confirm();
    expect(await affected()).toContain(first.user_id);
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
      // the locker then needs all consents of the other partner
      const locker = { purpose: 'DOCUMENT_LOCKER', notice_version: '2026-11' };
      const { consent_id } = (await first.api.post('/api/v1/consents', locker)).body.payload as GivenConsent;
      expect((await first.api.post(`/api/v1/consents/${consent_id}/withdraw`, {})).status).toBe(200);
      expect((await confirm(by === 'the confirmation')).status).toBe(200);
      if (by === 'a call of its own') {
        const given = { purpose: 'PARTNER_SHARING', notice_version: '2026-11' };
        expect((await other.api.post('/api/v1/consents', given)).status).toBe(200);
      }
      expect((await change(other)).status).toBe(201);
      expect(await profileOf(first)).toMatchObject({ nominees_count: 2 });
      expect(await openLocker(other.api)).toMatchObject({ status: 'CREATED' });
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
        await lockWaiters(service, 1);
        const again = busy.api.post('/api/v1/consents', given);
        await lockWaiters(service, 2);
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

  it('repeats no answer to an Idempotency-Key of the first partner without sharing', async () => {
    const { first, other, confirm } = await twoPartners();
    const nominee = aNominee({ name: 'Ravi Rao', share_percentage: 10 });
    const nominateAs = ({ api }: User) =>
      api.post(NOMINEE_PATH, nominee, { headers: { 'idempotency-key': first.user_id } });
    expect((await nominateAs(first)).status).toBe(201);
    expectRefusal(await nominateAs(other), SessionErrors.unconfirmed);
    await confirm();
    expectRefusal(await nominateAs(other), SessionErrors.unshared);
    await confirm(true);
    expect((await nominateAs(other)).headers['idempotent-replayed']).toBe('true');
  });

  it('does not restrict the first partner by a consent that it does not need', async () => {
    const user = await begin();
    const elsewhere = await logInAt(service.partner.url, user.phone);
    const given = { purpose: 'PARTNER_SHARING', notice_version: '2026-11' };
    await user.api.post('/api/v1/consents', given);
    const sharing = await consentTo(user, 'PARTNER_SHARING', service.partner.url);
    await user.api.post(`/api/v1/consents/${sharing!.consent_id}/withdraw`, {});
    for (const { api } of [user, elsewhere]) expect((await verifyEmail(api)).email).toContain('@');
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

  it.each(['unconfirmed', 'confirmed'])(
    'uses up none of the calls of the first partner: %s',
    async (state) => {
      const limited = await service.replica({ RATE_LIMIT_PER_MINUTE: '20' });
      // as a thousand
      Object.assign(limited.app.get(IdempotentCalls), { ofUsers: new CallsOfUsers(3) });
      const { first, other, confirm } = await twoPartners();
      if (state === 'confirmed') await confirm();
      const path = state === 'confirmed' ? '/api/v1/consents' : CONFIRM;
      const [mine, theirs] = [as(limited.api, first), as(limited.api, other)];
      const key = (index: number) => ({ headers: { 'idempotency-key': `${first.user_id} ${index}` } });
      const answers = await inParallel(25, (index) => theirs.post(path, {}, key(index)));
      expect(answers.map(({ status }) => status)).toContain(429);
      expect((await mine.get('/api/v1/user-profile')).status).toBe(200);
      expect((await postNominee(mine, aNominee({ share_percentage: 10 }))).status).toBe(201);
      expect((await mine.post('/auth/api/v2/logout', {}, key(99))).status).toBe(200);
    },
  );

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

const VERIFY = '/auth/api/v2/register/verify';
const AN_ADDRESS = 'https://app.partner.example';

describe('partners disable', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startService({});
  });
  afterEach(() => service.close());

  const run = (action: string) => runPartners(service, action, '--url', AN_ADDRESS, ...WHO);
  const openSessions = async () => {
    const [{ count }] = await service.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM onboarding.sessions WHERE ended_at IS NULL',
    );
    return count;
  };

  it("ends the partner's sessions and refuses its logins on every replica until the partner is enabled", async () => {
    const user = await logIn(service);
    const replica = await service.replica();
    expect(await run('disable')).toBe(`disabled ${AN_ADDRESS}: no further logins; sessions ended: 1\n`);
    for (const { api } of [service, replica]) {
      expectRefusal(await as(api, user).get('/api/v1/user-profile'), SessionErrors.ended);
      const refreshed = await api.post('/auth/api/v2/token/refresh', { refresh_token: user.refresh_token });
      expectRefusal(refreshed, SessionErrors.refreshTokenInvalid);
      expectRefusal(await api.post(VERIFY, verifyBody(aPhone(), '123456')), LoginErrors.partnerUnknown);
    }
    const [event] = await service.dataSource.query<{ actor: string; code: string }[]>(
      `SELECT actor, code FROM onboarding.audit_events WHERE action = 'PARTNER_DISABLED'
       UNION SELECT actor, code FROM onboarding.audit_unsealed WHERE action = 'PARTNER_DISABLED'`,
    );
    expect(event).toEqual({ actor: 'operator:partners disable by asha-rao', code: 'TICKET_4711' });
    // as an operator repeats it after a failure
    expect(await run('disable')).toContain('sessions ended: 0');
    await run('enable');
    expectRefusal(await as(service.api, user).get('/api/v1/user-profile'), SessionErrors.ended);
    expect((await logIn(service, user.phone)).user_id).toBe(user.user_id);
  });

  it('records as REPEATED what leaves the partner as it was', async () => {
    const outcomes = async () => {
      const rows = await service.dataSource.query<{ event: string }[]>(
        `SELECT action || ' ' || outcome AS event FROM (
           SELECT id, action, outcome FROM onboarding.audit_unsealed
           UNION ALL SELECT id, action, outcome FROM onboarding.audit_events) e
          WHERE action LIKE 'PARTNER%' ORDER BY id`,
      );
      return rows.map(({ event }) => event);
    };
    for (const action of ['disable', 'disable', 'enable', 'enable']) await run(action);
    const given = ['--url', AN_ADDRESS, '--name', 'Again', '--public-key', 'unread', '--if-missing'];
    expect(await runPartners(service, 'create', ...given, ...WHO)).toBe(
      `${AN_ADDRESS} is registered already\n`,
    );
    expect(await outcomes()).toEqual([
      'PARTNER_DISABLED OK',
      'PARTNER_DISABLED REPEATED',
      'PARTNER_ENABLED OK',
      'PARTNER_ENABLED REPEATED',
      'PARTNER_CREATED REPEATED',
    ]);
  });

  it('registers a partner once for parallel commands, and records the others as refused', async () => {
    const url = 'https://parallel.partner.example';
    const folder = mkdtempSync(join(tmpdir(), 'partner-'));
    const file = join(folder, 'key.json');
    writeFileSync(
      file,
      JSON.stringify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })),
    );
    const create = () =>
      runPartners(service, 'create', '--url', url, '--name', 'P', '--public-key', file, ...WHO);
    const results = await Promise.allSettled([create(), create(), create()]);
    rmSync(folder, { recursive: true });
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as Error] : [],
    );
    expect(refused.map(({ message }) => message)).toEqual(Array(2).fill(`${url} is registered already`));
    expect(await countRefusals(service, 'PARTNER_CREATED')).toBe(2);
  });

  it('refuses the sessions of a disabled partner that were not ended, as after a kill of the command', async () => {
    const user = await logIn(service);
    await service.dataSource.query('UPDATE onboarding.partners SET disabled_at = now() WHERE url = $1', [
      AN_ADDRESS,
    ]);
    expect(await openSessions()).toBe(1);
    expectRefusal(await as(service.api, user).get('/api/v1/user-profile'), SessionErrors.ended);
    const refreshed = await service.api.post('/auth/api/v2/token/refresh', {
      refresh_token: user.refresh_token,
    });
    expectRefusal(refreshed, SessionErrors.refreshTokenInvalid);
    await run('enable');
    expect(await openSessions()).toBe(0);
    expectRefusal(await as(service.api, user).get('/api/v1/user-profile'), SessionErrors.ended);
    expect((await logIn(service, user.phone)).user_id).toBe(user.user_id);
    // enabling a partner that is not disabled ends nothing
    await run('enable');
    expect(await openSessions()).toBe(1);
  });

  it('leaves no session open from logins at the same moment', async () => {
    const phones = await inParallel(8, async () => {
      const phone = aPhone();
      await service.api.post('/auth/register', { phone });
      return phone;
    });
    const codes = await Promise.all(phones.map(codeOf));
    const logins = phones.map((phone, index) => service.api.post(VERIFY, verifyBody(phone, codes[index]!)));
    await run('disable');
    for (const { status } of await Promise.all(logins)) expect([200, 400]).toContain(status);
    expect(await openSessions()).toBe(0);
  });

  it('ends more sessions than fit into one batch', async () => {
    const user = await logIn(service);
    await service.dataSource.query(
      `INSERT INTO onboarding.sessions (id, user_id, partner_id, expires_at)
       SELECT gen_random_uuid(), user_id, partner_id, expires_at FROM onboarding.sessions, generate_series(1, 2499)
        WHERE user_id = $1`,
      [user.user_id],
    );
    expect(await run('disable')).toContain('sessions ended: 2500');
    expect(await openSessions()).toBe(0);
  });
});

describe('partners create, add-key and remove-key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-'));
  const keyFile = (name: string) => {
    const file = join(folder, `${name}.jwk.json`);
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(file, JSON.stringify({ ...publicKey.export({ format: 'jwk' }), kid: name }));
    return file;
  };
  let service: TestService;
  beforeAll(async () => {
    service = await startService({});
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  const url = ['--url', 'https://next.partner.example'];
  const orders = (): [action: string, ...args: string[]][] => [
    ['create', ...url, '--name', 'Next', '--public-key', keyFile('first')],
    ['add-key', ...url, '--public-key', keyFile('second')],
    ['remove-key', ...url, '--key-id', 'first'],
  ];

  it('records the operator and the reason in the audit trail', async () => {
    for (const order of orders()) await runPartners(service, ...order, ...WHO);
    expect(
      await service.dataSource.query(
        `SELECT actor, action, code FROM (SELECT * FROM onboarding.audit_unsealed
           UNION ALL SELECT id, occurred_at, actor, action, subject_user_id, outcome, code, issuer_slug, object_id,
                            session_id, request_id, proof FROM onboarding.audit_events) e
          WHERE action LIKE 'PARTNER%' ORDER BY id`,
      ),
    ).toEqual(
      ['create CREATED', 'add-key KEY_ADDED', 'remove-key KEY_REMOVED'].map((text) => {
        const [action, done] = text.split(' ');
        return {
          actor: `operator:partners ${action} by asha-rao`,
          action: `PARTNER_${done}`,
          code: 'TICKET_4711',
        };
      }),
    );
  });

  it('reads the key from standard input, and refuses input without a key', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = JSON.stringify({ ...publicKey.export({ format: 'jwk' }), kid: 'piped' });
    const piped = [
      'create',
      '--name',
      'Piped',
      '--url',
      'https://piped.example',
      '--public-key',
      '-',
      ...WHO,
    ];
    await expect(runPartnersWith(service, '', ...piped)).rejects.toThrow(
      'standard input is not a public JWK',
    );
    expect(await runPartnersWith(service, jwk, ...piped)).toBe('registered https://piped.example\n');
    expect(await runPartners(service, 'list')).toContain('https://piped.example\tPiped\tEC piped\t');
  });

  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  it.each([
    ['a private key', JSON.stringify(pair.privateKey.export({ format: 'jwk' }), null, 2)],
    ['a private RSA key', JSON.stringify(rsa.export({ format: 'jwk' }))],
    ['a set with a private key', JSON.stringify({ keys: [rsa.export({ format: 'jwk' })] })],
    ['a private key in a PEM file', rsa.export({ format: 'pem', type: 'pkcs8' }).toString()],
    ['a private key of OpenSSL', rsa.export({ format: 'pem', type: 'pkcs1' }).toString()],
  ])('refuses %s, names it, and registers nothing', async (_name, key) => {
    const known = ['--url', 'https://known.example'];
    for (const args of [
      ['create', '--name', 'Private', '--url', 'https://private.example'],
      ['add-key', ...known],
      ['enable', ...known],
    ]) {
      const refused = runPartnersWith(service, key, ...args, '--public-key', '-', ...WHO);
      await expect(refused).rejects.toThrow(
        'standard input has a private key, which only the partner may have',
      );
    }
    expect(await runPartners(service, 'list')).not.toContain('https://private.example');
  });

  it('shows control characters in names and key ids as code points', async () => {
    const hostile = ['--url', 'https://hostile.partner.example', '--name', 'Its\tapp\n\u001b[2J'];
    await runPartners(service, 'create', ...hostile, '--public-key', keyFile('k\u009b'), ...WHO);
    const listed = (await runPartners(service, 'list'))
      .split('\n')
      .filter((line) => line.includes('hostile'));
    expect(listed).toHaveLength(1);
    expect(listed[0]!.split('\t').slice(1, 3)).toEqual(['Its<U+0009>app<U+000A><U+001B>[2J', 'EC k<U+009B>']);
  });

  it('lists each partner with the id by which the audit trail names it', async () => {
    const url = ['--url', 'https://listed.partner.example'];
    await runPartners(service, 'create', ...url, '--name', 'Listed', '--public-key', keyFile('k'), ...WHO);
    const [event] = await service.dataSource.query<{ id: string }[]>(
      `SELECT object_id AS id FROM (SELECT occurred_at, action, object_id FROM onboarding.audit_events
         UNION ALL SELECT occurred_at, action, object_id FROM onboarding.audit_unsealed) e
        WHERE action = 'PARTNER_CREATED' ORDER BY occurred_at DESC LIMIT 1`,
    );
    expect(await runPartners(service, 'list')).toMatch(
      new RegExp(
        `^https://listed\\.partner\\.example\\tListed\\tEC k\\tany origin\\tactive\\t${event!.id}$`,
        'm',
      ),
    );
  });

  it.each<[string, string, string[]]>([
    ['disable', 'PARTNER_DISABLED', []],
    ['enable', 'PARTNER_ENABLED', []],
    ['add-key', 'PARTNER_KEY_ADDED', ['--public-key', keyFile('other')]],
    ['remove-key', 'PARTNER_KEY_REMOVED', ['--key-id', 'other']],
  ])('records a refused %s of an unknown partner', async (action, recorded, args) => {
    const before = await countRefusals(service, recorded);
    const unknown = ['--url', 'https://unknown.example', ...args, ...WHO];
    await expect(runPartners(service, action, ...unknown)).rejects.toThrow(/is not registered/);
    expect(await countRefusals(service, recorded)).toBe(before + 1);
  });

  it('records a refused change of a known partner with its id', async () => {
    const [{ id }] = await service.dataSource.query<[{ id: string }]>(
      'SELECT id FROM onboarding.partners WHERE url = $1',
      [AN_ADDRESS],
    );
    const known = ['--url', AN_ADDRESS, ...WHO];
    const given = ['--name', 'Again', '--public-key', keyFile('again')];
    await expect(runPartners(service, 'remove-key', '--key-id', 'x', ...known)).rejects.toThrow(/one key/);
    await expect(runPartners(service, 'create', ...given, ...known)).rejects.toThrow(/registered already/);
    expect(await refusalsOf(service, id)).toEqual(
      expect.arrayContaining(
        ['remove-key', 'create'].map((action) => ({
          actor: `operator:partners ${action} by asha-rao`,
          code: 'TICKET_4711',
        })),
      ),
    );
  });

  it.each(['create', 'add-key', 'remove-key'])('refuses %s without a name or a reason', async (action) => {
    const order = orders().find(([name]) => name === action)!;
    await expect(runPartners(service, ...order)).rejects.toThrow(/--by/);
    await expect(runPartners(service, ...order, '--by', 'asha-rao')).rejects.toThrow(/--reason/);
    await expect(runPartners(service, ...order, '--by', 'a\u001b[2J', '--reason', 'X Y')).rejects.toThrow(
      /--by/,
    );
  });
});
