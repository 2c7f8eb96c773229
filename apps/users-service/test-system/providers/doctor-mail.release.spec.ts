import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '@fd/platform';
import { PrivateAuthority } from '../../test/support/private-authority.config.js';
import { sandboxPorts } from '../../test/support/sandbox.config.js';
import { ScriptedMailServer } from '../../test/support/scripted-mail-server.js';
import { providerSettings, settings } from '../../test/support/settings.js';

const CLI = join(import.meta.dirname, '../../dist/cli.js');
const FROM = 'Deposits <no-reply@deposits.example>';

interface Check {
  readonly port: string;
  readonly check: string;
  readonly outcome: string;
  readonly detail: string;
  readonly action?: string;
}

/** Runs the doctor in its own process: Node.js reads trusted certificates only at start. */
async function checksOf(changes: Environment): Promise<{ code: number; checks: Check[]; text: string }> {
  const given = settings({ MAIL_FROM: FROM, ...changes });
  const env = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const args = [CLI, 'doctor', '--provider', 'mail', '--json'];
  const { code, stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...env },
  }).then(
    (ended) => ({ code: 0, ...ended }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  expect(stderr).toBe('');
  return { code, checks: (JSON.parse(stdout) as { checks: Check[] }).checks, text: stdout };
}

/** Settings of production, which sends nothing unencrypted. */
const inProduction = (): Environment => ({
  NODE_ENV: 'production',
  OTP_TEST_RULES: '',
  JWT_ISSUER: 'https://users.example',
  SMS_PRIMARY_URL: 'https://sms-one.example/send',
  SMS_FALLBACK_URL: 'https://sms-two.example/send',
  SMS_TEMPLATES: JSON.stringify({
    login_otp: {
      text: '{#numeric#} is your code to log in. It is valid for {#numeric#} minutes. Do not share it with anyone.',
    },
    pan_taken_over: {
      text: 'Another person has proved by eKYC to hold the PAN in your fixed deposit account, so it is no longer in your account. Log in and verify your own PAN to go on.',
    },
  }),
  ...providerSettings('https://providers.example'),
  DATABASE_URL: 'postgres://db.example/fd?sslmode=verify-full',
  REDIS_URL: 'rediss://:its-own-password@redis.example',
});

/** Adds a user and a password to a URL. */
function asUser(url: string): string {
  const with_ = new URL(url);
  [with_.username, with_.password] = ['deposits', encodeURIComponent('Tulsi river 4271')];
  return with_.href;
}

describe('users-service doctor --provider mail', () => {
  let server: ScriptedMailServer;
  let authority: PrivateAuthority;
  let certificate: { key: string; cert: string };
  beforeAll(async () => {
    authority = await PrivateAuthority.create();
    const files = await authority.issue();
    certificate = { key: readFileSync(files.key, 'utf8'), cert: readFileSync(files.certificate, 'utf8') };
  });
  afterAll(() => authority.remove());
  afterEach(() => server.stop());

  const trusting = (): Environment => ({ NODE_EXTRA_CA_CERTS: authority.file });

  it('passes in production when the server encrypts, accepts our credentials and our sender; sends no mail', async () => {
    server = await ScriptedMailServer.start(certificate);
    const { code, checks, text } = await checksOf({
      ...inProduction(),
      ...trusting(),
      MAIL_SMTP_URL: asUser(server.url),
    });
    expect(checks.map(({ check, outcome }) => [check, outcome])).toEqual([
      ['reach', 'ok'],
      ['TLS', 'ok'],
      ['credentials', 'ok'],
      ['sender', 'ok'],
    ]);
    expect(code).toBe(0);
    expect(server.recipients).toEqual(['RCPT TO:<postmaster@deposits.example>']);
    expect(server.mails).toEqual([]);
    expect(text).not.toMatch(/Tulsi river 4271|Tulsi%20river%204271/);
  });

  it.each<[what: string, plant: () => void, check: string, detail: RegExp, action: RegExp]>([
    [
      'a wrong password',
      () => (server.script = { AUTH: '535 no' }),
      'credentials',
      /^misconfigured: AUTH: credentials$/,
      /user and password in MAIL_SMTP_URL/,
    ],
    [
      'a sender that the server rejects',
      () => (server.script = { MAIL: '550 5.7.1 not yours' }),
      'sender',
      /^refused: MAIL FROM 550: sender$/,
      /MAIL_FROM/,
    ],
    [
      'an account that may not send to others',
      () => (server.script = { RCPT: '554 5.7.1 relay denied' }),
      'sender',
      /^refused: RCPT TO 554: recipient$/,
      /may send to any recipient/,
    ],
    [
      'a busy server',
      () => (server.script = { RCPT: '451 later' }),
      'sender',
      /^unavailable: RCPT TO 451$/,
      /run this again/,
    ],
    [
      'a server that ends the session',
      () => (server.script = { MAIL: 'reset' }),
      'sender',
      /^timeout: /,
      /did not answer in time/,
    ],
    [
      'another protocol',
      () => (server.script = { greeting: 'HTTP/1.1 400 Bad Request' }),
      'reach',
      /^malformed: not SMTP$/,
      /not that of a mail server/,
    ],
    [
      'a silent server',
      () => (server.script = { greeting: 'silence' }),
      'reach',
      /^timeout: ETIMEDOUT/,
      /did not answer in time/,
    ],
  ])('reports %s and names the remedy', async (_what, plant, check, detail, action) => {
    server = await ScriptedMailServer.start();
    plant();
    const { code, checks } = await checksOf({ MAIL_SMTP_URL: asUser(server.url) });
    expect(code).toBe(1);
    expect(checks.find(({ outcome }) => outcome === 'fault')).toMatchObject({
      port: 'mail',
      check,
      detail: expect.stringMatching(detail) as string,
      action: expect.stringMatching(action) as string,
    });
    expect(server.mails).toEqual([]);
  });

  it('reports that the server requires credentials when the settings have none', async () => {
    server = await ScriptedMailServer.start();
    server.script = { MAIL: '530 5.7.0 who are you' };
    const { checks } = await checksOf({ MAIL_SMTP_URL: server.url });
    expect(checks.map(({ check }) => check)).toEqual(['reach', 'sender']);
    expect(checks[1]).toMatchObject({
      outcome: 'fault',
      detail: 'misconfigured: MAIL FROM 530: credentials missing',
      action: expect.stringMatching(/add both to MAIL_SMTP_URL/) as string,
    });
  });

  it('reports a server that does not encrypt, and sends it no password', async () => {
    server = await ScriptedMailServer.start();
    const { checks } = await checksOf({ ...inProduction(), MAIL_SMTP_URL: asUser(server.url) });
    expect(checks.map(({ check, outcome }) => [check, outcome])).toEqual([
      ['reach', 'ok'],
      ['TLS', 'fault'],
      ['credentials', 'skipped'],
      ['sender', 'skipped'],
    ]);
    expect(checks[1]).toMatchObject({
      detail: 'misconfigured: TLS: not offered',
      action: expect.stringMatching(/does not encrypt at this port/) as string,
    });
  });

  it('reports an untrusted certificate, after STARTTLS and with TLS from the start', async () => {
    server = await ScriptedMailServer.start(certificate);
    const untrusted = {
      detail: expect.stringMatching(/^misconfigured: .*(LEAF_SIGNATURE|SELF_SIGNED)/) as string,
      action: expect.stringMatching(/certificate is not trusted/) as string,
    };
    const started = await checksOf({ ...inProduction(), MAIL_SMTP_URL: asUser(server.url) });
    expect(started.checks[1]).toMatchObject({ check: 'TLS', outcome: 'fault', ...untrusted });
    const { https } = await sandboxPorts();
    const implicit = await checksOf({ MAIL_SMTP_URL: `smtps://127.0.0.1:${https}` });
    expect(implicit.checks[0]).toMatchObject({ check: 'reach', outcome: 'fault', ...untrusted });
    expect(implicit.code).toBe(1);
  });

  it('reports that no server listens', async () => {
    server = await ScriptedMailServer.start();
    const { code, checks } = await checksOf({ MAIL_SMTP_URL: 'smtp://127.0.0.1:1' });
    expect(code).toBe(1);
    expect(checks[0]).toMatchObject({
      detail: 'unavailable: ECONNREFUSED',
      action: expect.stringMatching(/Cannot connect to 127\.0\.0\.1:1: check MAIL_SMTP_URL/) as string,
    });
    expect(checks[1]).toMatchObject({ outcome: 'skipped', detail: 'not run: see reach' });
  });
});
