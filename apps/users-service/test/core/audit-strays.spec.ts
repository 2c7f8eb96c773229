import { checkTrail } from '../../src/core/audit/audit-check.js';
import { AuditKeys } from '../../src/core/audit/audit-event.js';
import { AuditSealer } from '../../src/core/audit/audit-sealer.service.js';
import { AuditTrail } from '../../src/core/audit/audit-trail.js';
import { keysConfig } from '../../src/config/users-config.js';
import { sealTrail } from '../support/audit.js';
import { maintenance } from '../support/partitions.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService({});
});
afterAll(() => service.close());

const anEvent = (): Promise<void> =>
  service.app.get(AuditTrail).record(service.database, { action: 'PROFILE_READ' });

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
  it('return to their partitions as the runbook says, while replicas record and seal', async () => {
    for (let made = 0; made < 5; made++) await anEvent();
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
    await anEvent();
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
