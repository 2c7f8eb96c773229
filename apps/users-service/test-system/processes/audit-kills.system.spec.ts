import { eventually, GENEROUS_LIMITS, recordEvidence } from '@fd/testing';
import { checkTrail } from '../../src/core/audit/audit-check.js';
import { AuditKeys } from '../../src/core/audit/audit-event.js';
import { usersConfig } from '../../src/config/users-config.js';
import { type RecordedCall, RecordedJourney, sealTrail } from '../../test/support/audit.js';
import { aPerson } from '../../test/support/person.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

let service: TestService;
let processes: ServiceProcesses;
beforeAll(async () => {
  service = await startService();
  processes = new ServiceProcesses({ ...service.environment, ...GENEROUS_LIMITS });
});
afterAll(async () => {
  await processes.killAll();
  await service.close();
});

const KILLS = 3;
const USERS = 4;

/** Answered reads before each kill; different numbers make the kills hit different moments. */
const readsBefore = (kill: number): number => 7 + 5 * kill;

const PROFILE = '/api/v1/user-profile';
const NOMINEE = '/api/v1/user-nominee';

/** Logs in, then reads and changes data until the service is gone. */
async function busyUntilKilled(customer: RecordedJourney): Promise<void> {
  const attempt = (work: Promise<unknown>): Promise<boolean> =>
    work.then(
      () => true,
      () => false,
    );
  const isThere = (): Promise<boolean> => attempt(customer.call('GET', PROFILE));
  const logIn = async (): Promise<void> => {
    await customer.register();
    await customer.logIn();
  };
  // a busy service may refuse a login, and no read is answered without one
  while (!(await attempt(logIn()))) if (!(await isThere())) return;
  await attempt(customer.pan());
  while (await isThere()) await attempt(customer.call('POST', NOMINEE, customer.person.nominee));
}

/**
 * Serves users until enough reads are answered, then kills the service under load.
 * @returns the first answered read of each user
 */
async function killUnderLoad(reads: number): Promise<RecordedCall[]> {
  const running = await processes.start();
  const customers = Array.from(
    { length: USERS },
    () => new RecordedJourney(running.url, 'aravalli', aPerson()),
  );
  const isAnswered = ({ path, status }: RecordedCall): boolean => path === PROFILE && status === 200;
  const answered = (): RecordedCall[] => customers.flatMap(({ calls }) => calls.filter(isAnswered));
  const busy = Promise.all(customers.map(busyUntilKilled));
  await eventually(() => expect(answered().length).toBeGreaterThanOrEqual(reads));
  await running.kill();
  await busy;
  return customers.flatMap(({ calls }) => calls.filter(isAnswered).slice(0, 1));
}

const rowsOf = <T>(sql: string): Promise<T[]> => service.dataSource.query<T[]>(sql);

/** Returns rows without exactly one audit event. */
const withoutOneEvent = (action: string, table: string, id: string): Promise<object[]> =>
  rowsOf(`SELECT t.${id}, count(e.id) AS events FROM onboarding.${table} t
            LEFT JOIN onboarding.audit_events e ON e.object_id = t.${id} AND e.action = '${action}' AND e.outcome = 'OK'
           GROUP BY t.${id} HAVING count(e.id) <> 1`);

describe('service killed again and again under load', () => {
  it('records every change and every answer once, in a whole chain', async () => {
    const read: RecordedCall[] = [];
    for (let kill = 0; kill < KILLS; kill++) read.push(...(await killUnderLoad(readsBefore(kill))));
    await sealTrail(service);
    expect(await withoutOneEvent('LOGGED_IN', 'sessions', 'id')).toEqual([]);
    expect(await withoutOneEvent('CONSENT_GIVEN', 'consents', 'id')).toEqual([]);
    expect(await withoutOneEvent('PAN_VERIFIED', 'identities', 'verification_id')).toEqual([]);
    const recorded = await rowsOf<{ request_id: string; count: number }>(
      `SELECT request_id, count(*)::int AS count FROM onboarding.audit_events
        WHERE action = 'PROFILE_READ' AND outcome = 'OK' GROUP BY request_id`,
    );
    const times = new Map(recorded.map(({ request_id: id, count }) => [id, count]));
    // only the first read of a session within a minute is recorded
    expect(read.filter(({ requestId }) => times.get(requestId!) !== 1)).toEqual([]);
    expect([...times.values()].filter((count) => count !== 1)).toEqual([]);
    const keys = new AuditKeys(usersConfig(service.environment).audit.keys);
    const checked = await checkTrail(service.database, keys, { now: new Date() });
    const [{ count }] = (await rowsOf<{ count: number }>(
      'SELECT count(*)::int AS count FROM onboarding.audit_events',
    )) as [{ count: number }];
    expect([checked.finding, checked.head.seq, checked.waiting]).toEqual([undefined, count, 0]);
    recordEvidence('audit-complete', { kills: KILLS, events: count });
  });
});
