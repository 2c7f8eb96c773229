import { eventually, inParallel } from '@fd/testing';
import { Redis } from 'ioredis';
import { type ErrorCode, errorOf } from '@fd/errors';
import { usersConfig } from '../../src/config/users-config.js';
import { forgetOtherKeys } from '../../src/core/pii/key-register.js';
import { rotateKeys } from '../../src/core/pii/key-rotation.js';
import { PiiCipher } from '../../src/core/pii/pii-cipher.js';
import { encryptedColumns } from '../../src/core/pii/key-rotation.js';
import { isConsentPurpose } from '../../src/identity/consents/notices.table.js';
import { EventReceiver, listen } from '../support/event-receiver.js';
import { bankBody } from '../support/bank.js';
import { overFineract } from '../support/fineract.js';
import { codeOf } from '../support/inbox.js';
import { anAccount, type IssuerSlug } from '../support/issuers.js';
import { JourneyClient } from '../support/journey-client.js';
import { as, logIn } from '../support/login.js';
import { decideNames, runPan, runPii, runUsers, WHO } from '../support/operator.js';
import { aPan } from '../support/pan.js';
import { aPerson, type Person } from '../support/person.js';
import { secretText } from '../support/settings.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
let redis: Redis;
/** The backend of the partner in whose app the journeys are made. */
let backend: EventReceiver;
beforeAll(async () => {
  const settings = { LOG_LEVEL: 'trace', EVENTS_TO_LOCAL_ADDRESSES: 'true' };
  service = await startService({ ...settings, ...overFineract(['vindhya']) });
  redis = new Redis(service.environment['REDIS_URL']!);
  backend = await EventReceiver.start();
  await listen(service, { address: backend.url });
});
afterAll(async () => {
  redis.disconnect();
  await service.close();
  await backend.stop();
});

/** Returns all rows of the schema, with bytes as Latin-1, so that a search finds text in them. */
async function dumpTables(): Promise<string> {
  const tables = await service.dataSource.query<{ name: string }[]>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'onboarding'`,
  );
  expect(tables.length).toBeGreaterThan(15);
  const dumps = await Promise.all(
    tables.map(({ name }) => service.dataSource.query<object[]>(`SELECT * FROM onboarding.${name}`)),
  );
  return JSON.stringify(dumps, (_key, value: unknown) => {
    const isBytes =
      typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data);
    return isBytes ? Buffer.from(value.data as number[]).toString('latin1') : value;
  });
}

/** Returns all keys of the service in Redis with their values. */
async function dumpRedis(): Promise<string> {
  const parts: unknown[] = [];
  const keys = await redis.keys(`${service.environment['REDIS_KEY_PREFIX']}*`);
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys) {
    const type = await redis.type(key);
    const value =
      type === 'hash'
        ? await redis.hgetall(key)
        : type === 'zset'
          ? await redis.zrange(key, '0', '-1', 'WITHSCORES')
          : type === 'string'
            ? await redis.get(key)
            : `a ${type}, which the service does not use`;
    parts.push([key, value]);
  }
  return JSON.stringify(parts);
}

/** Returns the events that the partner has got, once it has all. */
async function deliveredEvents(): Promise<string> {
  await eventually(async () => {
    const open = await service.dataSource.query(
      `SELECT id FROM onboarding.partner_events WHERE state = 'DUE' UNION ALL
       SELECT user_id FROM onboarding.application_readiness WHERE changed_at IS NOT NULL`,
    );
    expect(open).toEqual([]);
  });
  return JSON.stringify(backend.tries);
}

/** Links with which their holder could act as the person, and a URL with personal data. */
async function linksOf(customer: JourneyClient): Promise<unknown[]> {
  // without an identity the eKYC would not suffice
  await customer.pan();
  const redirection_url = `https://app.partner.example/back?who=${customer.person.phone}`;
  const { payload } = (await customer.call('POST', customer.path('v3/check-status'), { redirection_url }))
    .body;
  const links = [redirection_url, payload['ekyc_url']];
  if (customer.issuer !== 'kaveri') return links;
  const visit = { redirection_url, consent_checked: true };
  const { payload: session } = (
    await customer.call('POST', customer.path('v1/document-locker/session'), visit)
  ).body;
  return [...links, session['url']];
}

const words = (name: string): string[] => name.split(' ').filter((word) => word.length >= 7);

/** What is known of a person: nobody else may find it. @param name on the PAN */
const disclosedBy = (person: Person, name: string): string[] => [
  person.phone,
  person.phone.slice(2),
  person.pan,
  person.dob,
  person.email,
  person.email.split('@')[0]!,
  person.aadhaar,
  person.account,
  person.ifsc,
  ...Object.values(person.address).filter((part) => part.length > 4),
  person.motherName,
  ...words(person.motherName),
  person.nominee.name,
  ...words(person.nominee.name),
  person.nominee.dob,
  name,
  ...words(name),
];

/** Those of the values that the text contains. */
const foundIn = (text: string, disclosed: readonly string[]): string[] =>
  disclosed.filter((value) => containsAsWord(text, value.toLowerCase()));

describe('personal data after a whole journey', () => {
  it.each(['aravalli', 'kaveri', 'sahyadri', 'vindhya'] as const)(
    'leaves nothing that the person disclosed to %s in clear in PostgreSQL, Redis, logs, metrics or events',
    async (slug: IssuerSlug) => {
      const url = service.url;
      const customer = new JourneyClient(url, slug, aPerson());
      await customer.register();
      const phoneCode = await codeOf(customer.person.phone);
      const { payload: login } = (await customer.logIn()).body;
      // a code that is still valid during the search
      await customer.register();
      const links = await linksOf(customer);
      await customer.all();
      await customer.tryBank('12345678');
      await customer.tryPan('ABCDE1234Z');
      await customer.tryEmail('somebody.else@mail.example');
      const { payload: profile } = (await customer.profile()).body;
      const name = profile['full_name'] as string;
      const { person } = customer;
      const disclosed = [
        ...disclosedBy(person, name),
        phoneCode,
        await codeOf(person.phone),
        await codeOf(person.email),
        login['access_token'],
        login['refresh_token'],
        'ABCDE1234Z',
        'somebody.else',
        ...links,
        '12345678',
      ] as string[];
      const dump = {
        events: (await deliveredEvents()).toLowerCase(),
        tables: (await dumpTables()).toLowerCase(),
        redis: (await dumpRedis()).toLowerCase(),
        logs: service.logs().toLowerCase(),
        metrics: (await (await fetch(`${service.url}/metrics`)).text()).toLowerCase(),
      };
      expect(dump.logs).toContain('/api/v1/bank/sync-to-issuer');
      expect(dump.events).toContain(`"bank.registered","timestamp"`);
      expect(dump.events).toContain(profile['user_id']);
      expect(dump.metrics).toContain('journey_steps_total{step="bank"');
      // the dump includes the audit trail
      expect(dump.tables).toContain('bank_account_given');
      // the client address of all calls
      expect(dump.redis).not.toContain('127.0.0.1');
      for (const [where, text] of Object.entries(dump))
        expect([where, foundIn(text, disclosed)]).toEqual([where, []]);
    },
  );

  it('is in no event of a refusal, a review, a release, a withdrawal, a block or an erasure', async () => {
    const customer = new JourneyClient(service.url, 'aravalli', aPerson());
    await customer.all();
    const { user_id: user, full_name: name } = (await customer.profile()).body.payload as Record<
      string,
      string
    >;
    const holder = 'Gangadharan Subrahmanyam';
    const other = { issuer_code: 'ARAVFIN', account_holder_full_name: holder };
    await customer.call('POST', '/api/v1/bank/sync-to-issuer', bankBody(other));
    const { body } = await customer.call(
      'POST',
      '/api/v1/bank/sync-to-issuer',
      bankBody({ ...other, account: anAccount(), ask_for_review: true }),
    );
    await decideNames(service, 'accept', body.payload['verification_id'] as string);
    await runPan(service, '', 'release', '--user', user!, ...WHO);
    await customer.tryPan(aPan({ digits: '0404' }));
    const { consents } = (await customer.call('GET', '/api/v1/consents')).body.payload as {
      consents: { consent_id: string; purpose: string }[];
    };
    const given = consents.find(({ purpose }) => purpose === 'PAN_VERIFICATION')!;
    await customer.call('POST', `/api/v1/consents/${given.consent_id}/withdraw`, {});
    await runUsers(service, '', 'block', '--user', user!, ...WHO);
    await deliveredEvents();
    await runUsers(service, '', 'unblock', '--user', user!, ...WHO);
    // jobs begin a withdrawal for some seconds after the release, and the command refuses until it has ended
    await eventually(() => runUsers(service, '', 'erase', '--user', user!, '--no-deposit', ...WHO));
    const events = (await deliveredEvents()).toLowerCase();
    const own = backend.of(user!);
    expect(own.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        ...['bank.refused', 'bank.review_started', 'bank.review_decided', 'pan.released', 'pan.refused'],
        ...['consent.withdrawn', 'user.blocked', 'user.erased'],
      ]),
    );
    expect(foundIn(events, [...disclosedBy(customer.person, name!), ...words(holder)])).toEqual([]);
    // a fixed word or a code tells why, and nothing else
    const reasons = own.map(({ data }) => data.reason_code).filter((reason) => reason !== null);
    const isFixed = (reason: string) =>
      errorOf(reason as ErrorCode) !== undefined || isConsentPurpose(reason) || reason === 'PAN_RELEASED';
    expect(reasons.filter((reason) => !isFixed(reason))).toEqual([]);
  });

  it('replaces a request id that contains personal data', async () => {
    const phone = aPerson().phone;
    const ids = [phone, phone.slice(2), 'ABCDE1234Q', 'asha.verma-1990', `00000000-0000-4000-8000-${phone}`];
    for (const id of ids) {
      const answer = await service.api.post(
        '/auth/register',
        { phone: '' },
        { headers: { 'x-request-id': id } },
      );
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
      expect(answer.headers['x-request-id']).not.toBe(id);
      expect(service.logs()).toContain(answer.headers['x-request-id']);
    }
    for (const id of [...ids, phone.slice(2)]) expect(service.logs()).not.toContain(id);
  });

  it('finds a value stored in clear text, as a control', async () => {
    await service.dataSource.query('CREATE TABLE onboarding.slip (text text, bytes bytea)');
    await service.dataSource.query(`INSERT INTO onboarding.slip VALUES ('919876543210', 'ABCDE1234F')`);
    const dump = await dumpTables();
    expect([containsAsWord(dump, '919876543210'), containsAsWord(dump, 'ABCDE1234F')]).toEqual([true, true]);
    await service.dataSource.query('DROP TABLE onboarding.slip');
  });
});

/** Ignores digits inside a longer number or hexadecimal text: times, ids and hashes contain them by chance. */
function containsAsWord(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const around = [text[at - 1] ?? ' ', text[at + value.length] ?? ' '];
    if (!/^[0-9]+$/.test(value) || !around.some((character) => /[0-9a-f.]/.test(character))) return true;
  }
  return false;
}

describe('keys of personal data', () => {
  const [oldKey, newKey] = [`old:${secretText()}`, `new:${secretText()}`];

  let service: TestService;
  beforeAll(async () => {
    service = await startService({ PII_KEYS: oldKey });
  });
  afterAll(() => service.close());

  const cipherOf = (keys: string) =>
    new PiiCipher(usersConfig({ ...service.environment, PII_KEYS: keys }).pii.keys);

  /** Returns the ids of the keys that encrypt the values of all columns. */
  async function keysInUse(): Promise<Set<string>> {
    const found = new Set<string>();
    for (const { table, column } of encryptedColumns(service.dataSource)) {
      const rows = await service.dataSource.query<{ key: string }[]>(
        `SELECT DISTINCT split_part(${column}_encrypted, '.', 1) AS key FROM onboarding.${table}
        WHERE ${column}_encrypted IS NOT NULL`,
      );
      for (const { key } of rows) found.add(key);
    }
    return found;
  }

  describe('list of encrypted columns', () => {
    it('lists every encrypted column of the schema, since a missing one would become unreadable', async () => {
      const columns = await service.dataSource.query<{ name: string }[]>(
        `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
        WHERE table_schema = 'onboarding' AND column_name LIKE '%\\_encrypted' ORDER BY 1`,
      );
      const listed = encryptedColumns(service.dataSource)
        .map(({ table, column }) => `${table}.${column}_encrypted`)
        .sort();
      expect(columns.map(({ name }) => name)).toEqual(listed);
    });
  });

  describe('the command pii:rotate', () => {
    const events = () =>
      service.dataSource.query<object[]>(
        `SELECT actor, action, outcome, code FROM onboarding.audit_unsealed WHERE action LIKE 'PII_%'
        UNION ALL SELECT actor, action, outcome, code FROM onboarding.audit_events WHERE action LIKE 'PII_%' ORDER BY action DESC`,
      );

    it.each([
      ['operator', ['--reason', 'TICKET_1'], '--by must be'],
      ['reason', ['--by', 'asha-rao'], '--reason must be'],
    ])('refuses to run without its %s, and records nothing', async (_name, args, problem) => {
      await expect(runPii(service, ...args)).rejects.toThrow(problem);
      expect(await events()).toEqual([]);
    });

    it('records who ran it and why', async () => {
      expect(await runPii(service, ...WHO)).toContain('everything is encrypted with the key old');
      const ours = { actor: 'operator:pii:rotate by asha-rao', outcome: 'OK', code: 'TICKET_4711' };
      expect(await events()).toEqual([
        { ...ours, action: 'PII_ROTATION_STARTED' },
        { ...ours, action: 'PII_ROTATION_ENDED' },
      ]);
    });
  });

  describe('rotation of the key of personal data', () => {
    it('re-encrypts all values while replicas write, and loses none', async () => {
      const logins = await inParallel(6, () => logIn(service));
      expect(await keysInUse()).toEqual(new Set(['old']));
      // every replica must know the new key before values are re-encrypted
      const replica = await service.replica({ PII_KEYS: `${newKey},${oldKey}` });
      const [, during] = await Promise.all([
        rotateKeys(service.database, cipherOf(`${newKey},${oldKey}`)),
        inParallel(6, () => logIn(replica)),
      ]);
      await rotateKeys(service.database, cipherOf(`${newKey},${oldKey}`));
      expect(await keysInUse()).toEqual(new Set(['new']));
      await forgetOtherKeys(service.database.manager, 'new');
      const withoutTheOld = await service.replica({ PII_KEYS: newKey });
      for (const login of [...logins, ...during]) {
        const { status, body } = await as(withoutTheOld.api, login).get('/api/v1/user-profile');
        expect([status, body.payload.phone]).toEqual([200, `91XXXXXX${login.phone.slice(-4)}`]);
      }
    });

    it('re-encrypts nothing the second time', async () => {
      const rotated = await rotateKeys(service.database, cipherOf(`${newKey},${oldKey}`));
      expect(rotated.map(({ rewritten }) => rewritten)).toEqual(
        encryptedColumns(service.dataSource).map(() => 0),
      );
    });

    it('re-encrypts more rows than fit into one batch', async () => {
      const cipher = cipherOf(oldKey);
      await service.dataSource.query(`
      INSERT INTO onboarding.users (id, phone_index, phone_encrypted)
      SELECT gen_random_uuid(), decode(md5(n::text) || md5('x' || n), 'hex'), 'none' FROM generate_series(1, 1203) n`);
      const rows = await service.dataSource.query<{ id: string }[]>(
        `SELECT id FROM onboarding.users WHERE phone_encrypted = 'none'`,
      );
      const sealed = rows.map(({ id }) =>
        cipher.encrypt('919812345678', { table: 'users', column: 'phone', id }),
      );
      await service.dataSource.query(
        `UPDATE onboarding.users u SET phone_encrypted = v.sealed
         FROM unnest($1::uuid[], $2::text[]) AS v(id, sealed) WHERE u.id = v.id`,
        [rows.map(({ id }) => id), sealed],
      );
      const rotated = await rotateKeys(service.database, cipherOf(`${newKey},${oldKey}`));
      expect(rotated.find(({ table, column }) => table === 'users' && column === 'phone')?.rewritten).toBe(
        1_203,
      );
      expect(await keysInUse()).toEqual(new Set(['new']));
    });

    it('continues past a value that no key decrypts, and reports it', async () => {
      const [lost, other] = [await logIn(service), await logIn(service)];
      await service.dataSource.query(
        `UPDATE onboarding.users SET phone_encrypted = 'lost.' || split_part(phone_encrypted, '.', 2) WHERE id = $1`,
        [lost.user_id],
      );
      const rotated = await rotateKeys(service.database, cipherOf(`${newKey},${oldKey}`));
      const phones = rotated.find(({ table, column }) => table === 'users' && column === 'phone');
      expect(phones).toMatchObject({ rewritten: 1, left: 1, leftUnder: ['lost'] });
      const [row] = await service.dataSource.query<[{ phone_encrypted: string }]>(
        'SELECT phone_encrypted FROM onboarding.users WHERE id = $1',
        [other.user_id],
      );
      expect(row.phone_encrypted).toMatch(/^new\./);
    });
  });
});
