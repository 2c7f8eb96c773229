import { join } from 'node:path';
import { ApiError, createClient } from '@fd/client';
import { ApiKeyErrors, ERROR_CODES, errorOf, type Example, EXAMPLES, MasterErrors } from '@fd/errors';
import { REDIS, type RedisClient } from '@fd/platform';
import {
  codesIn,
  eventually,
  examplesOf,
  expectRefusal,
  inParallel,
  recordEvidence,
  runExample,
} from '@fd/testing';
import type { Response } from 'supertest';
import { ApiKey } from '../../src/api-keys/api-key.entity.js';
import { hashApiKey, newApiKey } from '../../src/api-keys/api-key.js';
import { apiKeysCommand } from '../../src/api-keys/api-keys.command.js';
import { actsIn, BY_A_TEST, runCommand } from '../support/command-line.js';
import { ISSUERS } from '../support/issuers.js';
import { API_KEY, type MasterApp, startApp, startService, type TestService } from '../support/master-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const command = (isProduction = false) => apiKeysCommand(service.stores.withDatabase, () => isProduction);
const keys = (...args: string[]) => runCommand(command(), ...args, ...BY_A_TEST);
const statusWith = async (apikey: string) =>
  (await service.anonymous.get('/api/v1/issuers', { headers: { apikey } })).status;

const ROUTES = [
  '/detail/6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e1001',
  '/detail/abc',
  '/api/v1/detail/maturity-amount/ARAVFIN',
  '/api/v1/issuers',
  '/api/v1/compare',
];

describe.each(ROUTES)('GET %s', (path) => {
  it('refuses a call without a key', async () => {
    expectRefusal(await service.anonymous.get(path), ApiKeyErrors.missing);
    expectRefusal(await service.anonymous.get(path, { headers: { apikey: '' } }), ApiKeyErrors.missing);
  });

  it.each([
    'wrong',
    `${API_KEY}x`,
    API_KEY.toUpperCase(),
    `${API_KEY}, ${API_KEY}`,
    `Bearer ${API_KEY}`,
    hashApiKey(API_KEY),
    '__proto__',
  ])('refuses the key %s', async (apikey) => {
    expectRefusal(await service.anonymous.get(path, { headers: { apikey } }), ApiKeyErrors.invalid);
  });

  it('ignores a key outside of its header', async () => {
    expectRefusal(await service.anonymous.get(path, { query: { apikey: API_KEY } }), ApiKeyErrors.missing);
    expectRefusal(
      await service.anonymous.get(path, {
        headers: { authorization: `Bearer ${API_KEY}`, 'x-api-key': API_KEY },
      }),
      ApiKeyErrors.missing,
    );
  });
});

describe('an API key', () => {
  it('shows a key once, stores its hash, and accepts it on every replica until it is revoked', async () => {
    const replica = await startApp(service.stores.environment);
    const made = await keys('create', '--client', 'northwind');
    expect(made.code).toBe(0);
    const [, id, key] = /Id: +(\S+)\nKey: +(\S+)/.exec(made.stdout)!;

    const rows = await service.stores.withDatabase((source) => source.getRepository(ApiKey).find());
    expect(JSON.stringify(rows)).not.toContain(key);
    expect(rows).toContainEqual(
      expect.objectContaining({
        keyId: id,
        client: 'northwind',
        keyHash: hashApiKey(key!),
        prefix: key!.slice(0, 8),
      }),
    );

    for (const { anonymous } of [service, replica]) {
      await eventually(async () =>
        expect((await anonymous.get('/api/v1/issuers', { headers: { apikey: key! } })).status).toBe(200),
      );
    }

    const listed = await keys('list');
    expect(listed.stdout).not.toContain(key);
    expect(listed.stdout).toMatch(
      new RegExp(`${id}\\tnorthwind\\t${key!.slice(0, 8)}\\.\\.\\.\\t\\S+\\t60000/min\\tactive\\n`),
    );

    expect(await keys('revoke', '--id', id!)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Revoked'),
    });
    for (const { anonymous } of [service, replica]) {
      await eventually(async () =>
        expect((await anonymous.get('/api/v1/issuers', { headers: { apikey: key! } })).status).toBe(401),
      );
    }
    expect((await keys('list')).stdout).toMatch(new RegExp(`${id}\\tnorthwind\\t.*\\trevoked `));
    expect(await keys('revoke', '--id', id!)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('was revoked before'),
    });
    await replica.close();
    expect(service.logs()).not.toContain(key);
  });

  it('accepts a key beside another key of the client', async () => {
    const key = async () => /Key: +(\S+)/.exec((await keys('create', '--client', 'rotating')).stdout)![1]!;
    const [old, next] = [await key(), await key()];
    expect(old).not.toBe(next);
    await service.refreshCatalogue();
    expect([await statusWith(old), await statusWith(next)]).toEqual([200, 200]);
  });

  it('replaces a key without a refused call while the client calls all replicas', async () => {
    const replica = await startApp(service.stores.environment);
    const create = async () => {
      const { stdout } = await keys('create', '--client', 'southwind');
      return { id: /Id: +(\S+)/.exec(stdout)![1]!, key: /Key: +(\S+)/.exec(stdout)![1]! };
    };
    const worksEverywhere = async (key: string) => {
      const replicas = [service, replica];
      const answers = await inParallel(2, (i) =>
        replicas[i]!.anonymous.get('/api/v1/issuers', { headers: { apikey: key } }),
      );
      return answers.map(({ status }) => status);
    };
    const former = await create();
    await eventually(async () => expect(await worksEverywhere(former.key)).toEqual([200, 200]));
    let [inUse, isEnding] = [former.key, false];
    const statuses: number[] = [];
    const client = (async () => {
      while (!isEnding) statuses.push(...(await worksEverywhere(inUse)));
    })();
    const next = await create();
    // the client uses the new key once it is valid, and revokes the former one when it is unused
    await eventually(async () => expect(await worksEverywhere(next.key)).toEqual([200, 200]));
    inUse = next.key;
    const before = statuses.length;
    await eventually(() => expect(statuses.length).toBeGreaterThan(before + 4));
    expect((await keys('revoke', '--id', former.id)).code).toBe(0);
    await eventually(async () => expect(await worksEverywhere(former.key)).toEqual([401, 401]));
    isEnding = true;
    await client;
    expect(statuses.length).toBeGreaterThan(10);
    expect(new Set(statuses)).toEqual(new Set([200]));
    await replica.close();
  });
});

describe('the keys of a service whose database changes', () => {
  let own: TestService;
  beforeEach(async () => {
    own = await startService({});
  });
  afterEach(() => own.close());

  const change = async (...statements: string[]) => {
    await own.stores.withDatabase(async (source) => {
      for (const statement of statements) await source.query(statement);
    });
    await own.refreshCatalogue();
  };

  it('refuses a revoked key while a new catalogue cannot be loaded', async () => {
    await change(
      'ALTER TABLE catalogue.vehicles RENAME TO unreadable',
      "INSERT INTO catalogue.revisions (checksum, issuer_count, vehicle_count, changes) VALUES (repeat('0', 64), 0, 0, '{}')",
    );
    expect((await own.api.get('/api/v1/issuers')).status).toBe(200);
    await change('UPDATE catalogue.api_keys SET revoked_at = now()');
    expectRefusal(await own.api.get('/api/v1/issuers'), ApiKeyErrors.invalid);
  });

  it('accepts the known keys while the tables are empty, as during a restore', async () => {
    await change('TRUNCATE catalogue.issuers, catalogue.vehicles, catalogue.revisions, catalogue.api_keys');
    expect((await own.api.get('/api/v1/issuers')).status).toBe(200);
  });
});

describe('api-keys create', () => {
  it('accepts a handmade key outside of production only', async () => {
    expect(await keys('create', '--client', 'sandbox', '--key', 'sandbox-api-key')).toMatchObject({
      code: 0,
    });
    await service.refreshCatalogue();
    expect(await statusWith('sandbox-api-key')).toBe(200);
    const refused = await runCommand(
      command(true),
      'create',
      '--client',
      'sandbox',
      '--key',
      'another-hand-made-key',
      ...BY_A_TEST,
    );
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--key is refused in production'),
    });
    expect(await runCommand(command(true), 'create', '--client', 'production', ...BY_A_TEST)).toMatchObject({
      code: 0,
    });
  });

  it('gives a new key the highest limit of the active keys of its client', async () => {
    const create = async (client: string, ...more: string[]) => {
      const { stdout } = await keys('create', '--client', client, ...more);
      const id = /Id: +(\S+)/.exec(stdout)![1]!;
      const { stdout: listed } = await keys('list');
      return { id, limit: new RegExp(`^${id}\t.*\t(\\d+)/min\t`, 'm').exec(listed)?.[1] };
    };
    await create('replacing', '--limit', '70000');
    const given = await create('replacing', '--limit', '90000');
    const inherited = await create('replacing');
    for (const { id } of [given, inherited]) await keys('revoke', '--id', id);
    const later = await create('replacing');
    const other = await create('beginning');
    expect([inherited, later, other].map(({ limit }) => limit)).toEqual(['90000', '70000', '60000']);
  });

  it('changes nothing when repeated with --if-missing', async () => {
    const create = ['create', '--client', 'repeated', '--key', 'the-repeated-key', '--if-missing'];
    expect((await keys(...create)).stdout).toContain('Key:');
    expect(await keys(...create)).toEqual({ code: 0, stdout: 'repeated has this key already\n', stderr: '' });
    expect((await keys('create', '--client', 'repeated', '--if-missing')).stdout).toBe(
      'repeated has a key already\n',
    );
    expect((await keys('create', '--client', 'new', '--if-missing')).stdout).toContain('Key:');
  });

  it.each([[[]], [['--key', 'the-key-of-parallel-commands']]])(
    'creates one key for parallel commands with --if-missing: %j',
    async (more) => {
      const client = `parallel-${more.length}`;
      const args = ['create', '--client', client, ...more, '--if-missing', ...BY_A_TEST];
      await inParallel(4, async () => command().run(args));
      const count = service.stores.withDatabase((connection) =>
        connection.getRepository(ApiKey).countBy({ client }),
      );
      expect(await count).toBe(1);
    },
  );

  it('refuses an existing key, even a revoked one or another client’s', async () => {
    const made = await keys('create', '--client', 'first', '--key', 'the-key-used-before');
    const [, id] = /Id: +(\S+)/.exec(made.stdout)!;
    await keys('revoke', '--id', id!);
    for (const more of [[], ['--if-missing']]) {
      const again = await keys('create', '--client', 'first', '--key', 'the-key-used-before', ...more);
      expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('was used before') });
    }
    const others = await keys('create', '--client', 'second', '--key', API_KEY, '--if-missing');
    expect(others).toMatchObject({ code: 1, stderr: expect.stringContaining('was used before') });
  });

  it.each([
    [['create'], '--client must be'],
    [['create', '--client', 'a b'], '--client must be'],
    [['create', '--client', 'a', '--key', 'short'], '--key must be'],
    [['create', '--client', 'a', '--other'], '--other'],
    ...['0', '-1', '1.5', 'many', '12345678', ''].map((limit): [string[], string] => [
      ['create', '--client', 'a', `--limit=${limit}`],
      '--limit must be',
    ]),
    [['limit', '--limit', '5'], '--id must be'],
    [['limit', '--id', '6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e9999'], '--limit must be'],
    [['limit', '--id', '6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e9999', '--limit', '5'], 'there is no key'],
    [['revoke'], '--id must be'],
    [['revoke', '--id', 'x'], '--id must be'],
    [['revoke', '--id', '6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e9999'], 'there is no key'],
    [[], 'create, list, limit or revoke'],
  ])('refuses the arguments %j', async (args, message) => {
    expect(await keys(...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});

describe('an act with api-keys', () => {
  const ID = '6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e9999';
  const ACT = {
    level: 'info',
    service: 'master-service',
    msg: 'an operator acted',
    by: 'a-test',
    reason: 'TEST',
  };

  it('logs an act with operator, reason and id of the key, without the key', async () => {
    const made = await keys('create', '--client', 'logged');
    const [, id, key] = /Id: +(\S+)\nKey: +(\S+)/.exec(made.stdout)!;
    const limited = await keys('limit', '--id', id!.toUpperCase(), '--limit', '5');
    const revoked = await keys('revoke', '--id', id!);
    expect([made, limited, revoked].map(({ stderr }) => actsIn(stderr))).toEqual(
      ['API_KEY_CREATED', 'API_KEY_LIMITED', 'API_KEY_REVOKED'].map((action) => [
        expect.objectContaining({
          ...ACT,
          action,
          outcome: 'OK',
          object_id: id,
          occurred_at: expect.any(String),
        }),
      ]),
    );
    expect(key).toHaveLength(newApiKey().length);
    expect(made.stderr).not.toContain(key);
    expect(made.stderr).not.toContain(hashApiKey(key!));
  });

  it('logs an act as refused when there is no such key', async () => {
    const refused = [await keys('limit', '--id', ID, '--limit', '5'), await keys('revoke', '--id', ID)];
    expect(refused.map(({ stderr }) => actsIn(stderr))).toEqual(
      ['API_KEY_LIMITED', 'API_KEY_REVOKED'].map((action) => [
        expect.objectContaining({ ...ACT, action, outcome: 'REFUSED', object_id: ID }),
      ]),
    );
  });

  it('logs no act that changes nothing', async () => {
    const create = ['create', '--client', 'unchanged', '--key', 'the-unchanged-key', '--if-missing'];
    const [, id] = /Id: +(\S+)/.exec((await keys(...create)).stdout)!;
    const none = [await keys(...create), await keys('create', '--client', 'other', '--key', API_KEY)];
    await keys('revoke', '--id', id!);
    none.push(await keys('revoke', '--id', id!), await keys('list'));
    for (const { stderr } of none) expect(actsIn(stderr)).toEqual([]);
  });

  it('logs a reason that is as long as a token', async () => {
    const reason = 'TICKET_'.padEnd(43, 'X');
    const made = await runCommand(command(), 'create', '--client', 'a', '--by', 'a-test', '--reason', reason);
    expect(actsIn(made.stderr)).toEqual([expect.objectContaining({ reason })]);
  });

  const acts: [action: string, args: string[]][] = [
    ['create', ['--client', 'unrecorded']],
    ['limit', ['--id', ID, '--limit', '5']],
    ['revoke', ['--id', ID]],
  ];
  it.each(acts)('requires operator and reason for %s', async (action, args) => {
    const named = ['--by', 'a-test', '--reason'];
    for (const [options, problem] of [
      [[], '--by must be a name of lower-case letters and -'],
      [['--by', 'A Name', '--reason', 'TEST'], '--by must be a name of lower-case letters and -'],
      [['--by', 'a-test'], '--reason must be a word of capitals, digits and _'],
      [[...named, 'free text'], '--reason must be a word of capitals, digits and _'],
      [[...named, 'P98765_43210'], '--reason must hold no PAN, phone, Aadhaar or account number'],
    ] as const) {
      const refused = await runCommand(command(), action, ...args, ...options);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain(`api-keys ${action}: ${problem}`);
    }
    expect((await keys('list')).stdout).not.toContain('unrecorded');
  });
});

describe('the rate limit', () => {
  const ADDRESS_LIMIT = 3;
  let small: MasterApp;
  beforeAll(async () => {
    small = await startApp({
      ...service.stores.environment,
      REDIS_KEY_PREFIX: 'limit:',
      RATE_LIMIT_PER_MINUTE: String(ADDRESS_LIMIT),
      TRUSTED_PROXY_HOPS: '1',
    });
  });
  afterAll(() => small.close());

  /** Keys of clients, each with its limit. */
  const keysOf = async (...limits: [client: string, limit: number][]) => {
    const made: { id: string; key: string }[] = [];
    for (const [client, limit] of limits) {
      const { stdout } = await keys('create', '--client', client, '--limit', String(limit));
      made.push({ id: /Id: +(\S+)/.exec(stdout)![1]!, key: /Key: +(\S+)/.exec(stdout)![1]! });
    }
    await small.refreshCatalogue();
    return made;
  };
  /** Of the addresses of a test: each test has its own. */
  let network = 0;
  const call = (address: number, apikey: string) =>
    small.anonymous.get('/api/v1/issuers', {
      headers: { apikey, 'x-forwarded-for': `198.51.${network}.${address}` },
    });
  const standing = ({ status, headers }: Response) => [
    status,
    headers['x-ratelimit-limit'],
    headers['x-ratelimit-remaining'],
  ];
  const expectLimited = (response: Response, from: string) => {
    expectRefusal(response, MasterErrors.tooManyRequests);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect(response.body.error[0].f_error_message).toContain(`Too many requests ${from}.`);
  };

  it('counts each address of a client over all its keys, and unknown callers by address', async () => {
    network += 1;
    const [one, two, other] = await keysOf(['limited', 100], ['limited', 100], ['other', 100]);
    const answers: Response[] = [];
    for (const { key } of [one!, two!, one!, two!, other!]) answers.push(await call(1, key));
    answers.push(await call(2, one!.key));
    for (let i = 0; i <= ADDRESS_LIMIT; i++) answers.push(await call(1, 'a wrong key'));

    const [granted, [refused, another, elsewhere], anonymous] = [
      answers.slice(0, 3),
      answers.slice(3, 6),
      answers.slice(6),
    ];
    expect(granted.map(standing)).toEqual([
      [200, '3', '2'],
      [200, '3', '1'],
      [200, '3', '0'],
    ]);
    expectLimited(refused!, 'from this address');
    expect(standing(refused!)).toEqual([429, '3', '0']);
    expect([another!, elsewhere!].map(standing)).toEqual([
      [200, '3', '2'],
      [200, '3', '2'],
    ]);
    const { invalid } = ApiKeyErrors;
    const refusals = [invalid, invalid, invalid, MasterErrors.tooManyRequests];
    for (const [i, error] of refusals.entries()) expectRefusal(anonymous[i]!, error);
    // Redis contains no address
    const counted = (await small.app.get<RedisClient>(REDIS).keys('limit:rate:*')).join();
    expect(counted).toMatch(/ip:[\w-]{16}/);
    expect(counted).not.toContain('198.51.');
  });

  it('limits a client as a whole by its key, whose limit can be changed, and names the exceeded limit', async () => {
    network += 1;
    const { id, key } = (await keysOf(['whole', 5]))[0]!;
    // an address over its limit does not use up the client's
    const flood: Response[] = [];
    for (let i = 0; i < ADDRESS_LIMIT + 4; i++) flood.push(await call(1, key));
    const answers = [flood.at(-1)!];
    for (const address of [2, 3, 4]) answers.push(await call(address, key));
    expect((await keys('limit', '--id', id, '--limit', '8')).stdout).toContain('8 calls a minute');
    await small.refreshCatalogue();
    const changed = [await call(5, key), await call(6, key)];
    expectLimited(answers[0]!, 'from this address');
    expect(answers.slice(1).map(standing)).toEqual([
      [200, '5', '1'],
      [200, '5', '0'],
      [429, '5', '0'],
    ]);
    expectLimited(answers[3]!, 'from this client');
    expect(changed.map(standing)).toEqual([
      [200, '8', '1'],
      [200, '8', '0'],
    ]);
  });

  it("accepts no more parallel calls of many addresses than the client's limit", async () => {
    network += 1;
    const [client] = await keysOf(['parallel', 20]);
    // fewer than the service serves at once, so that none is shed
    const answers = await inParallel(45, (i) => call(i % 30, client!.key));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(25);
  });
});

let masterUrl: string;
beforeAll(async () => {
  service = await startService();
  masterUrl = service.url;
});

const clientWith = (apiKey?: string) => createClient({ usersUrl: 'http://127.0.0.1:1', masterUrl, apiKey });

const DEPOSIT = {
  tenure: 730,
  investment_amount: 100_000,
  payout_frequency: 'Maturity',
  senior_citizen: 'false',
  women_citizen: 'false',
  tax_saver: 'false',
  product_type: 'FD',
} as const;

describe('the TypeScript client', () => {
  it('returns the issuers, an issuer, a quote and a comparison', async () => {
    const { master } = clientWith(API_KEY);
    const { payload: list } = await master.get('/api/v1/issuers');
    expect(list.issuers).toHaveLength(Object.keys(ISSUERS).length);
    const { payload: detail } = await master.get('/detail/{issuer_uuid}', {
      path: { issuer_uuid: ISSUERS.aravalli.id },
    });
    expect(detail.issuerData.f_code).toBe('ARAVFIN');
    const { payload: quote } = await master.get('/api/v1/detail/maturity-amount/{issuer_code}', {
      path: { issuer_code: detail.issuerData.f_code },
      query: DEPOSIT,
    });
    expect(quote.maturity_amount).toBeGreaterThan(100_000);
    const { payload: compared } = await master.get('/api/v1/compare', {
      query: { amount: 100_000, tenure: 730 },
    });
    expect(compared.quotes.length).toBeGreaterThan(1);
  });

  it.each([
    [undefined, ApiKeyErrors.missing.code],
    ['wrong', ApiKeyErrors.invalid.code],
  ])('throws the refusal of the key %s', async (apiKey, code) => {
    const thrown = await clientWith(apiKey)
      .master.get('/api/v1/issuers')
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ code, statusCode: 401 });
  });

  it('runs the example in the README of the client', async () => {
    const [, example] = examplesOf(join(import.meta.dirname, '../../../../libs/client/README.md'));
    const code = example!.code
      .replace('http://localhost:3002', masterUrl)
      .replace('sandbox-api-key', API_KEY);
    const [issuers, quote] = await runExample(code, { '@fd/client': { createClient } });
    expect(issuers).toBe('issuers 5');
    expect(quote).toMatch(/^you get 1\d{5}(\.\d+)? on 20\d\d-\d\d-\d\d$/);
  });
});

const examples = ERROR_CODES.filter((code) => code.startsWith('SVCMAS')).flatMap((code) => {
  const how = EXAMPLES[code];
  return 'none' in how ? [] : [[errorOf(code).text, code, how] as [string, string, Example]];
});

describe('the examples of the error catalogue', () => {
  let provoked = 0;

  it.each(examples)('provokes the error "%s" by its example', async (_, code, { as, call, headers = {} }) => {
    const api = as === 'anonymous' ? service.anonymous : service.api;
    const { body } = await api.get(call.replace('GET ', ''), as === 'anonymous' ? { headers } : {});
    expect(codesIn(body)).toContain(code);
    provoked++;
  });

  it('provokes every error code that has an example', () => {
    expect(provoked).toBe(examples.length);
    recordEvidence('errors-provoked', { examples: provoked });
  });
});
