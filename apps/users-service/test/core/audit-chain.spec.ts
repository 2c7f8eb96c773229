import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment, WithDatabase } from '@fd/platform';
import { eventually, inParallel } from '@fd/testing';
import type { EntityManager } from 'typeorm';
import { GENESIS, type Head, headText, sealed } from '../../src/core/audit/audit-chain.js';
import { AuditChainRepository, leaveCheckpoint } from '../../src/core/audit/audit-chain.repository.js';
import { type CheckedTrail, checkTrail } from '../../src/core/audit/audit-check.js';
import { auditCommand } from '../../src/core/audit/audit.command.js';
import { AuditKeys, textOf } from '../../src/core/audit/audit-event.js';
import { sealedEvents } from '../../src/core/audit/audit-reader.js';
import { AuditSealer } from '../../src/core/audit/audit-sealer.service.js';
import { actingAs, AuditTrail } from '../../src/core/audit/audit-trail.js';
import { usersConfig } from '../../src/config/users-config.js';
import { EVENTS_KEPT_DAYS } from '../../src/core/database/partitioned-tables.js';
import { daysAgo, sealTrail } from '../support/audit.js';
import { maintenance, pastPartition } from '../support/partitions.js';
import { secretText } from '../support/settings.js';
import { startService, type TestService } from '../support/users-app.js';

const [firstKey, secondKey] = [`a1:${secretText()}`, `a2:${secretText()}`];

/** Used by most tests; the trail is emptied before each. */
let common: TestService;
let service: TestService;
beforeAll(async () => {
  common = await startService({ AUDIT_KEYS: firstKey });
});
beforeEach(async () => {
  service = common;
  service.clock.reset();
  await emptyTrail();
});
afterAll(() => common.close());

/** Gives the tests of a `describe` services of their own, for those about logs, metrics or replicas. */
function useOwnServices(): void {
  beforeEach(async () => {
    service = await startService({ AUDIT_KEYS: firstKey });
  });
  afterEach(() => service.close());
}

const keysOf = (overrides: Environment = {}): AuditKeys =>
  new AuditKeys(usersConfig({ ...service.environment, ...overrides }).audit.keys);

const check = (known?: Head, keys = keysOf()): Promise<CheckedTrail> =>
  checkTrail(service.database, keys, { known, now: service.clock.now() });

/** Records events without the calls they describe, and seals them. */
async function someEvents(count: number): Promise<void> {
  for (let made = 0; made < count; made++) await anEvent();
  await sealTrail(service);
}

const anEvent = (connection: EntityManager = service.database.manager): Promise<void> =>
  service.app.get(AuditTrail).record(connection, { action: 'PROFILE_READ', subject: crypto.randomUUID() });

/** Changes the tables as a database administrator, with triggers off. */
const tamper = (...statements: string[]): Promise<void> =>
  service.dataSource.transaction(async (transaction) => {
    await transaction.query('SET LOCAL session_replication_role = replica');
    for (const statement of statements) await transaction.query(statement);
  });

const emptyTrail = (): Promise<void> =>
  tamper(
    // waits for a sealer that has read the head
    'SELECT pg_advisory_xact_lock(7402001)',
    'TRUNCATE onboarding.audit_events, onboarding.audit_checkpoints, onboarding.audit_unsealed',
  );

/** Returns statements that replace all proofs and hashes by those of another key. */
async function sealedAnew(keys: AuditKeys): Promise<string[]> {
  const statements: string[] = [];
  let head: Head = GENESIS;
  for await (const event of sealedEvents(service.database.manager)) {
    const proof = keys.sign(textOf(event));
    const { seq, hash } = sealed(keys, head, { ...event, proof }, event.sealedAt).event;
    statements.push(
      `UPDATE onboarding.audit_events SET proof = '${proof}', hash = '${hash}' WHERE seq = ${seq}`,
    );
    head = { seq, hash };
  }
  return statements;
}

const seqs = async (): Promise<number[]> => {
  const rows = await service.dataSource.query<{ seq: number }[]>(
    'SELECT seq::int AS seq FROM onboarding.audit_events ORDER BY seq',
  );
  return rows.map(({ seq }) => seq);
};

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

const COPIED = `id, occurred_at, actor, action, subject_user_id, outcome, code, issuer_slug, object_id, session_id,
  request_id, proof`;

describe('sealing by services of their own', () => {
  useOwnServices();

  it('seals every event once and without a gap while two replicas record and seal', async () => {
    const replica = await service.replica();
    const sealers = [service, replica].map(({ app }) => app.get(AuditSealer));
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        inParallel(12, () => anEvent()),
        ...sealers.map((sealer) => sealer.sealAll()),
        inParallel(12, () => anEvent(replica.database.manager)),
        ...sealers.map((sealer) => sealer.sealAll()),
      ]);
    }
    await sealTrail(service);
    expect(await seqs()).toEqual(upTo(120));
    expect((await check()).finding).toBeUndefined();
  });

  it('seals in the background within seconds, and logs the head of the chain', async () => {
    await anEvent();
    await eventually(async () => expect(await seqs()).toEqual([1]));
    const { head } = await check();
    // the commit is visible before the sealer knows of it
    await eventually(async () => {
      const line = service
        .logs()
        .split('\n')
        .find((logged) => logged.includes(head.hash));
      expect(JSON.parse(line!)).toMatchObject({ msg: 'head of the audit trail', head: headText(head) });
      const { text } = await service.api.get('/metrics');
      expect(text).toMatch(/audit_events_sealed_total 1\n/);
      expect(text).toMatch(/audit_unsealed_age_seconds 0\n/);
    });
  });

  it('logs, at the latest five minutes later, a head that another replica has sealed', async () => {
    await someEvents(1);
    await anEvent();
    const chain = new AuditChainRepository(service.database.manager, keysOf(), service.clock);
    // seals nothing while the service's own sealer is at work
    const head = await eventually(async () => {
      await chain.sealNext();
      const { head: found } = await check();
      expect(found.seq).toBe(2);
      return found;
    });
    const now = Date.now() + 301_000;
    jest.spyOn(service.clock, 'machineNow').mockReturnValue(new Date(now));
    await eventually(() => expect(service.logs()).toContain(head.hash));
  });

  it('detects and logs a forged pending event, and continues sealing', async () => {
    await someEvents(2);
    await service.dataSource.query(
      `INSERT INTO onboarding.audit_unsealed (${COPIED})
       SELECT gen_random_uuid(), ${COPIED.slice(3)} FROM onboarding.audit_events WHERE seq = 2`,
    );
    expect((await check()).finding).toMatchObject({ problem: 'forged' });
    await sealTrail(service);
    expect((await check()).finding).toEqual({ seq: 3, problem: 'forged' });
    expect(service.logs()).toContain('the audit trail contains events that the service did not record');
    expect((await service.api.get('/metrics')).text).toMatch(/audit_events_forged_total 1\n/);
    await anEvent();
    await sealTrail(service);
    expect(await seqs()).toEqual(upTo(4));
  });
});

describe('sealing', () => {
  it('logs acts of operators, for a restore of the database, but neither acts of users nor forged events', async () => {
    // the end of an id may look like a number
    const userId = '019aa5b0-0000-7000-8000-123456789012';
    const audit = service.app.get(AuditTrail);
    const erased = { action: 'USER_ERASED', subject: userId, code: 'TICKET_4711' } as const;
    await actingAs('operator:users erase by asha-rao', () => audit.record(service.database.manager, erased));
    await actingAs(`user:${userId}`, () =>
      audit.record(service.database.manager, { action: 'PROFILE_READ', subject: userId }),
    );
    await tamper(
      `INSERT INTO onboarding.audit_unsealed (id, occurred_at, actor, action, subject_user_id, outcome, proof)
         VALUES (gen_random_uuid(), now(), 'operator:users erase by mallory', 'USER_ERASED', gen_random_uuid(), 'OK', 'a1.00')`,
    );
    await sealTrail(service);
    const lines = service.logs().split('\n');
    const acts = lines.filter((line) => line.includes('an operator acted'));
    expect(acts.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        by: 'operator:users erase by asha-rao',
        action: 'USER_ERASED',
        outcome: 'OK',
        reason: 'TICKET_4711',
        user_id: userId,
        occurred_at: expect.stringMatching(/^20.*Z$/),
      }),
    ]);
  });

  it('waits neither for uncommitted events nor for another sealer, and delays no recording', async () => {
    await service.database.transaction(async (slow) => {
      await anEvent(slow);
      // the lock of another replica whose sealing transaction stays open
      await slow.query('SELECT pg_advisory_xact_lock(7402001)');
      await anEvent();
      await service.app.get(AuditSealer).sealAll();
      expect(await seqs()).toEqual([]);
    });
    await sealTrail(service);
    await service.database.transaction(async (slow) => {
      await anEvent(slow);
      await anEvent();
      await eventually(async () => {
        await service.app.get(AuditSealer).sealAll();
        expect(await seqs()).toEqual(upTo(3));
      });
    });
    await sealTrail(service);
    expect(await seqs()).toEqual(upTo(4));
    expect((await check()).finding).toBeUndefined();
  });

  it('seals a batch completely or not at all', async () => {
    await service.dataSource.query(
      'ALTER TABLE onboarding.audit_events ADD CONSTRAINT ck_audit_events__few CHECK (seq < 3)',
    );
    await service.database.transaction(async (transaction) => {
      for (let made = 0; made < 3; made++) await anEvent(transaction);
    });
    const chain = service.app.get(AuditChainRepository);
    // a sealer of the service may hold the lock, and then fails in the same way
    await eventually(() => expect(chain.sealNext()).rejects.toThrow('ck_audit_events__few'));
    expect(await seqs()).toEqual([]);
    await service.dataSource.query(
      'ALTER TABLE onboarding.audit_events DROP CONSTRAINT ck_audit_events__few',
    );
    await sealTrail(service);
    expect(await seqs()).toEqual(upTo(3));
  });
});

describe('the audit tables', () => {
  it('rejects every change to the audit tables, even by their owner', async () => {
    await someEvents(1);
    const changes: readonly [string, RegExp][] = [
      ["UPDATE onboarding.audit_unsealed SET code = 'X'", /append-only/],
      ['DELETE FROM onboarding.audit_unsealed', /append-only until it is sealed/],
      ['TRUNCATE onboarding.audit_unsealed', /append-only/],
      ["UPDATE onboarding.audit_events SET code = 'X'", /append-only/],
      ['DELETE FROM onboarding.audit_events', /append-only for 400 days/],
      ['TRUNCATE onboarding.audit_events', /append-only/],
      ['DELETE FROM onboarding.audit_checkpoints', /append-only/],
    ];
    for (const [statement, reason] of changes) {
      const tried = service.dataSource.transaction(async (transaction) => {
        // uncommitted, so that the sealer does not see it
        await anEvent(transaction);
        await transaction.query(statement);
      });
      await expect(tried).rejects.toThrow(reason);
    }
  });

  it('rejects text in the audit tables that could be personal data', async () => {
    const insert = (column: string, value: string) =>
      service.dataSource.query(
        `INSERT INTO onboarding.audit_unsealed (id, occurred_at, actor, action, outcome, proof, ${column})
         VALUES (gen_random_uuid(), now(), 'unknown', 'PROFILE_READ', 'OK', 'x', $1)`,
        [value],
      );
    await expect(insert('code', 'Asha Rao')).rejects.toThrow('ck_audit_unsealed__code');
    await expect(insert('issuer_slug', '919876543210')).rejects.toThrow('ck_audit_unsealed__issuer_slug');
    await expect(insert('request_id', '919876543210')).rejects.toThrow('ck_audit_unsealed__request_id');
  });
});

describe('tampering with the database', () => {
  const BEHIND = `SELECT 11, gen_random_uuid(), occurred_at, actor, action, subject_user_id, outcome, code, issuer_slug,
    object_id, session_id, request_id, proof, sealed_at, hash FROM onboarding.audit_events WHERE seq = 10`;

  it.each<[string, string[], object]>([
    [
      'changes an event',
      ["UPDATE onboarding.audit_events SET action = 'NOMINEES_READ' WHERE seq = 5"],
      { seq: 5, problem: 'changed' },
    ],
    [
      'changes the time of an event by a millisecond',
      ["UPDATE onboarding.audit_events SET occurred_at = occurred_at + interval '1 ms' WHERE seq = 10"],
      { seq: 10, problem: 'changed' },
    ],
    [
      'deletes an event',
      ['DELETE FROM onboarding.audit_events WHERE seq = 5'],
      { seq: 5, problem: 'missing' },
    ],
    [
      'deletes an event and closes the gap',
      [
        'DELETE FROM onboarding.audit_events WHERE seq = 5',
        'UPDATE onboarding.audit_events SET seq = -seq WHERE seq > 5',
        'UPDATE onboarding.audit_events SET seq = -seq - 1 WHERE seq < 0',
      ],
      { seq: 5, problem: 'changed' },
    ],
    [
      'swaps two events',
      [
        'UPDATE onboarding.audit_events SET seq = -6 WHERE seq = 5',
        'UPDATE onboarding.audit_events SET seq = 5 WHERE seq = 6',
        'UPDATE onboarding.audit_events SET seq = 6 WHERE seq = -6',
      ],
      { seq: 5, problem: 'changed' },
    ],
    [
      'deletes the first events',
      ['DELETE FROM onboarding.audit_events WHERE seq <= 3'],
      { seq: 1, problem: 'missing' },
    ],
    [
      'deletes the first events and adds a checkpoint for them',
      [
        `INSERT INTO onboarding.audit_checkpoints (seq, hash, proof)
         SELECT seq, hash, proof FROM onboarding.audit_events WHERE seq = 3`,
        'DELETE FROM onboarding.audit_events WHERE seq <= 3',
      ],
      { seq: 1, problem: 'missing' },
    ],
    ['appends an event', [`INSERT INTO onboarding.audit_events ${BEHIND}`], { seq: 11, problem: 'changed' }],
    [
      'deletes the last events',
      ['DELETE FROM onboarding.audit_events WHERE seq > 7'],
      { seq: 8, problem: 'cut-off' },
    ],
    ['empties the table', ['TRUNCATE onboarding.audit_events'], { seq: 1, problem: 'cut-off' }],
  ])('finds the first broken event when an administrator %s', async (_name, statements, finding) => {
    await someEvents(10);
    const { head, finding: before } = await check();
    expect([head.seq, before]).toEqual([10, undefined]);
    await tamper(...statements);
    expect((await check(head)).finding).toEqual(finding);
  });

  it('detects a trail that was resealed with another key, by the key or by the head', async () => {
    await someEvents(3);
    const { head } = await check();
    const stranger = keysOf({ AUDIT_KEYS: `a1:${secretText()}` });
    await tamper(...(await sealedAnew(stranger)));
    expect((await check()).finding).toEqual({ seq: 1, problem: 'changed' });
    expect((await check(undefined, stranger)).finding).toBeUndefined();
    expect((await check(head, stranger)).finding).toEqual({ seq: 3, problem: 'changed' });
  });

  it('detects a pending copy of a sealed event, and continues sealing', async () => {
    await someEvents(2);
    await service.dataSource.query(
      `INSERT INTO onboarding.audit_unsealed (${COPIED}) SELECT ${COPIED} FROM onboarding.audit_events WHERE seq = 2`,
    );
    await anEvent();
    await eventually(async () => expect(await seqs()).toEqual(upTo(3)));
    expect((await check()).finding).toMatchObject({ problem: 'repeated' });
  });

  it('detects an event kept from sealing for five minutes', async () => {
    await tamper(
      `CREATE FUNCTION onboarding.hold_back() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
      `CREATE TRIGGER tr_hold_back BEFORE INSERT ON onboarding.audit_events
         FOR EACH ROW EXECUTE FUNCTION onboarding.hold_back()`,
    );
    await anEvent();
    expect((await check()).finding).toBeUndefined();
    service.clock.advanceSeconds(301);
    expect((await check()).finding).toMatchObject({ problem: 'held-back' });
    await tamper('DROP FUNCTION onboarding.hold_back CASCADE');
  });
});

describe('the head file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fd-head-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('keeps the newer head of another check that ended meanwhile', async () => {
    const file = join(folder, 'head');
    const verify = async (withDatabase: WithDatabase, ...args: string[]): Promise<void> => {
      const { keys } = usersConfig(service.environment).audit;
      const command = auditCommand(withDatabase, () => keys, jest.fn());
      await command.run(['verify', '--head-file', file, ...args]);
    };
    const alone: WithDatabase = (work) => work(service.database);
    const overtaken: WithDatabase = async (work) => {
      const checked = await work(service.database);
      await someEvents(1);
      await verify(alone);
      return checked;
    };
    await someEvents(1);
    await verify(alone, '--begin');
    await someEvents(1);
    await verify(overtaken, '--whole');
    expect(readFileSync(file, 'utf8')).toMatch(/^3:/);
  });
});

describe('rotation of the audit key', () => {
  useOwnServices();

  it('verifies a chain of two keys as long as the old key is known', async () => {
    await someEvents(3);
    // a replica signs with the first key of its list
    const replica = await service.replica({ AUDIT_KEYS: `${secondKey},${firstKey}` });
    await replica.app.get(AuditTrail).record(service.dataSource.manager, { action: 'PROFILE_READ' });
    await sealTrail(replica);
    const [last] = await service.dataSource.query<[{ proof: string }]>(
      'SELECT proof FROM onboarding.audit_events ORDER BY seq DESC LIMIT 1',
    );
    expect(last.proof).toMatch(/^a2\./);
    expect(
      (await check(undefined, keysOf({ AUDIT_KEYS: `${secondKey},${firstKey}` }))).finding,
    ).toBeUndefined();
    expect((await check(undefined, keysOf({ AUDIT_KEYS: secondKey }))).finding).toEqual({
      seq: 1,
      problem: 'unknown-key',
    });
  });
});

describe('retention of audit events', () => {
  /** Older than the last day of the dropped month. */
  const OLD_DAYS = EVENTS_KEPT_DAYS + 62;

  /** Seals events in an expired month. @returns its partition */
  async function oldEvents(count: number): Promise<string> {
    const partition = await pastPartition(service, 'audit_events', OLD_DAYS);
    await daysAgo(service, OLD_DAYS, () => someEvents(count));
    return partition;
  }

  it('drops old events from the beginning of the chain, and verifies the rest', async () => {
    const partition = await oldEvents(4);
    const { head: old } = await check();
    await someEvents(3);
    const { head } = await check();
    expect((await maintenance(service)).dropped).toEqual([partition]);
    expect(await seqs()).toEqual([5, 6, 7]);
    expect(await check(head)).toMatchObject({ firstSeq: 5, head, finding: undefined });
    // the checkpoint holds only the hash of the last dropped event
    expect((await check(old)).finding).toBeUndefined();
    await expect(check({ seq: 3, hash: old.hash })).rejects.toThrow('event 3 has been removed');
    await tamper('DELETE FROM onboarding.audit_events WHERE seq = 5');
    expect((await check()).finding).toEqual({ seq: 5, problem: 'missing' });
  });

  it('keeps a partition that is not the beginning of the chain', async () => {
    const partition = await oldEvents(4);
    await someEvents(3);
    await tamper(
      'UPDATE onboarding.audit_events SET seq = 99 WHERE seq = 5',
      'UPDATE onboarding.audit_events SET seq = 5 WHERE seq = 2',
      'UPDATE onboarding.audit_events SET seq = 2 WHERE seq = 99',
    );
    const { dropped, failures } = await maintenance(service);
    expect(dropped).not.toContain(partition);
    expect(failures).toEqual([
      expect.stringContaining(`audit_events: ${partition} is not the beginning of the audit trail`),
    ]);
    expect(await seqs()).toEqual(upTo(7));
  });

  it('seals events in the order of time even when the clock of a replica is behind', async () => {
    await someEvents(1);
    service.clock.advanceSeconds(-60);
    await someEvents(1);
    const rows = await service.dataSource.query<{ at: Date }[]>(
      'SELECT sealed_at AS at FROM onboarding.audit_events ORDER BY seq',
    );
    expect(rows[1]!.at).toEqual(rows[0]!.at);
    expect((await check()).finding).toBeUndefined();
  });

  it('lets maintenance drop events that are being checked, and then checks the remaining ones', async () => {
    const partition = await oldEvents(2);
    await someEvents(2);
    const [{ ends }] = await service.dataSource.query<[{ ends: Date }]>(
      `SELECT date_trunc('month', max(sealed_at)) + interval '1 month' AS ends FROM onboarding.${partition}`,
    );
    let checked: Promise<CheckedTrail> | undefined;
    await service.dataSource.transaction(async (tx) => {
      // first, as the sealer does
      await tx.query('SELECT pg_advisory_xact_lock(7402001)');
      await tx.query('LOCK TABLE onboarding.audit_checkpoints');
      checked = check();
      // it has read where the trail begins, and waits for the checkpoints
      await eventually(async () => {
        const waiting = await tx.query<object[]>(
          `SELECT FROM pg_locks WHERE relation = 'onboarding.audit_checkpoints'::regclass AND NOT granted`,
        );
        expect(waiting).toHaveLength(1);
      });
      await leaveCheckpoint(tx, keysOf(), { name: partition, endsAt: ends });
      await tx.query(`DROP TABLE onboarding.${partition}`);
    });
    expect(await checked).toMatchObject({ firstSeq: 3, head: { seq: 4 }, finding: undefined });
  });

  it('continues the numbers after all events were dropped', async () => {
    await oldEvents(2);
    await maintenance(service);
    expect(await seqs()).toEqual([]);
    expect((await check()).head.seq).toBe(2);
    await someEvents(1);
    expect(await seqs()).toEqual([3]);
    expect((await check()).finding).toBeUndefined();
  });
});
