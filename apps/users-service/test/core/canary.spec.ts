import { Redis } from 'ioredis';
import { overFineract } from '../support/fineract.js';
import { codeOf } from '../support/inbox.js';
import type { IssuerSlug } from '../support/issuers.js';
import { aPerson } from '../support/person.js';
import { startService, type TestService } from '../support/users-app.js';
import { JourneyClient } from '../support/journey-client.js';

let service: TestService;
let redis: Redis;
beforeAll(async () => {
  service = await startService({ LOG_LEVEL: 'trace', ...overFineract(['vindhya']) });
  redis = new Redis(service.environment['REDIS_URL']!);
});
afterAll(async () => {
  redis.disconnect();
  await service.close();
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

describe('personal data after a whole journey', () => {
  it.each(['aravalli', 'kaveri', 'sahyadri', 'vindhya'] as const)(
    'leaves nothing that the person disclosed to %s in clear in PostgreSQL, Redis or the logs',
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
        person.phone,
        person.phone.slice(2),
        phoneCode,
        await codeOf(person.phone),
        await codeOf(person.email),
        login['access_token'],
        login['refresh_token'],
        person.pan,
        'ABCDE1234Z',
        person.dob,
        person.email,
        person.email.split('@')[0],
        'somebody.else',
        person.aadhaar,
        ...links,
        person.account,
        '12345678',
        person.ifsc,
        ...Object.values(person.address).filter((part) => part.length > 4),
        person.motherName,
        ...words(person.motherName),
        person.nominee.name,
        ...words(person.nominee.name),
        person.nominee.dob,
        name,
        ...words(name),
      ] as string[];
      const dump = {
        tables: (await dumpTables()).toLowerCase(),
        redis: (await dumpRedis()).toLowerCase(),
        logs: service.logs().toLowerCase(),
      };
      expect(dump.logs).toContain('/api/v1/bank/sync-to-issuer');
      // the dump includes the audit trail
      expect(dump.tables).toContain('bank_account_given');
      // the client address of all calls
      expect(dump.redis).not.toContain('127.0.0.1');
      for (const [where, text] of Object.entries(dump)) {
        const found = disclosed.filter((value) => containsAsWord(text, value.toLowerCase()));
        expect([where, found]).toEqual([where, []]);
      }
    },
  );

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

/** Ignores digits inside a longer number: times and ids contain them by chance. */
function containsAsWord(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const around = [text[at - 1] ?? ' ', text[at + value.length] ?? ' '];
    if (!/^[0-9]+$/.test(value) || !around.some((character) => /[0-9.]/.test(character))) return true;
  }
  return false;
}
