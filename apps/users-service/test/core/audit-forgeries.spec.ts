import { eventually } from '@fd/testing';
import type { AuditAction } from '../../src/core/audit/audit-actions.table.js';
import { acknowledgeForgeries, type Range } from '../../src/core/audit/audit-acknowledgement.js';
import { type CheckedTrail, checkTrail } from '../../src/core/audit/audit-check.js';
import { AuditKeys } from '../../src/core/audit/audit-event.js';
import { AuditTrail } from '../../src/core/audit/audit-trail.js';
import { keysConfig } from '../../src/config/users-config.js';
import { sealTrail } from '../support/audit.js';
import { toolsOf } from '../support/operator.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeEach(async () => {
  service = await startService({});
});
afterEach(() => service.close());

const keys = (): AuditKeys => new AuditKeys(keysConfig(service.environment, 'AUDIT_KEYS'));

const check = (): Promise<CheckedTrail> => checkTrail(service.database, keys(), { now: new Date() });

const OPERATOR = { command: 'audit acknowledge', by: 'asha-rao', reason: 'TICKET_4711' };

const acknowledge = (range: Range): Promise<string[]> =>
  toolsOf(service)[0](OPERATOR, (tools) => acknowledgeForgeries(tools, keys(), range));

async function anEvent(): Promise<void> {
  await service.app.get(AuditTrail).record(service.database, { action: 'PROFILE_READ' });
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
