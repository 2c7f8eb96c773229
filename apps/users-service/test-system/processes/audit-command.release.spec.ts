import { eventually } from '@fd/testing';
import { shortOf, trailOf } from '../../test/support/audit.js';
import { as, type LoggedIn, logIn } from '../../test/support/login.js';
import { WHO } from '../../test/support/operator.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

let service: TestService;
let user: LoggedIn;
let processes: ServiceProcesses;
beforeAll(async () => {
  service = await startService();
  processes = new ServiceProcesses(service.environment);
  user = await logIn(service);
  await as(service.api, user).get('/issuer-apis/kaveri/v1/booking-check');
  await logIn(service);
});
afterAll(() => service.close());

const audit = (...args: string[]) => processes.cli('audit', ...args);

const untilSealed = (count: number) =>
  eventually(async () => {
    const [{ sealed }] = await service.dataSource.query<[{ sealed: number }]>(
      'SELECT count(*)::int AS sealed FROM onboarding.audit_events',
    );
    expect(sealed).toBe(count);
  });

/** Returns the audit events of operators. */
async function operatorsTrail(): Promise<string[]> {
  const rows = await service.dataSource.query<{ actor: string; action: string }[]>(
    `SELECT actor, action, id FROM onboarding.audit_events WHERE actor LIKE 'operator:%'
     UNION ALL SELECT actor, action, id FROM onboarding.audit_unsealed WHERE actor LIKE 'operator:%' ORDER BY id`,
  );
  return rows.map(({ actor, action }) => `${actor} ${action}`);
}

describe('audit verify', () => {
  it('reports a whole chain with its head, and compares it with a kept head', async () => {
    await untilSealed(5);
    const { status, stdout } = audit('verify');
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^events 1 to 5 are as they were written; 0 wait to be sealed\nhead 5:a1\.[0-9a-f]{64}\n$/,
      ),
    ]);
    const head = /head (\S+)/.exec(stdout)![1]!;
    expect(audit('verify', '--head', head).status).toBe(0);
    const longer = audit('verify', '--head', head.replace('5:', '6:'));
    expect([longer.status, longer.stderr]).toEqual([
      1,
      'The audit trail is broken at event 6: the chain ends before it, and once was longer.\n',
    ]);
  });

  it('fails and names the first event that a database administrator changed', async () => {
    const change = (from: string, to: string) =>
      service.dataSource.transaction(async (manager) => {
        await manager.query('ALTER TABLE onboarding.audit_events DISABLE TRIGGER ALL');
        await manager.query(
          'UPDATE onboarding.audit_events SET action = $2 WHERE seq IN (3, 4) AND action = $1',
          [from, to],
        );
        await manager.query('ALTER TABLE onboarding.audit_events ENABLE TRIGGER ALL');
      });
    await change('BOOKING_CHECKED', 'PROFILE_READ');
    const { status, stderr } = audit('verify');
    expect([status, stderr]).toEqual([
      1,
      'The audit trail is broken at event 3: its content or its position differs from the sealed event.\n',
    ]);
    await change('PROFILE_READ', 'BOOKING_CHECKED');
    expect(audit('verify').status).toBe(0);
  });
});

describe('audit list', () => {
  it('lists what was done to the data of a user, by ids, and records the read', async () => {
    const { status, stdout } = audit('list', '--user', user.user_id, ...WHO);
    const lines = stdout.trimEnd().split('\n');
    expect(status).toBe(0);
    const recorded = (await trailOf(service, user.user_id)).map(shortOf);
    expect(recorded).toEqual(['LOGGED_IN', 'CONSENT_GIVEN', 'BOOKING_CHECKED', 'TRAIL_READ TICKET_4711']);
    expect(lines.map((line) => line.split('\t')[3])).toEqual(recorded.map((text) => text.split(' ')[0]));
    expect(lines[2]).toMatch(
      new RegExp(`^\\S+Z\t3\tuser:${user.user_id}\tBOOKING_CHECKED\tOK\tkaveri\t-\t\\S{36}\t\\S{36}$`),
    );
    expect(lines[3]).toContain('operator:audit list by asha-rao');
    expect(stdout).not.toContain(user.phone.slice(2));
  });

  it('lists the events of a period', () => {
    expect(audit('list', '--user', user.user_id, '--to', '2020-01-01', ...WHO).stdout).toBe('');
    const since = audit('list', '--user', user.user_id, '--from', '2020-01-01T00:00:00+05:30', ...WHO);
    expect(since.stdout.split('\n').length).toBeGreaterThan(4);
  });
});

describe('audit export', () => {
  it('writes all sealed events or those of an issuer as JSON lines, and records the export', async () => {
    await untilSealed(5 + (await operatorsTrail()).length);
    const parse = ({ stdout }: { stdout: string }) =>
      stdout.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Record<string, unknown>] : []));
    expect(parse(audit('export', ...WHO)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const ofIssuer = parse(audit('export', '--issuer', 'kaveri', ...WHO));
    expect(ofIssuer[0]).toMatchObject({
      seq: 3,
      actor: `user:${user.user_id}`,
      action: 'BOOKING_CHECKED',
      subject_user_id: user.user_id,
      outcome: 'OK',
      issuer: 'kaveri',
    });
    expect(ofIssuer.every(({ issuer }) => issuer === 'kaveri')).toBe(true);
  });
});

describe('commands of operators', () => {
  it('records commands of operators under their names', async () => {
    expect(processes.cli('pii:rotate', ...WHO).status).toBe(0);
    const url = 'https://app.partner.example';
    expect(processes.cli('partners', 'disable', '--url', url, ...WHO).status).toBe(0);
    expect(processes.cli('partners', 'enable', '--url', url, ...WHO).status).toBe(0);
    expect(await operatorsTrail()).toEqual([
      ...Array.from({ length: 3 }, () => 'operator:audit list by asha-rao TRAIL_READ'),
      ...Array.from({ length: 2 }, () => 'operator:audit export by asha-rao TRAIL_EXPORTED'),
      'operator:pii:rotate by asha-rao PII_ROTATION_STARTED',
      'operator:pii:rotate by asha-rao PII_ROTATION_ENDED',
      'operator:partners disable by asha-rao PARTNER_DISABLED',
      'operator:partners enable by asha-rao PARTNER_ENABLED',
    ]);
    expect(audit('verify').status).toBe(0);
  });

  it.each([
    ['no command', [], /verify, acknowledge, list or export/],
    ['an invalid head', ['verify', '--head', '12'], /--head must be SEQ:HASH/],
    ['no event', ['acknowledge', '--from', '0', ...WHO], /--from and --until must be numbers of events/],
    ['no user', ['list', ...WHO], /--user must be the id of a user/],
    ['no operator', ['list', '--user', crypto.randomUUID()], /--by must be a name/],
    ['no reason', ['export', '--by', 'asha-rao'], /--reason must be a word/],
    [
      'an invalid day',
      ['list', '--user', crypto.randomUUID(), '--from', '1 May', ...WHO],
      /--from must be a date/,
    ],
    ['an invalid issuer', ['export', '--issuer', 'A B', ...WHO], /--issuer must be the slug/],
  ])('exits with a clear message: %s', (_name, args, message) => {
    const { status, stderr } = audit(...args);
    expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});
