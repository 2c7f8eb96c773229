import { randomUUID } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { eventually } from '@fd/testing';
import { keysConfig } from '../../src/config/users-config.js';
import { acknowledgeForgeries, type Range } from '../../src/core/audit/audit-acknowledgement.js';
import type { AuditAction } from '../../src/core/audit/audit-actions.table.js';
import { type CheckedTrail, checkTrail } from '../../src/core/audit/audit-check.js';
import { AuditKeys } from '../../src/core/audit/audit-event.js';
import { AuditSealer } from '../../src/core/audit/audit-sealer.service.js';
import { AuditTrail } from '../../src/core/audit/audit-trail.js';
import { auditCommand } from '../../src/core/audit/audit.command.js';
import { type AsOperator, operatorTools } from '../../src/core/audit/operator-tools.js';
import { sealTrail } from '../support/audit.js';
import { toolsOf, WHO } from '../support/operator.js';
import { maintenance } from '../support/partitions.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;

const keys = (): AuditKeys => new AuditKeys(keysConfig(service.environment, 'AUDIT_KEYS'));

const check = (): Promise<CheckedTrail> => checkTrail(service.database, keys(), { now: new Date() });

const OPERATOR = { command: 'audit acknowledge', by: 'asha-rao', reason: 'TICKET_4711' };

const acknowledge = (range: Range): Promise<string[]> =>
  toolsOf(service)[0](OPERATOR, (tools) => acknowledgeForgeries(tools, keys(), range));

async function anEvent(): Promise<void> {
  await service.app.get(AuditTrail).record(service.database.manager, { action: 'PROFILE_READ' });
  await sealTrail(service);
}

/** Adds an event as an attacker with the database role of the service, but without AUDIT_KEYS. */
async function forge(action: AuditAction = 'USER_READ', objectId: string | null = null): Promise<string> {
  const [{ id }] = await service.database.query<[{ id: string }]>(
    `INSERT INTO onboarding.audit_unsealed (id, occurred_at, actor, action, outcome, object_id, proof)
     VALUES (gen_random_uuid(), now(), 'operator:users show by mallory', $1, 'OK', $2, 'a1.00') RETURNING id`,
    [action, objectId],
  );
  await sealTrail(service);
  return id;
}

const forgedAt = (...seqs: number[]): object[] => seqs.map((seq) => ({ seq, problem: 'forged' }));

describe('forged events in the audit trail', () => {
  beforeEach(async () => {
    service = await startService({});
  });
  afterEach(() => service.close());

  it('reports each of them, and what was changed behind them', async () => {
    await anEvent();
    await forge();
    await anEvent();
    await forge();
    await anEvent();
    expect(await check()).toMatchObject({ isWhole: false, head: { seq: 5 }, findings: forgedAt(2, 4) });
    await service.dataSource.transaction(async (manager) => {
      await manager.query('SET LOCAL session_replication_role = replica');
      await manager.query("UPDATE onboarding.audit_events SET action = 'USER_READ' WHERE seq = 5");
    });
    expect((await check()).findings).toEqual([...forgedAt(2, 4), { seq: 5, problem: 'changed' }]);
  });

  it('accepts those that an operator has acknowledged, and reports later ones', async () => {
    await forge();
    await anEvent();
    const second = await forge();
    expect(await acknowledge({ from: 1, until: 2 })).toEqual([
      expect.stringMatching(/^acknowledged\t1\t\S{36}$/),
    ]);
    await sealTrail(service);
    expect((await check()).findings).toEqual(forgedAt(3));
    expect(await acknowledge({ from: 3, until: 3 })).toEqual([`acknowledged\t3\t${second}`]);
    await sealTrail(service);
    expect(await check()).toMatchObject({ isWhole: true, findings: [], head: { seq: 5 } });
    const [recorded] = await service.dataSource.query<object[]>(
      'SELECT actor, action, outcome, code, object_id FROM onboarding.audit_events WHERE seq = 5',
    );
    expect(recorded).toEqual({
      actor: 'operator:audit acknowledge by asha-rao',
      action: 'FORGERY_ACKNOWLEDGED',
      outcome: 'OK',
      code: 'TICKET_4711',
      object_id: second,
    });
    await forge();
    expect((await check()).findings).toEqual(forgedAt(6));
  });

  it('accepts no forged acknowledgement', async () => {
    const id = await forge();
    await forge('FORGERY_ACKNOWLEDGED', id);
    expect((await check()).findings).toEqual(forgedAt(1, 2));
  });

  it('refuses to acknowledge events of the service, and records the refusal', async () => {
    await anEvent();
    await expect(acknowledge({ from: 1, until: 9 })).rejects.toThrow('No event from 1 to 9 is forged.');
    await sealTrail(service);
    await eventually(async () =>
      expect(
        await service.dataSource.query(
          "SELECT code FROM onboarding.audit_events WHERE action = 'FORGERY_ACKNOWLEDGED' AND outcome = 'REFUSED'",
        ),
      ).toEqual([{ code: 'TICKET_4711' }]),
    );
    expect((await check()).findings).toEqual([]);
  });

  it('keeps the chain whole while a forged event waits', async () => {
    await anEvent();
    const id = crypto.randomUUID();
    await service.database.query(
      `INSERT INTO onboarding.audit_unsealed (id, occurred_at, actor, action, outcome, proof)
       VALUES ($1, now() + interval '20 days', 'unknown', 'USER_READ', 'OK', 'a1.00')`,
      [id],
    );
    expect(await check()).toMatchObject({
      isWhole: true,
      head: { seq: 1 },
      findings: [{ waitingId: id, problem: 'forged' }],
    });
  });
});

/** Runs `audit list` for a user, and seals what waits after each of its reads; returns the listed actions. */
async function listWhileSealing(subject: string): Promise<(string | undefined)[]> {
  const keys = () => keysConfig(service.environment, 'AUDIT_KEYS');
  const asOperator = operatorTools((work) => work(service.dataSource), keys, []);
  const whileSealing: AsOperator = (operator, work) =>
    asOperator(operator, (tools) => {
      const { manager } = tools.dataSource;
      const createQueryBuilder = (...of: Parameters<EntityManager['createQueryBuilder']>) => {
        const events = manager.createQueryBuilder(...of);
        const getRawMany = events.getRawMany.bind(events);
        return Object.assign(events, {
          getRawMany: async () => {
            const rows = await getRawMany();
            await sealTrail(service);
            return rows;
          },
        });
      };
      const dataSource = Object.create(tools.dataSource, {
        manager: { value: Object.assign(Object.create(manager) as EntityManager, { createQueryBuilder }) },
      }) as DataSource;
      return work({ ...tools, dataSource });
    });
  let written = '';
  const output = jest.spyOn(process.stdout, 'write').mockImplementation((text, encoding, done) => {
    written += String(text);
    (typeof encoding === 'function' ? encoding : done)?.();
    return true;
  });
  try {
    await auditCommand((work) => work(service.dataSource), keys, whileSealing).run([
      'list',
      '--user',
      subject,
      ...WHO,
    ]);
  } finally {
    output.mockRestore();
  }
  return written.split('\n').flatMap((line) => line.split('\t')[3] ?? []);
}

describe('audit list', () => {
  beforeAll(async () => {
    service = await startService({});
  });
  afterAll(() => service.close());

  it('lists each event once although it is sealed between two reads', async () => {
    const subject = randomUUID();
    await service.app.get(AuditTrail).record(service.database.manager, { action: 'PROFILE_READ', subject });
    await sealTrail(service);
    expect(await listWhileSealing(subject)).toEqual(['PROFILE_READ', 'TRAIL_READ']);
  });
});

const aWaitingEvent = (): Promise<void> =>
  service.app.get(AuditTrail).record(service.database.manager, { action: 'PROFILE_READ' });

/** Moves all events to the default partition, as after months without the maintenance. */
const losePartitions = (): Promise<void> =>
  service.dataSource.transaction(async (manager) => {
    const partitions = await manager.query<{ name: string }[]>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits
        WHERE inhparent = 'onboarding.audit_events'::regclass AND inhrelid <> 'onboarding.audit_events_default'::regclass`,
    );
    await manager.query('SET LOCAL session_replication_role = replica');
    await manager.query('CREATE TABLE onboarding.former AS SELECT * FROM onboarding.audit_events');
    await manager.query(`DROP TABLE ${partitions.map(({ name }) => name).join(', ')}`);
    await manager.query('INSERT INTO onboarding.audit_events SELECT * FROM onboarding.former');
    await manager.query('DROP TABLE onboarding.former');
  });

describe('events of the audit trail in the default partition', () => {
  beforeAll(async () => {
    service = await startService({});
  });
  afterAll(() => service.close());

  it('return to their partitions as the runbook says, while replicas record and seal', async () => {
    for (let made = 0; made < 5; made++) await aWaitingEvent();
    await sealTrail(service);
    await losePartitions();
    expect((await maintenance(service)).failures).toEqual([expect.stringMatching(/^audit_events: /)]);

    const session = service.dataSource.createQueryRunner();
    const run = (...statements: string[]) => session.query(statements.join(';\n'));
    await run('SELECT pg_advisory_lock(7402001)');
    await run(
      'BEGIN',
      'SET LOCAL session_replication_role = replica',
      'LOCK TABLE onboarding.audit_events_default',
      'CREATE TABLE onboarding.strays AS SELECT * FROM onboarding.audit_events_default',
      'TRUNCATE onboarding.audit_events_default',
      'COMMIT',
    );
    await aWaitingEvent();
    await service.app.get(AuditSealer).sealAll();
    expect(await maintenance(service)).toMatchObject({ failures: [], strays: [] });
    await run(
      'BEGIN',
      'SET LOCAL session_replication_role = replica',
      'INSERT INTO onboarding.audit_events SELECT * FROM onboarding.strays',
      'DROP TABLE onboarding.strays',
      'COMMIT',
    );
    await run('SELECT pg_advisory_unlock(7402001)');
    await session.release();

    await sealTrail(service);
    const keys = new AuditKeys(keysConfig(service.environment, 'AUDIT_KEYS'));
    const { findings, firstSeq, head } = await checkTrail(service.database, keys, { now: new Date() });
    expect([findings, firstSeq, head.seq]).toEqual([[], 1, 6]);
    expect(await maintenance(service)).toEqual({ made: [], dropped: [], strays: [], failures: [] });
  });
});
