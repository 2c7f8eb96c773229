import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoginErrors, SessionErrors } from '@fd/errors';
import { expectRefusal, inParallel } from '@fd/testing';
import { aPhone, codeOf } from '../support/inbox.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { countRefusals, refusalsOf, runPartners, runPartnersWith, WHO } from '../support/operator.js';
import { startService, type TestService } from '../support/users-app.js';

const VERIFY = '/auth/api/v2/register/verify';
const URL = 'https://app.partner.example';

describe('partners disable', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startService({});
  });
  afterEach(() => service.close());

  const run = (action: string) => runPartners(service, action, '--url', URL, ...WHO);
  const openSessions = async () => {
    const [{ count }] = await service.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM onboarding.sessions WHERE ended_at IS NULL',
    );
    return count;
  };

  it("ends the partner's sessions and refuses its logins on every replica until the partner is enabled", async () => {
    const user = await logIn(service);
    const replica = await service.replica();
    expect(await run('disable')).toBe(`disabled ${URL}: no further logins; sessions ended: 1\n`);
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
    const given = ['--url', URL, '--name', 'Again', '--public-key', 'unread', '--if-missing'];
    expect(await runPartners(service, 'create', ...given, ...WHO)).toBe(`${URL} is registered already\n`);
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
      URL,
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
      [URL],
    );
    const known = ['--url', URL, ...WHO];
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
