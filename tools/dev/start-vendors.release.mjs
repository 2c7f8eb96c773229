// npm start -- --vendors=...: the real services over the adapters of vendors, on ports and data of their own.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { freePort } from '../stores/ports.mjs';
import { until } from '../processes/processes.mjs';
import { PORTS, root } from '../workspace.mjs';
import { recorded } from './spec-workspace.mjs';

const START_LIMIT_MS = 240_000;

/** The vendors of each start, what they must have done for one journey (kinds of effects by provider), and their SMS. */
const STARTS = {
  'cashfree,msg91': {
    effects: { cashfree: ['aadhaar', 'aadhaar_read', 'kyc_link', 'pan', 'pan_lite', 'penny_drop'] },
    message: /^Template login_otp, code: \d{6}, minutes: \d+$/,
  },
  'setu,twilio,fineract': {
    effects: { setu: ['pan', 'penny_drop'], 'issuer:aravalli': ['account_registration', 'customer'] },
    message: /^\d{6} is your code to log in\./,
  },
};

for (const [vendors, { effects, message }] of Object.entries(STARTS))
  it(`completes a journey over ${vendors}, with their webhooks`, async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'fd-vendors-'));
    chmodSync(folder, 0o755);
    const env = { ...process.env, FD_DATA_FOLDER: join(folder, 'data') };
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'NODE_TEST_CONTEXT']) delete env[name];
    for (const { variable } of PORTS) env[variable] = String(await freePort());
    const tool = (name, ...args) =>
      recorded(process.execPath, [join(root, 'tools/dev', name), ...args], { cwd: root, env });
    const start = tool('start.mjs', `--vendors=${vendors}`);
    test.after(async () => {
      start.child.kill('SIGINT');
      await start.exited;
      rmSync(folder, { recursive: true, force: true });
    });
    await start.becomes(() => start.output.includes('curl -i'), 'It did not start', START_LIMIT_MS);

    const demo = tool('demo.mjs');
    assert.equal(await demo.exited, 0, demo.output);
    const sandbox = async (path) => (await fetch(`http://127.0.0.1:${env.SANDBOX_PORT}/api/${path}`)).json();
    for (const [provider, kinds] of Object.entries(effects)) {
      const done = (await sandbox(`effects?provider=${provider}`)).effects;
      assert.deepEqual(done.map(({ kind }) => kind).sort(), kinds, provider);
    }
    const sms = (await sandbox('messages')).messages.filter(({ channel }) => channel === 'sms');
    assert.equal(sms.length, 1);
    assert.match(sms[0].text, message);
    const log = () => readFileSync(join(folder, 'data/logs/sandbox.log'), 'utf8');
    const webhooks = () => log().match(/"msg":"webhook","status":\d+/g) ?? [];
    await until(() => webhooks().length >= 3, { limit: 20_000 });
    assert.ok(webhooks().length >= 3, log());
    for (const webhook of webhooks()) assert.match(webhook, /"status":2\d\d$/);
  });
