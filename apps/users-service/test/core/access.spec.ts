import { randomUUID } from 'node:crypto';
import { SessionErrors } from '@fd/errors';
import {
  type ApiDocument,
  Exchange,
  type FuzzAnswer,
  type Operation,
  operationsOf,
  propertiesOf,
} from '@fd/fuzzing';
import { SessionsRepository } from '../../src/identity/sessions/sessions.repository.js';
import { decodeJwt } from 'jose';
import { recordEvidence } from '@fd/testing';
import { signedLike } from '../support/fuzz-users.js';
import { BANK_PATH, bankBody } from '../support/bank.js';
import { issuerPath, type IssuerSlug } from '../support/issuers.js';
import { as, logIn, type LoggedIn } from '../support/login.js';
import { jwksText } from '../support/settings.js';
import { startService, type TestService } from '../support/users-app.js';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** An operation of the document that takes the id of a record. */
interface IdOperation {
  /** Such as `get /api/v1/bank/verification/{verification_id}`. */
  readonly name: string;
  /** Key of the record in `ownersRecords`. */
  readonly record: string;
  readonly call: (id: string) => Call;
}

interface OwnRecord {
  readonly id: string;
  /** The issuer in the path of its calls. */
  readonly issuer?: IssuerSlug;
}

const NOMINEE = '/api/v1/user-nominee/{nominee_id}';

let service: TestService;
let exchange: Exchange;
let document: ApiDocument;
let owner: LoggedIn;
let stranger: LoggedIn;
let records: Readonly<Record<string, OwnRecord>>;
/** Those of a record in `records`. */
let idOperations: readonly IdOperation[];
beforeAll(async () => {
  service = await startService();
  exchange = new Exchange(service.url);
  document = JSON.parse((await exchange.send('get', '/openapi.json')).text) as ApiDocument;
  [owner, stranger] = [await logIn(service), await logIn(service)];
  records = await ownersRecords();
  idOperations = operationsOf(document)
    .flatMap(idOperationsOf)
    .filter(({ record }) => record in records);
});
afterAll(async () => {
  exchange.close();
  await service.close();
});

/** The operation with each id that the document lists for it: in its path or query, and at the top level of its body. */
function idOperationsOf(operation: Operation): IdOperation[] {
  const { method, template, parameters, body } = operation;
  const inUrl = parameters.filter((parameter) => parameter.in !== 'header').map(({ name }) => name);
  return [...inUrl, ...(body ? propertiesOf(document, body) : [])]
    .filter(
      // the client chooses the ids of its events
      (name) => /_id$/.test(name) && !['event_id', 'flow_id'].includes(name),
    )
    .map((id) => {
      const record = recordOf(template, id);
      const path = template.replace('{issuer_slug}', records[record]?.issuer ?? 'aravalli');
      const example = body && exampleOf(operation);
      return {
        name: `${method} ${template}`,
        record,
        call: (value) => {
          const text = encodeURIComponent(value);
          if (path.includes(`{${id}}`))
            return { method, path: path.replace(`{${id}}`, text), ...(example ? { body: example } : {}) };
          if (inUrl.includes(id)) return { method, path: `${path}?${id}=${text}` };
          return { method, path, body: { ...example, [id]: value } };
        },
      };
    });
}

/** The path up to the id, which the calls about a record share, or else the name of the field. */
const recordOf = (template: string, id: string): string =>
  template.includes(`{${id}}`) ? `${template.split(`{${id}}`)[0]}{${id}}` : id;

/** The recorded body, whose other fields are valid. */
function exampleOf({ method, template }: Operation): object {
  const { examples = {} } = document.paths[template]![method]!.requestBody!.content['application/json'] as {
    examples?: Readonly<Record<string, { value: object }>>;
  };
  return Object.values(examples)[0]?.value ?? {};
}

const send = (
  user: { access_token: string } | undefined,
  { method, path, body }: Call,
): Promise<FuzzAnswer> =>
  exchange.send(
    method,
    path,
    {
      ...(user ? { authorization: `Bearer ${user.access_token}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    body ? Buffer.from(JSON.stringify(body)) : undefined,
  );

/** Makes a record of the owner for each id that calls take: see `recordOf`. */
async function ownersRecords(): Promise<Record<string, OwnRecord>> {
  const own = as(service.api, owner);
  const payload = async (call: Promise<{ body: unknown }>) =>
    ((await call).body as { payload: Record<string, string> }).payload;
  const nominee = (
    await payload(own.post('/api/v1/user-nominee', { name: 'Meera Rao', relationship: 'SPOUSE' }))
  )['nominee_id']!;
  const [consent] = (await payload(own.get('/api/v1/consents')))['consents'] as unknown as {
    consent_id: string;
  }[];
  const bank = await payload(own.post(BANK_PATH, bankBody()));
  const locker = await payload(
    own.post(issuerPath('kaveri', 'v1/document-locker/session'), { consent_checked: true }),
  );
  const panCheck = randomUUID();
  // an open request
  await service.dataSource.query(
    `INSERT INTO onboarding.pan_checks (id, user_id, claim_index, claim_encrypted, next_try_at)
     VALUES ($1, $2, '', '', now() + interval '1 day')`,
    [panCheck, owner.user_id],
  );
  const lead = await payload(own.post(issuerPath('sahyadri', 'v1/lead'), {}));
  const ekyc = await payload(own.post(issuerPath('sahyadri', 'v3/check-status'), {}));
  return {
    '/api/v1/user-sessions/{session_id}': { id: decodeJwt(owner.access_token)['sid'] as string },
    '/api/v1/consents/{consent_id}': { id: consent!.consent_id },
    [NOMINEE]: { id: nominee },
    '/api/v1/bank/verification/{verification_id}': { id: bank['verification_id']! },
    '/api/v1/pan-verification/{verification_id}': { id: panCheck },
    '/issuer-apis/{issuer_slug}/v1/document-locker/session/{session_id}': {
      id: locker['session_id']!,
      issuer: 'kaveri',
    },
    lead_id: { id: lead['lead_id']!, issuer: 'sahyadri' },
    ekyc_request_id: { id: ekyc['ekyc_request_id']!, issuer: 'sahyadri' },
  };
}

/** All rows of a user, without columns and tables that only count or time calls, or that a worker writes. */
async function rowsOf({ user_id }: LoggedIn): Promise<string> {
  const tables = await service.dataSource.query<{ name: string }[]>(
    `SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'onboarding' AND column_name = 'user_id' AND table_name <> 'idempotent_calls'
      ORDER BY table_name`,
  );
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const found = await service.dataSource.query<{ row: object }[]>(
        `SELECT to_jsonb(t) - ARRAY['last_used_at', 'updated_at', 'tries', 'next_try_at', 'lease_id', 'leased_until'] AS row FROM onboarding.${name} t WHERE user_id = $1 ORDER BY t::text`,
        [user_id],
      );
      return [name, found.map(({ row }) => row)];
    }),
  );
  return JSON.stringify(rows);
}

describe('calls that take an id', () => {
  it('covers every id that a call of the document takes', () => {
    const taken = new Set(
      operationsOf(document)
        .flatMap(idOperationsOf)
        .map(({ record }) => record),
    );
    const own = Object.keys(records);
    const place = 'ownersRecords() in apps/users-service/test/core/access.spec.ts';
    expect([
      ...[...taken].filter((record) => !own.includes(record)).map((record) => `add to ${place}: ${record}`),
      ...own.filter((record) => !taken.has(record)).map((record) => `remove from ${place}: ${record}`),
    ]).toEqual([]);
  });

  it('returns the same for an id of another user as for an unknown id, and changes no row of that user', async () => {
    const before = await rowsOf(owner);
    for (const { name, record, call } of idOperations) {
      const theirs = await send(stranger, call(records[record]!.id));
      const unknown = await send(stranger, call(randomUUID()));
      expect([name, theirs.status, theirs.text]).toEqual([name, unknown.status, unknown.text]);
      expect([name, theirs.status >= 400 && theirs.status < 500]).toEqual([name, true]);
    }
    expect(await rowsOf(owner)).toBe(before);
    // the same ids work for their owner
    for (const { name, record, call } of idOperations.filter((operation) => /^get /.test(operation.name))) {
      const own = await send(owner, call(records[record]!.id));
      expect([name, [200, 202].includes(own.status)]).toEqual([name, true]);
    }
    recordEvidence('access-own-only', { 'calls that take an id': idOperations.length });
  });
});

describe('almost valid ids', () => {
  /** Variants that careless parsers accept as the same id, and ids of other kinds of records. */
  const almost = (id: string, others: readonly string[]): string[] => [
    `${id}x`,
    id.slice(0, -1),
    id.slice(0, -1) + (id.endsWith('0') ? '1' : '0'),
    `{${id}}`,
    id.replaceAll('-', ''),
    `urn:uuid:${id}`,
    ` ${id}`,
    `${id}\n`,
    `${id}\u0000`,
    `${id},${randomUUID()}`,
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '*',
    '0',
    '-1',
    ...others.filter((other) => other !== id),
  ];

  it('refuses every almost valid id, and changes no row', async () => {
    const before = await rowsOf(owner);
    let tried = 0;
    const ids = Object.values(records).map(({ id }) => id);
    for (const { name, record, call } of idOperations) {
      for (const id of almost(records[record]!.id, ids)) {
        const { status } = await send(owner, call(id));
        expect([name, id, status >= 400 && status < 500]).toEqual([name, id, true]);
        tried++;
      }
    }
    expect(await rowsOf(owner)).toBe(before);
    recordEvidence('ids-have-one-spelling', { tried, taken: 0 });
  });
});

describe('deleted records and ended sessions', () => {
  it('returns the same for a removed nominee as for an unknown one', async () => {
    const user = await logIn(service);
    const own = as(service.api, user);
    const named = await own.post('/api/v1/user-nominee', { name: 'Meera Rao', relationship: 'SPOUSE' });
    const { nominee_id: id } = (named.body as { payload: { nominee_id: string } }).payload;
    expect((await own.delete(`/api/v1/user-nominee/${id}`)).status).toBe(200);
    const ofNominee = idOperations.filter(({ record }) => record === NOMINEE);
    expect(ofNominee.map(({ name }) => name)).toContain(`put ${NOMINEE}`);
    for (const { name, call } of ofNominee) {
      const gone = await send(user, call(id));
      const unknown = await send(user, call(randomUUID()));
      expect([name, gone.status, gone.text]).toEqual([name, unknown.status, unknown.text]);
      expect(gone.status).toBe(404);
    }
    expect((await own.get('/api/v1/user-nominee')).text).not.toContain(id);
  });

  it.each(['logged out', 'logged out from another device'])(
    'refuses every protected call of a session that was %s',
    async (how) => {
      const user = await logIn(service);
      const other = as(service.api, await logIn(service, user.phone));
      const id = decodeJwt(user.access_token)['sid'] as string;
      const ended =
        how === 'logged out'
          ? await as(service.api, user).post('/auth/api/v2/logout', {})
          : await other.delete(`/api/v1/user-sessions/${id}`);
      expect(ended.status).toBe(200);
      const operations = operationsOf(document).filter(({ isPublic }) => !isPublic);
      for (const operation of operations) {
        const { status, text } = await send(user, anyCall(operation));
        const { error } = JSON.parse(text) as { error: { errorCode: string }[] };
        expect([operation.template, status, error[0]?.errorCode]).toEqual([
          operation.template,
          401,
          SessionErrors.ended.code,
        ]);
      }
      const { refresh_token } = user;
      expect((await service.api.post('/auth/api/v2/token/refresh', { refresh_token })).status).toBe(401);
      expect((await other.get('/api/v1/user-sessions')).text).not.toContain(id);
      expect((await other.delete(`/api/v1/user-sessions/${id}`)).status).toBe(404);
      recordEvidence('gone-is-gone', { calls: operations.length, how });
    },
  );
});

/** A call of an operation with arbitrary ids, and an empty body where it takes one. */
function anyCall({ method, template, body }: Operation): Call {
  return {
    method,
    path: template.replace('{issuer_slug}', 'aravalli').replace(/\{\w+\}/, randomUUID()),
    ...(body ? { body: {} } : {}),
  };
}

describe('authentication of protected calls', () => {
  const isProtected = ({ isPublic }: Operation) => !isPublic;
  it('returns 401 to each protected call with a missing, malformed, forged or expired token, without reading a session', async () => {
    const sessions = jest.spyOn(service.app.get(SessionsRepository), 'findOpen');
    const forged = await signedLike(
      { ...service.environment, JWT_KEYS: jwksText('test-key') },
      owner.access_token,
      {},
    );
    const expired = await signedLike(service.environment, owner.access_token, {
      exp: Math.floor(Date.now() / 1_000) - 60,
    });
    const tokens: [string | undefined, string][] = [
      [undefined, SessionErrors.tokenMissing.code],
      ['a.b.c', SessionErrors.tokenMalformed.code],
      [forged, SessionErrors.tokenInvalid.code],
      [expired, SessionErrors.tokenExpired.code],
    ];
    const operations = operationsOf(document).filter(isProtected);
    expect(operations.length).toBeGreaterThan(25);
    for (const operation of operations) {
      for (const [token, code] of tokens) {
        const answer = await send(
          token === undefined ? undefined : { access_token: token },
          anyCall(operation),
        );
        const { error } = JSON.parse(answer.text) as { error: { errorCode: string }[] };
        expect([operation.template, answer.status, error[0]?.errorCode]).toEqual([
          operation.template,
          401,
          code,
        ]);
        expect(answer.headers['www-authenticate']).toBe('Bearer');
      }
    }
    expect(sessions).not.toHaveBeenCalled();
  });
});

describe('fields outside of the contract', () => {
  it('ignores all fields outside of the contract', async () => {
    const [user, victim] = [await logIn(service), await logIn(service)];
    const mine = as(service.api, user);
    await mine.post('/api/v1/user-nominee', { name: 'Meera Rao', relationship: 'SPOUSE' });
    const before = await rowsOf(victim);
    const foreign = {
      user_id: victim.user_id,
      userId: victim.user_id,
      session_id: decodeJwt(victim.access_token)['sid'],
      id: randomUUID(),
      partner_id: randomUUID(),
      state: 'VERIFIED',
      status: 'DONE',
      is_verified: true,
      is_pan_verified: true,
      is_email_verified: true,
      is_bank_verified: true,
      is_ekyc_verified: true,
      verified_at: '2026-01-01T00:00:00Z',
      role: 'admin',
    };
    for (const { method, template, body } of operationsOf(document)) {
      if (!body || template.includes('logout')) continue;
      const path = template.replace('{issuer_slug}', 'sahyadri').replace(/\{\w+\}/, randomUUID());
      const { status } = await send(user, { method, path, body: foreign });
      expect([template, status < 500]).toEqual([template, true]);
    }
    expect(await rowsOf(victim)).toBe(before);
    const { payload } = (await mine.get('/api/v1/user-profile')).body as { payload: Record<string, unknown> };
    const flags = Object.entries(payload).filter(([name]) => name.startsWith('is_'));
    expect(flags.length).toBeGreaterThan(3);
    expect(flags.filter(([, value]) => value === true)).toEqual([]);
    expect(payload['user_id']).toBe(user.user_id);
  });
});

describe('methods that a path does not support', () => {
  it('returns 404 in the envelope to a method that a path does not support', async () => {
    const methodsOf = Object.entries(document.paths).map(
      ([path, methods]) => [path, Object.keys(methods)] as const,
    );
    for (const [template, known] of methodsOf) {
      for (const method of ['get', 'post', 'put', 'patch', 'delete', 'trace', 'propfind']) {
        if (known.includes(method)) continue;
        const path = template.replace('{issuer_slug}', 'aravalli').replace(/\{\w+\}/, randomUUID());
        const answer = await send(owner, { method, path });
        expect([method, template, answer.status]).toEqual([method, template, 404]);
        expect(JSON.parse(answer.text)).toMatchObject({
          success: 0,
          error: [{ f_error_reason: 'ROUTE_UNKNOWN' }],
        });
      }
    }
  });
});
