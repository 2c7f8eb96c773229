import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVENTS_KEPT_DAYS } from '../../src/core/database/partitioned-tables.js';
import { daysAgo, sealTrail } from '../../test/support/audit.js';
import { logIn } from '../../test/support/login.js';
import { WHO } from '../../test/support/operator.js';
import { maintenance, pastPartition } from '../../test/support/partitions.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

describe('audit verify --head-file', () => {
  let service: TestService;
  let processes: ServiceProcesses;
  let folder: string;
  let file: string;
  beforeEach(async () => {
    service = await startService({});
    processes = new ServiceProcesses(service.environment);
    folder = mkdtempSync(join(tmpdir(), 'fd-head-'));
    file = join(folder, 'head');
    await someEvents();
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await service.close();
  });

  const check = (...args: string[]): [number | null, string] => {
    const { status, stdout, stderr } = processes.cli('audit', 'verify', '--head-file', file, ...args);
    return [status, stdout + stderr];
  };
  const someEvents = async (): Promise<void> => {
    await logIn(service);
    await sealTrail(service);
  };
  const firstSeq = async (): Promise<number> => {
    const [{ seq }] = await service.dataSource.query<[{ seq: number }]>(
      'SELECT min(seq)::int AS seq FROM onboarding.audit_events',
    );
    return seq;
  };
  const lastSeq = async (): Promise<number> => {
    const [{ seq }] = await service.dataSource.query<[{ seq: number }]>(
      'SELECT max(seq)::int AS seq FROM onboarding.audit_events',
    );
    return seq;
  };
  /** Runs a statement as an administrator, whom no trigger and no permission stops. */
  const tamper = (statement: string, values: unknown[] = []): Promise<void> =>
    service.dataSource.transaction(async (manager) => {
      await manager.query('SET LOCAL session_replication_role = replica');
      await manager.query(statement, values);
    });
  /** Adds an event without AUDIT_KEYS. @param time an expression of SQL */
  const forge = (time: string): Promise<unknown> =>
    service.dataSource.query(
      `INSERT INTO onboarding.audit_unsealed (id, occurred_at, actor, action, outcome, proof)
       VALUES (gen_random_uuid(), ${time}, 'unknown', 'USER_READ', 'OK', 'a1.00')`,
    );
  const kept = (): string => readFileSync(file, 'utf8');

  it('stores the head once with --begin, then checks from it and stores the new one', async () => {
    expect(check()).toEqual([1, `${file} is missing: --begin makes it, once\n`]);
    const first = await lastSeq();
    expect(check('--begin')).toEqual([0, expect.stringMatching(`^events 1 to ${first} are`)]);
    expect(kept()).toMatch(new RegExp(`^${first}:a1\\.[0-9a-f]{64}\n$`));
    expect(check('--begin')).toEqual([1, `${file} is there already: leave --begin out\n`]);
    expect(check()).toEqual([0, expect.stringMatching(/^no event is new; 0 wait to be sealed\nhead /)]);
    await someEvents();
    expect(check()).toEqual([0, expect.stringMatching(`^events ${first + 1} to ${await lastSeq()} are`)]);
    expect(kept()).toMatch(new RegExp(`^${await lastSeq()}:`));
    expect(check('--whole')).toEqual([0, expect.stringMatching(`^events 1 to ${await lastSeq()} are`)]);
    expect(readdirSync(folder)).toEqual(['head']);
  });

  it('finds a chain truncated between two checks, even after it has grown again', async () => {
    check('--begin');
    const [before, seq] = [kept(), await lastSeq()];
    await tamper('DELETE FROM onboarding.audit_events WHERE seq = $1', [seq]);
    expect(check()).toEqual([
      1,
      `The audit trail is broken at event ${seq}: the chain ends before it, and once was longer.\n`,
    ]);
    await someEvents();
    expect(check()).toEqual([
      1,
      expect.stringMatching(`broken at event ${seq}: its content or its position differs`),
    ]);
    await tamper('TRUNCATE onboarding.audit_events');
    expect(check()).toEqual([1, expect.stringMatching(/broken at event \d+: /)]);
    expect(kept()).toBe(before);
  });

  it('finds a change after the head, and with --whole one before it', async () => {
    check('--begin');
    await someEvents();
    const last = await lastSeq();
    const change = (seq: number, action: string): Promise<void> =>
      tamper('UPDATE onboarding.audit_events SET action = $2 WHERE seq = $1', [seq, action]);
    await change(1, 'NOMINEES_READ');
    expect(check('--whole')).toEqual([
      1,
      expect.stringMatching('broken at event 1: its content or its position differs'),
    ]);
    await change(last, 'NOMINEES_READ');
    expect(check()).toEqual([
      1,
      expect.stringMatching(`broken at event ${last}: its content or its position differs`),
    ]);
  });

  it('continues behind forged events once they are acknowledged', async () => {
    check('--begin');
    const before = kept();
    await forge('now()');
    await sealTrail(service);
    await someEvents();
    const forged = Number(before.split(':')[0]) + 1;
    const broken = `The audit trail is broken at event ${forged}: the service did not write it.\n`;
    expect([check(), check('--whole'), kept()]).toEqual([[1, broken], [1, broken], before]);
    const acknowledged = processes.cli('audit', 'acknowledge', '--from', String(forged), ...WHO);
    expect([acknowledged.status, acknowledged.stdout]).toEqual([
      0,
      expect.stringMatching(`^acknowledged\t${forged}\t\\S{36}\n$`),
    ]);
    await sealTrail(service);
    expect(check()).toEqual([0, expect.stringMatching(`^events ${forged} to ${await lastSeq()} are`)]);
    expect(kept()).toMatch(new RegExp(`^${await lastSeq()}:`));
    expect(check('--whole')[0]).toBe(0);
  });

  it('stores the head of a whole chain although a forged event waits', async () => {
    check('--begin');
    await someEvents();
    await forge("now() + interval '20 days'");
    expect(check()).toEqual([
      1,
      expect.stringMatching(/which is not sealed: the service did not write it\.\n$/),
    ]);
    const last = await lastSeq();
    expect(kept()).toMatch(new RegExp(`^${last}:`));
    await tamper('DELETE FROM onboarding.audit_events WHERE seq = $1', [last]);
    expect(check()).toEqual([
      1,
      expect.stringMatching(`^The audit trail is broken at event ${last}: the chain ends`),
    ]);
  });

  it('continues after events before the head were purged, and fails after the head was purged', async () => {
    // a partition is purged only once its whole month is too old
    const OLD_DAYS = EVENTS_KEPT_DAYS + 62;
    await pastPartition(service, 'audit_events', OLD_DAYS);
    await tamper('TRUNCATE onboarding.audit_events');
    await daysAgo(service, OLD_DAYS, async () => {
      await someEvents();
      check('--begin');
    });
    const tooOld = kept();
    await someEvents();
    expect(check()[0]).toBe(0);
    expect((await maintenance(service)).dropped).toHaveLength(1);
    expect(await firstSeq()).toBeGreaterThan(1);
    await someEvents();
    expect(check()).toEqual([0, expect.stringMatching(/^events \d+ to \d+ are as they were written/)]);
    expect(check('--whole')[0]).toBe(0);
    writeFileSync(file, tooOld.replace(/^\d+/, '1'));
    expect(check()).toEqual([1, expect.stringMatching('event 1 has been removed, its time was over')]);
  });

  it.each([
    ['is empty', ''],
    ['is cut short', '12:a1.00'],
    ['has no end of line', `1:a1.${'0'.repeat(64)}`],
    ['is long', `${'1:x\n'.repeat(100)}`],
  ])('rejects a file that %s', (_name, text) => {
    writeFileSync(file, text);
    expect(check()).toEqual([1, `${file} contains no head: the file was changed\n`]);
  });

  it('stores no head of an empty chain, and rejects --begin without --head-file', async () => {
    await tamper('TRUNCATE onboarding.audit_events');
    expect(check('--begin')).toEqual([1, 'no event is sealed yet: begin once there is one\n']);
    expect(readdirSync(folder)).toEqual([]);
    expect(processes.cli('audit', 'verify', '--begin').stderr).toBe(
      'audit verify: --begin and --whole go with --head-file\n',
    );
  });
});
