import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GeneralErrors } from '@fd/errors';
import { administer, type ApiClient, eventually, expectRefusal, recordEvidence } from '@fd/testing';
import { Crowd } from '../../test/support/crowd.js';
import { as, logIn } from '../../test/support/login.js';
import { type OwnPostgres, throwawayPostgres } from '../../test/support/own-postgres.mjs';
import { startService, type TestService } from '../../test/support/users-app.js';

const DISK_MB = 4;
const SERVER = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid";

/** Needs root, `mount` and `strace`: only they make the disk of a real PostgreSQL fail. */
describe('PostgreSQL on a failing disk', () => {
  let postgres: OwnPostgres;
  let service: TestService;
  const asAdministrator = (...statements: string[]) => administer(postgres.url('onboarding'), ...statements);

  beforeAll(async () => {
    postgres = await throwawayPostgres('the soak of disks in trouble');
    await administer(postgres.url('postgres'), 'CREATE DATABASE onboarding');
    service = await startService({ DATABASE_URL: postgres.url('onboarding') });
  });
  afterAll(async () => {
    await service.close();
    await postgres.release();
  });

  const track = (api: ApiClient, eventId: string = randomUUID()) =>
    api.post('/api/v1/insights-tracking', {
      event_id: eventId,
      event_name: 'PAN_SUBMITTED',
      occurred_at: new Date().toISOString(),
    });

  const pidsOf = async (sql: string) =>
    ((await asAdministrator(sql)) as { pid: number }[]).map(({ pid }) => pid);

  function must(program: string, ...args: string[]): void {
    const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
  }

  it('answers 503 to calls that write to a full disk, serves the rest, and recovers once there is room', async () => {
    const api = as(service.api, await logIn(service));
    // the partition of this month
    const partition = `insight_events_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
    const base = mkdtempSync(join(tmpdir(), 'disk-'));
    chmodSync(base, 0o755);
    const disk = join(base, 'small');
    mkdirSync(disk);
    must('mount', '-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', disk);
    try {
      const { uid, gid } = statSync(`/proc/${(await pidsOf(SERVER))[0]}`);
      chownSync(disk, uid, gid);
      await asAdministrator(
        `CREATE TABLESPACE small LOCATION '${disk}'`,
        `ALTER TABLE onboarding.${partition} SET TABLESPACE small`,
        'CREATE UNLOGGED TABLE filler (text text) TABLESPACE small',
      );
      const fill = () =>
        asAdministrator("INSERT INTO filler SELECT repeat('x', 700) FROM generate_series(1, 10)");
      await expect(
        (async () => {
          for (;;) await fill();
        })(),
      ).rejects.toThrow(/No space left/);
      const eventIds: string[] = [];
      // the last open page has room for a few more rows
      await eventually(async () => {
        const eventId = randomUUID();
        const response = await track(api, eventId);
        if (response.status === 200) eventIds.push(eventId);
        expectRefusal(response, GeneralErrors.unavailable);
      });
      expect((await api.get('/api/v1/user-profile')).status).toBe(200);
      expect((await service.api.get('/health/ready')).status).toBe(200);
      await asAdministrator('DROP TABLE filler', 'CHECKPOINT');
      await eventually(async () => expect((await track(api)).status).toBe(200));
      // writes acknowledged while the disk was filling up are kept
      for (const eventId of eventIds)
        expect((await track(api, eventId)).body).toMatchObject({ payload: { duplicates: 1 } });
      recordEvidence('postgres-disk-full', {
        'MB of disk': DISK_MB,
        'taken before it was full': eventIds.length,
      });
    } finally {
      await asAdministrator(
        `ALTER TABLE onboarding.${partition} SET TABLESPACE pg_default`,
        'DROP TABLE IF EXISTS filler',
        'DROP TABLESPACE IF EXISTS small',
      );
      must('umount', disk);
      rmSync(base, { recursive: true });
    }
  });

  it('loses no acknowledged write when fsync fails', async () => {
    const crowd = new Crowd(service, 4);
    await eventually(() => expect(crowd.events.length).toBeGreaterThan(20));
    const pids = await pidsOf(`SELECT pid FROM pg_stat_activity UNION ${SERVER}`);
    const tracer = spawn(
      'strace',
      [
        '-f',
        '-qq',
        '-e',
        'trace=fsync,fdatasync',
        '-e',
        'inject=fsync,fdatasync:error=EIO',
        ...pids.flatMap((pid) => ['-p', String(pid)]),
      ],
      { stdio: 'ignore' },
    );
    const { refused } = crowd;
    // PostgreSQL stops when fsync fails, since it no longer knows the state of its disk
    await eventually(() => expect(crowd.refused).toBeGreaterThan(refused + 8));
    await eventually(async () => {
      const { body } = await service.api.get('/health/ready');
      expect(body).toMatchObject({ checks: { postgres: 'down' } });
    });
    const gone = once(tracer, 'exit');
    tracer.kill('SIGINT');
    await gone;
    await postgres.stop({ isCrash: true });
    await postgres.start();
    const before = crowd.events.length;
    await eventually(() => expect(crowd.events.length).toBeGreaterThan(before + 20));
    await crowd.end();
    await crowd.expectNothingLostOrDoubled(service);
    recordEvidence('postgres-fsync-fails', crowd.figures);
  });
});
