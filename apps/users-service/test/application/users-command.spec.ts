import type { LoginPayload } from '@fd/contracts';
import { BankErrors, LoginErrors, PanErrors, SessionErrors } from '@fd/errors';
import { expectRefusal, inParallel, recordEvidence } from '@fd/testing';
import { ISSUERS } from '../../src/config/issuers.js';
import { keysConfig, piiConfig } from '../../src/config/users-config.js';
import { checkTrail } from '../../src/core/audit/audit-check.js';
import { AuditKeys } from '../../src/core/audit/audit-event.js';
import { PiiCipher } from '../../src/core/pii/pii-cipher.js';
import { ExistingCustomersRepository } from '../../src/kyc/existing-customers/existing-customers.repository.js';
import { Partner } from '../../src/identity/partners/partner.entity.js';
import { PanChecksRepository } from '../../src/kyc/pan/pan-checks.repository.js';
import { sealTrail, shortOf, trailOf } from '../support/audit.js';
import { bankBody, HOLDER, postBank } from '../support/bank.js';
import { aPhone, codeOf } from '../support/inbox.js';
import { anAccount, issuerPath } from '../support/issuers.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { countRefusals, decideNames, runPan, runUsers, WHO } from '../support/operator.js';
import { aPartner } from '../support/partner.js';
import { aPan, knownAs, panBody, postPan, verifyPan } from '../support/pan.js';
import { withoutTriggers } from '../support/past-rows.js';
import { startService, type TestService } from '../support/users-app.js';

const VERIFY = '/auth/api/v2/register/verify';
const REFRESH = '/auth/api/v2/token/refresh';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('users command', () => {
  const run = (action: string, ...args: string[]) => runUsers(service, '', action, ...args, ...WHO);
  const find = (input: string) => runUsers(service, input, 'find', ...WHO);
  const lastOf = async (userId: string) => (await trailOf(service, userId)).at(-1)!;

  describe('affected', () => {
    const affected = async (...args: string[]) =>
      (await run('affected', ...args))
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t'));
    const idsOf = async (...args: string[]) => (await affected(...args)).map(([id]) => id);
    const now = () => new Date().toISOString();

    it('lists who has events in the time, sealed or not, with the times of the first and the last', async () => {
      const before = await logIn(service);
      await sealTrail(service);
      const from = now();
      const [sealed, waiting] = [await logIn(service), await logIn(service)];
      await sealTrail(service);
      await verifyPan(as(service.api, waiting));
      const to = now();
      const after = await logIn(service);
      const found = await affected('--from', from, '--to', to);
      const ids = found.map(([id]) => id);
      expect(ids).toEqual(expect.arrayContaining([sealed.user_id, waiting.user_id]));
      for (const { user_id } of [before, after]) expect(ids).not.toContain(user_id);
      for (const [, first, last] of found)
        expect([from <= first!, first! <= last!, last! < to]).toEqual([true, true, true]);
      const events = await service.dataSource.query<{ code: string }[]>(
        `SELECT code FROM (SELECT id, action, code FROM onboarding.audit_events
           UNION ALL SELECT id, action, code FROM onboarding.audit_unsealed) e
          WHERE action = 'AFFECTED_USERS_LISTED' ORDER BY id`,
      );
      expect(events.at(-1)).toEqual({ code: 'TICKET_4711' });
    });

    it('lists who has data in a table, or has consented through a partner', async () => {
      const from = now();
      const url = 'https://breached.partner.example';
      await aPartner(service.dataSource, { url });
      const [plain, withPan, elsewhere] = [await logIn(service), await logIn(service), await logIn(service)];
      await verifyPan(as(service.api, withPan));
      await service.api.post('/auth/register', { phone: elsewhere.phone });
      await service.api.post(VERIFY, verifyBody(elsewhere.phone, await codeOf(elsewhere.phone), url));
      expect(await idsOf('--from', from, '--table', 'identities')).toEqual([withPan.user_id]);
      expect((await idsOf('--from', from, '--table', 'users')).sort()).toEqual(
        [plain, withPan, elsewhere].map(({ user_id }) => user_id).sort(),
      );
      expect(await idsOf('--partner', url)).toEqual([elsewhere.user_id]);
      expect(await idsOf('--partner', url, '--table', 'identities')).toEqual([]);
    });

    it('lists without a time who has data that is older than the trail, and who was erased', async () => {
      const url = 'https://old.partner.example';
      await aPartner(service.dataSource, { url });
      const loggedIn = async () => {
        const user = await logIn(service);
        await service.api.post('/auth/register', { phone: user.phone });
        await service.api.post(VERIFY, verifyBody(user.phone, await codeOf(user.phone), url));
        await verifyPan(as(service.api, user));
        return user.user_id;
      };
      const [old, recent, erased] = [await loggedIn(), await loggedIn(), await loggedIn()];
      await run('erase', '--user', erased, '--no-deposit');
      await sealTrail(service);
      // for a while: another test verifies the whole trail
      const nobody = crypto.randomUUID();
      const giveEvents = (from: string, to: string) =>
        withoutTriggers(
          service,
          'UPDATE onboarding.audit_events SET subject_user_id = $2 WHERE subject_user_id = $1',
          [from, to],
        );
      await giveEvents(old, nobody);
      const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
      expect((await affected('--partner', url)).sort()).toEqual(
        [
          [old, '-', '-'],
          [recent, time, time],
          [erased, time, time],
        ].sort(),
      );
      expect((await idsOf('--partner', url, '--table', 'identities')).sort()).toEqual([old, recent].sort());
      expect((await idsOf('--partner', url, '--from', '2020-01-01T00:00:00Z')).sort()).toEqual(
        [recent, erased].sort(),
      );
      await giveEvents(nobody, old);
    });

    it('lists without a time more users than it reads at once', async () => {
      const { dataSource } = service;
      await dataSource.query(
        `INSERT INTO onboarding.users (id, phone_index, phone_encrypted)
         SELECT md5('u' || n)::uuid, sha256(n::text::bytea), 'x' FROM generate_series(1, 1100) n`,
      );
      const users = await dataSource.query<{ id: string }[]>('SELECT id FROM onboarding.users ORDER BY id');
      expect(await idsOf('--table', 'users')).toEqual(users.map(({ id }) => id));
    });

    it.each([
      ['no filter', [], /at least one/],
      ['a time without a zone', ['--from', '2026-11-28T09:30:00'], /--from must be a time/],
      ['no time', ['--to', 'tomorrow'], /--to must be a time/],
      ['an unknown table', ['--table', 'pg_class'], /--table must be/],
      ['a table without users', ['--table', 'otp_counts'], /--table must be/],
      ['an unknown partner', ['--partner', 'https://nobody.example'], /no such partner/],
    ])('refuses %s', async (_what, args, message) => {
      await expect(run('affected', ...args)).rejects.toThrow(message);
    });
  });

  describe('find', () => {
    it('finds a user by phone and by PAN, masked, and records it', async () => {
      const user = await logIn(service);
      const { number } = await verifyPan(as(service.api, user));
      for (const [input, relation] of [
        [`${user.phone}\n`, 'has this phone'],
        [number, 'has this PAN'],
      ] as const) {
        expect(await find(input)).toMatch(
          new RegExp(
            `^${user.user_id}\t91XXXXXX${user.phone.slice(-4)}\t${relation}\tsince \\S+Z\tactive\n$`,
          ),
        );
        const recorded = await lastOf(user.user_id);
        expect([shortOf(recorded), recorded.actor]).toEqual([
          'USER_SOUGHT TICKET_4711',
          'operator:users find by asha-rao',
        ]);
      }
    });

    it('finds the user who claims a PAN of another user', async () => {
      const [first, later] = [await logIn(service), await logIn(service)];
      const body = panBody();
      await verifyPan(as(service.api, first), body);
      expectRefusal(await postPan(as(service.api, later), body), PanErrors.belongsToAnotherUser);
      const lines = (await find(body.number)).trim().split('\n');
      expect(
        lines.map((line) => line.split('\t').filter((_field, index) => index === 0 || index === 2)),
      ).toEqual([
        [first.user_id, 'has this PAN'],
        [later.user_id, 'claims this PAN'],
      ]);
    });

    it.each([
      ['an unknown phone', aPhone(), /No user has it/],
      ['an unknown PAN', aPan(), /No user has it/],
      ['a phone without its prefix', '9876543210', /must be in --file/],
      ['nothing', '', /must be in --file/],
    ])('finds no user by %s, and records the refusal', async (_name, input, message) => {
      const before = await countRefusals(service, 'USER_SOUGHT');
      await expect(find(input)).rejects.toThrow(message);
      expect(await countRefusals(service, 'USER_SOUGHT')).toBe(before + 1);
    });
  });

  it.each([
    ['show', 'USER_READ'],
    ['end-sessions', 'SESSIONS_ENDED'],
    ['block', 'USER_BLOCKED'],
    ['unblock', 'USER_UNBLOCKED'],
    ['export', 'USER_EXPORTED'],
    ['erase', 'USER_ERASED'],
  ])('records a refused %s for an unknown user', async (action, recorded) => {
    const unknownId = crypto.randomUUID();
    await expect(run(action, '--user', unknownId)).rejects.toThrow('There is no such user.');
    const events = await trailOf(service, unknownId);
    expect(events.map((event) => [shortOf(event), event.actor])).toEqual([
      [`${recorded} REFUSED TICKET_4711`, `operator:users ${action} by asha-rao`],
    ]);
  });

  it.each([
    ['end-sessions', 'SESSIONS_ENDED'],
    ['block', 'USER_BLOCKED'],
    ['unblock', 'USER_UNBLOCKED'],
  ])('records %s as REPEATED when it changes nothing', async (action, recorded) => {
    const { user_id } = await logIn(service);
    if (action === 'unblock') await run('block', '--user', user_id);
    await run(action, '--user', user_id);
    expect(shortOf(await lastOf(user_id))).toBe(`${recorded} TICKET_4711`);
    await run(action, '--user', user_id);
    expect(shortOf(await lastOf(user_id))).toBe(`${recorded} REPEATED TICKET_4711`);
  });

  it('shows steps with reasons, sessions and calls of a user, all masked', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    await postPan(api, panBody(aPan({ digits: '0404' })));
    const { number } = await verifyPan(api);
    await api.post(issuerPath('aravalli', 'v3/check-status'), {});
    const shown = await run('show', '--user', user.user_id);
    expect(shown).toMatch(
      new RegExp(`^user\t${user.user_id}\t91XXXXXX${user.phone.slice(-4)}\tsince \\S+Z\tactive\n`),
    );
    expect(shown).toMatch(/\nsessions\t1 open\tlast used \S+Z\n/);
    expect(shown).toContain(`\npan\tXXXXXX${number.slice(6)}\t`);
    expect(shown).toMatch(/\nstep\t-\tPAN\tDONE\t-\t\S+Z\n/);
    expect(shown).toMatch(/\nstep\taravalli\tEKYC\tIN_PROGRESS\t-\t/);
    expect(shown).toMatch(
      new RegExp(
        `\ncall\tekyc\t\\S+\t${user.user_id}\taravalli\tFOLLOWED\t\\d+ tries\topen since \\S+Z\tnext try`,
      ),
    );
    expect(shown).not.toContain(number);
    expect(shown).not.toContain(user.phone.slice(2));
    expect(shortOf(await lastOf(user.user_id))).toBe('USER_READ TICKET_4711');
  });

  it('ends all sessions at once, on every replica; the user may log in again', async () => {
    const user = await logIn(service);
    const other = await logIn(service, user.phone);
    const replica = await service.replica();
    expect(await run('end-sessions', '--user', user.user_id)).toBe('sessions ended: 2\n');
    for (const app of [service, replica]) {
      for (const login of [user, other])
        expectRefusal(await as(app.api, login).get('/api/v1/user-profile'), SessionErrors.ended);
    }
    const refreshed = await service.api.post('/auth/api/v2/token/refresh', {
      refresh_token: user.refresh_token,
    });
    expectRefusal(refreshed, SessionErrors.refreshTokenInvalid);
    expect(shortOf(await lastOf(user.user_id))).toBe('SESSIONS_ENDED TICKET_4711');
    const { status } = await as(service.api, await logIn(service, user.phone)).get('/api/v1/user-profile');
    expect(status).toBe(200);
  });

  describe('block', () => {
    it('ends all sessions, and refuses logins only to the holder of the phone, until unblock', async () => {
      const user = await logIn(service);
      const replica = await service.replica();
      expect(await run('block', '--user', user.user_id)).toBe('blocked\nsessions ended: 1\n');
      expectRefusal(await as(replica.api, user).get('/api/v1/user-profile'), SessionErrors.ended);
      expect(await run('show', '--user', user.user_id)).toMatch(/^user\t.*\tblocked \S+Z\n/);
      expect((await service.api.post('/auth/register', { phone: user.phone })).status).toBe(201);
      const code = await codeOf(user.phone);
      const wrong = code === '111111' ? '222222' : '111111';
      // a caller without the code does not learn of the block
      expectRefusal(await replica.api.post(VERIFY, verifyBody(user.phone, wrong)), LoginErrors.otpWrong);
      expectRefusal(await replica.api.post(VERIFY, verifyBody(user.phone, code)), LoginErrors.userBlocked);
      expectRefusal(await service.api.post(VERIFY, verifyBody(user.phone, code)), LoginErrors.otpExpired);
      expect(await run('unblock', '--user', user.user_id)).toBe('may log in again\n');
      expect(await run('unblock', '--user', user.user_id)).toBe('was not blocked\n');
      expect((await logIn(service, user.phone)).user_id).toBe(user.user_id);
      expect((await trailOf(service, user.user_id)).map(shortOf)).toEqual(
        expect.arrayContaining(['USER_BLOCKED TICKET_4711', 'USER_UNBLOCKED TICKET_4711']),
      );
    });

    it('leaves no session open from logins at the same moment', async () => {
      const users = await inParallel(6, () => logIn(service));
      for (const { phone, user_id: id } of users) {
        await service.api.post('/auth/register', { phone });
        const code = await codeOf(phone);
        const [response] = await Promise.all([
          service.api.post(VERIFY, verifyBody(phone, code)),
          run('block', '--user', id),
        ]);
        expect([200, 403]).toContain(response.status);
      }
      const open = await service.dataSource.query<object[]>(
        'SELECT id FROM onboarding.sessions WHERE user_id = ANY ($1) AND ended_at IS NULL',
        [users.map(({ user_id: id }) => id)],
      );
      expect(open).toEqual([]);
      recordEvidence('blocked-is-out', { logins: users.length, 'open sessions': 0 });
    });
  });

  it('accepts an id in capitals for the same user, and leaves an unbroken audit trail', async () => {
    const user = await logIn(service);
    await verifyPan(as(service.api, user));
    const id = user.user_id.toUpperCase();
    expect(await run('show', '--user', id)).toContain(`user\t${user.user_id}\t`);
    await run('block', '--user', id);
    expect(await runPan(service, '', 'release', '--user', id, ...WHO)).toContain(user.user_id);
    const later = (new Date().getFullYear() + 5).toString();
    await run('unblock', '--user', id);
    await run('erase', '--user', id, '--kyc-until', `${later}-03-31`);
    await sealTrail(service);
    const keys = new AuditKeys(keysConfig(service.environment, 'AUDIT_KEYS'));
    expect((await checkTrail(service.database, keys, { now: new Date() })).finding).toBeUndefined();
    const [{ record }] = await service.dataSource.query<[{ record: string }]>(
      'SELECT kyc_record_encrypted AS record FROM onboarding.erased_users WHERE user_id = $1',
      [user.user_id],
    );
    const place = { table: 'erased_users', column: 'kyc_record', id: user.user_id };
    expect(new PiiCipher(piiConfig(service.environment).keys).decrypt(record, place)).toContain(user.phone);
  });

  it('leaves a stored login answer useless once the user is blocked or erased', async () => {
    for (const action of ['block', 'end-sessions', 'erase']) {
      const phone = aPhone();
      await service.api.post('/auth/register', { phone });
      const body = verifyBody(phone, await codeOf(phone));
      const options = { headers: { 'idempotency-key': crypto.randomUUID() } };
      const first = await service.api.post(VERIFY, body, options);
      const { user_id, refresh_token } = first.body.payload as LoginPayload;
      const refresh = { headers: { 'idempotency-key': crypto.randomUUID() } };
      const refreshed = await service.api.post(REFRESH, { refresh_token }, refresh);
      await run(action, '--user', user_id);
      const replayed = await service.api.post(VERIFY, body, options);
      // exactly the tokens of the first answer, no newer ones
      expect([replayed.headers['idempotent-replayed'], replayed.body.payload]).toEqual([
        'true',
        first.body.payload,
      ]);
      const again = await service.api.post(REFRESH, { refresh_token }, refresh);
      expect(again.body.payload).toEqual(refreshed.body.payload);
      for (const tokens of [first, refreshed, replayed, again]) {
        const { access_token, refresh_token: next } = tokens.body.payload as LoginPayload;
        expectRefusal(
          await as(service.api, { access_token }).get('/api/v1/user-profile'),
          SessionErrors.ended,
        );
        expectRefusal(
          await service.api.post(REFRESH, { refresh_token: next }),
          SessionErrors.refreshTokenInvalid,
        );
      }
    }
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown action', ['kick', ...WHO], /users: find, show/],
    ['a missing operator name', ['block', '--user', crypto.randomUUID(), '--reason', 'X_1'], /--by/],
    ['no reason', ['find', '--by', 'asha'], /--reason/],
    ...['P98765_43210', 'A234567_890123', 'ABC_DE1234F', 'T_919876543210'].map(
      (reason): [string, string[], RegExp] => [
        `a person's number as the reason: ${reason}`,
        ['find', '--by', 'asha', '--reason', reason],
        /--reason must hold no PAN/,
      ],
    ),
    ['an invalid user id', ['show', '--user', '7', ...WHO], /--user must be/],
    ['an unknown user', ['show', '--user', crypto.randomUUID(), ...WHO], /no such user/],
    ['blocking an unknown user', ['block', '--user', crypto.randomUUID(), ...WHO], /no such user/],
    ['a phone as an argument', ['find', '919876543210', ...WHO], /919876543210|positional/i],
  ])('refuses %s', async (_name, args, message) => {
    await expect(runUsers(service, aPhone(), ...args)).rejects.toThrow(message);
  });
});

type Row = Readonly<Record<string, unknown>>;

/** Returns the text of an export and its rows by table. */
async function exportOf(userId: string): Promise<{ text: string; data: Readonly<Record<string, Row[]>> }> {
  const text = await runUsers(service, '', 'export', '--user', userId, ...WHO);
  return { text, ...(JSON.parse(text) as { data: Record<string, Row[]> }) };
}

const accountIn = ({ bank_accounts }: Readonly<Record<string, Row[]>>): Row => bank_accounts![0]!;

describe('an export of a user who gave the data of another person', () => {
  it('hides what the registry says about a PAN of another user', async () => {
    const body = panBody();
    const holder = await verifyPan(as(service.api, await logIn(service)), body);
    const { user_id: id, ...login } = await logIn(service);
    expectRefusal(await postPan(as(service.api, login), body), PanErrors.belongsToAnotherUser);
    const { text, data } = await exportOf(id);
    expect(data['contested_identities']).toEqual([
      expect.objectContaining({
        pan: body.number,
        dob: body.dob,
        names: null,
        aadhaar_seeding_status: null,
      }),
    ]);
    for (const name of [holder.full_name, holder.father_name!]) expect(text).not.toContain(name);
  });

  it('hides the paid part of a pending PAN check', async () => {
    const { user_id: userId, session_id: sessionId } = await aSession();
    const { id: partnerId } = await service.dataSource.getRepository(Partner).findOneByOrFail({});
    const checks = service.app.get(PanChecksRepository);
    const claim = { pan: aPan(), dateOfBirth: '1990-04-21' };
    const begun = await checks.begin({ userId, sessionId, partnerId, ip: '127.0.0.1' }, claim, 60);
    if (begun.outcome !== 'begun') throw new Error(begun.outcome);
    await checks.keepPaid(begun.check, { provider: 'pan', answer: { name: 'SOMEBODY ELSE' } }, 60);
    const { text, data } = await exportOf(userId);
    expect(data['pan_checks']).toMatchObject([{ state: 'DUE', claim }]);
    expect(text).not.toContain('SOMEBODY ELSE');
  });

  it('hides the name at the bank of an account of another person', async () => {
    const { user_id: id, ...login } = await logIn(service);
    const given = bankBody({ account: anAccount('1055') });
    expectRefusal(await postBank(as(service.api, login), given), BankErrors.holderDiffers);
    const { data } = await exportOf(id);
    expect(accountIn(data)).toMatchObject({
      account: { account: given.account },
      holder: { claimed: HOLDER },
      state: 'MISMATCHED',
      name_at_bank: null,
      name_match: null,
    });
  });

  it('shows the name at the bank once it matches the PAN, until the PAN is released', async () => {
    const { user_id: id, ...login } = await logIn(service);
    expect((await postBank(as(service.api, login), bankBody())).status).toBe(200);
    expect(accountIn((await exportOf(id)).data)).toMatchObject({ state: 'VERIFIED', name_at_bank: null });
    await knownAs(service, id, HOLDER);
    expect((await postBank(as(service.api, login), bankBody(await accountOf(id)))).status).toBe(200);
    expect(accountIn((await exportOf(id)).data)).toMatchObject({
      name_at_bank: expect.stringMatching(/asha/i) as string,
      name_match: { band: 'EXACT' },
    });
    await runPan(service, '', 'release', '--user', id, ...WHO);
    expect(accountIn((await exportOf(id)).data)).toMatchObject({ name_at_bank: null });
  });

  it('shows names that match in part once an operator has accepted them', async () => {
    const { user_id: id, ...login } = await logIn(service);
    await knownAs(service, id, 'Zubin Mistry');
    const given = bankBody({ account_holder_full_name: 'Zubin', issuer_code: 'ARAVFIN' });
    expect((await postBank(as(service.api, login), given)).status).toBe(202);
    const waiting = accountIn((await exportOf(id)).data);
    expect(waiting).toMatchObject({ state: 'VERIFIED', name_review: 'WAITING', name_at_bank: null });
    await decideNames(service, 'accept', waiting['id'] as string);
    expect(accountIn((await exportOf(id)).data)).toMatchObject({
      name_review: 'ACCEPTED',
      name_at_bank: expect.stringMatching(/zubin/i) as string,
    });
  });

  it.each([
    ['hides', ['PAN'], { customer_id: null, is_kyc_complete: null, matched_on: null }],
    [
      'shows',
      ['PAN', 'PHONE'],
      { customer_id: 'CUST-0004711', is_kyc_complete: true, matched_on: ['PAN', 'PHONE'] },
    ],
  ] as const)('%s the customer of an issuer that matched %j', async (_does, matchedOn, shown) => {
    const { user_id: userId, ...login } = await logIn(service);
    const { verification_id: verificationId } = await verifyPan(as(service.api, login));
    const issuer = ISSUERS.find(({ slug }) => slug === 'vindhya')!;
    const customer = { customerId: 'CUST-0004711', isKycComplete: true, matchedOn: [...matchedOn] };
    const answer = { userId, verificationId, issuer, customer, checkedAt: new Date() };
    expect(await service.app.get(ExistingCustomersRepository).keep(answer)).toBe(true);
    expect((await exportOf(userId)).data['existing_customers']).toMatchObject([
      { is_existing: true, ...shown },
    ]);
  });

  it('hides the same values in the kept KYC record of an erased user', async () => {
    const { user_id: id, ...login } = await logIn(service);
    await postBank(as(service.api, login), bankBody({ account: anAccount('1055') }));
    const [{ name }] = await service.dataSource.query<[{ name: string | null }]>(
      'SELECT name_at_bank_encrypted AS name FROM onboarding.bank_accounts WHERE user_id = $1',
      [id],
    );
    expect(name).not.toBeNull();
    const year = new Date().getFullYear() + 5;
    await runUsers(service, '', 'erase', '--user', id, '--kyc-until', `${year}-03-31`, ...WHO);
    const { data } = await exportOf(id);
    expect(data['erased_users']).toMatchObject([
      {
        kyc_record: {
          users: [{ id }],
          bank_accounts: [{ state: 'MISMATCHED', name_at_bank: null, name_match: null }],
        },
      },
    ]);
  });
});

/** Returns the account of a user as a body gives it. */
async function accountOf(userId: string): Promise<object> {
  const { account } = accountIn((await exportOf(userId)).data) as { account: object };
  return account;
}

async function aSession(): Promise<{ user_id: string; session_id: string }> {
  const { user_id } = await logIn(service);
  const [{ id }] = await service.dataSource.query<[{ id: string }]>(
    'SELECT id FROM onboarding.sessions WHERE user_id = $1',
    [user_id],
  );
  return { user_id, session_id: id };
}
