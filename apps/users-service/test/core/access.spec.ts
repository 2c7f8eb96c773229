import { randomUUID } from 'node:crypto';
import { SessionErrors } from '@fd/errors';
import { type ApiDocument, Exchange, type FuzzAnswer, type Operation, operationsOf } from '@fd/fuzzing';
import { SessionsRepository } from '../../src/identity/sessions/sessions.repository.js';
import { decodeJwt } from 'jose';
import { recordEvidence } from '@fd/testing';
import { signedLike } from '../support/fuzz-users.js';
import { BANK_PATH, bankBody } from '../support/bank.js';
import { issuerPath } from '../support/issuers.js';
import { as, logIn, type LoggedIn } from '../support/login.js';
import { jwksText } from '../support/settings.js';
import { startService, type TestService } from '../support/users-app.js';

/** A call that takes the id of a record. */
interface IdCall {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

let service: TestService;
let exchange: Exchange;
let document: ApiDocument;
let owner: LoggedIn;
let stranger: LoggedIn;
/** Ids of the owner's records, by the operation that takes them. */
let ids: Readonly<Record<string, string>>;
beforeAll(async () => {
  service = await startService();
  exchange = new Exchange(service.url);
  document = JSON.parse((await exchange.send('get', '/openapi.json')).text) as ApiDocument;
  [owner, stranger] = [await logIn(service), await logIn(service)];
  ids = await ownersIds();
});
afterAll(async () => {
  exchange.close();
  await service.close();
});

/** Ids that the document lists for a call: in its path and at the top level of its body. */
function idsOf({ parameters, body }: Operation): string[] {
  const schema = body?.$ref ? document.components?.schemas?.[body.$ref.split('/').at(-1)!] : body;
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  return [...inPath, ...Object.keys(schema?.properties ?? {})].filter(
    // the client chooses the ids of its events
    (name) => /_id$/.test(name) && !['event_id', 'flow_id'].includes(name),
  );
}

const send = (
  user: { access_token: string } | undefined,
  { method, path, body }: IdCall,
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

/** Each operation of the document that takes an id, and its call with a given id. */
const ID_CALLS: Readonly<Record<string, (id: string) => IdCall>> = {
  'delete /api/v1/user-sessions/{session_id}': (id) => ({
    method: 'delete',
    path: `/api/v1/user-sessions/${id}`,
  }),
  'post /api/v1/consents/{consent_id}/withdraw': (id) => ({
    method: 'post',
    path: `/api/v1/consents/${id}/withdraw`,
    body: {},
  }),
  'put /api/v1/user-nominee/{nominee_id}': (id) => ({
    method: 'put',
    path: `/api/v1/user-nominee/${id}`,
    body: { name: 'Mallory Rao' },
  }),
  'delete /api/v1/user-nominee/{nominee_id}': (id) => ({
    method: 'delete',
    path: `/api/v1/user-nominee/${id}`,
  }),
  'get /api/v1/bank/verification/{verification_id}': (id) => ({
    method: 'get',
    path: `/api/v1/bank/verification/${id}`,
  }),
  'get /api/v1/pan-verification/{verification_id}': (id) => ({
    method: 'get',
    path: `/api/v1/pan-verification/${id}`,
  }),
  'get /issuer-apis/{issuer_slug}/v1/document-locker/session/{session_id}': (id) => ({
    method: 'get',
    path: issuerPath('kaveri', `v1/document-locker/session/${id}`),
  }),
  'post /issuer-apis/{issuer_slug}/v1/kyc-context': (id) => ({
    method: 'post',
    path: issuerPath('sahyadri', 'v1/kyc-context'),
    body: { lead_id: id },
  }),
  'post /issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/verify-otp': (id) => ({
    method: 'post',
    path: issuerPath('sahyadri', 'v1/aadhaar-ekyc/verify-otp'),
    body: { ekyc_request_id: id, otp: '123456' },
  }),
};

/** Makes one record of the owner for each operation. */
async function ownersIds(): Promise<Record<string, string>> {
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
    'delete /api/v1/user-sessions/{session_id}': decodeJwt(owner.access_token)['sid'] as string,
    'post /api/v1/consents/{consent_id}/withdraw': consent!.consent_id,
    'put /api/v1/user-nominee/{nominee_id}': nominee,
    'delete /api/v1/user-nominee/{nominee_id}': nominee,
    'get /api/v1/bank/verification/{verification_id}': bank['verification_id']!,
    'get /api/v1/pan-verification/{verification_id}': panCheck,
    'get /issuer-apis/{issuer_slug}/v1/document-locker/session/{session_id}': locker['session_id']!,
    'post /issuer-apis/{issuer_slug}/v1/kyc-context': lead['lead_id']!,
    'post /issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/verify-otp': ekyc['ekyc_request_id']!,
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
  it('covers every operation of the document that takes an id', () => {
    const taking = operationsOf(document).filter((operation) => idsOf(operation).length > 0);
    expect(taking.map(({ method, template }) => `${method} ${template}`).sort()).toEqual(
      Object.keys(ID_CALLS).sort(),
    );
  });

  it('returns the same for an id of another user as for an unknown id, and changes no row of that user', async () => {
    const before = await rowsOf(owner);
    for (const [operation, call] of Object.entries(ID_CALLS)) {
      const theirs = await send(stranger, call(ids[operation]!));
      const unknown = await send(stranger, call(randomUUID()));
      expect([operation, theirs.status, theirs.text]).toEqual([operation, unknown.status, unknown.text]);
      expect([operation, theirs.status >= 400 && theirs.status < 500]).toEqual([operation, true]);
    }
    expect(await rowsOf(owner)).toBe(before);
    // the same ids work for their owner
    for (const operation of Object.keys(ID_CALLS).filter((name) => name.startsWith('get '))) {
      const own = await send(owner, ID_CALLS[operation]!(ids[operation]!));
      expect([operation, [200, 202].includes(own.status)]).toEqual([operation, true]);
    }
    recordEvidence('access-own-only', { 'calls that take an id': Object.keys(ID_CALLS).length });
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
    for (const [operation, call] of Object.entries(ID_CALLS)) {
      const isInPath = /_id\}/.test(operation);
      for (const id of almost(ids[operation]!, Object.values(ids))) {
        const { status } = await send(owner, call(isInPath ? encodeURIComponent(id) : id));
        expect([operation, id, status >= 400 && status < 500]).toEqual([operation, id, true]);
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
    for (const operation of ['put', 'delete'].map(
      (method) => `${method} /api/v1/user-nominee/{nominee_id}`,
    )) {
      const gone = await send(user, ID_CALLS[operation]!(id));
      const unknown = await send(user, ID_CALLS[operation]!(randomUUID()));
      expect([operation, gone.status, gone.text]).toEqual([operation, unknown.status, unknown.text]);
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
function anyCall({ method, template, body }: Operation): IdCall {
  return {
    method,
    path: template.replace('{issuer_slug}', 'aravalli').replace(/\{\w+\}/, randomUUID()),
    ...(body ? { body: {} } : {}),
  };
}

describe('authentication of protected calls', () => {
  const isProtected = ({ isPublic }: Operation) => !isPublic;
  it('returns 401 to each protected call with a missing, malformed, forged or expired token, without reading a session', async () => {
    const sessions = jest.spyOn(service.app.get(SessionsRepository), 'isOpen');
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
