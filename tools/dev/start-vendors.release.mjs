// npm start -- --vendors=...: the real services over the adapters of vendors, on ports and data of their own.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../stores/ports.mjs';
import { until } from '../processes/processes.mjs';
import { PORTS, root } from '../workspace.mjs';
import { recorded } from './spec-workspace.mjs';

const START_LIMIT_MS = 240_000;

/** The vendors of each start, and what they must have done for one journey: kinds of effects by provider. */
const STARTS = [
  {
    vendors: 'cashfree,msg91',
    effects: { cashfree: ['aadhaar', 'aadhaar_read', 'kyc_link', 'pan', 'pan_lite', 'penny_drop'] },
    message: /^Template login_otp, code: \d{6}, minutes: \d+$/,
  },
  {
    vendors: 'setu,twilio,fineract',
    effects: { setu: ['pan', 'penny_drop'], 'issuer:aravalli': ['account_registration', 'customer'] },
    message: /^\d{6} is your code to log in\./,
  },
];

describe('npm start with vendors', () => {
  for (const { vendors, effects, message } of STARTS) {
    describe(`--vendors=${vendors}`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'fd-vendors-'));
      const env = { ...process.env, FD_DATA_FOLDER: join(folder, 'data') };
      for (const name of ['DATABASE_URL', 'REDIS_URL', 'NODE_TEST_CONTEXT']) delete env[name];
      const tool = (name, ...args) =>
        recorded(process.execPath, [join(root, 'tools/dev', name), ...args], { cwd: root, env });
      const sandbox = async (path) => (await fetch(`http://127.0.0.1:${env.SANDBOX_PORT}${path}`)).json();
      let start;

      before(async () => {
        chmodSync(folder, 0o755);
        for (const { variable } of PORTS) env[variable] = String(await freePort());
        start = tool('start.mjs', `--vendors=${vendors}`);
        await start.becomes(() => start.output.includes('curl -i'), 'It did not start', START_LIMIT_MS);
      });
      after(async () => {
        start.child.kill('SIGINT');
        await start.exited;
        rmSync(folder, { recursive: true, force: true });
      });

      it('completes the journey of a new person to a deposit that is ready to book', async () => {
        const demo = tool('demo.mjs');
        assert.equal(await demo.exited, 0, demo.output);
        assert.match(demo.output, /The deposit is ready to book/);
      });

      it('calls the external services over these vendors', async () => {
        for (const [provider, kinds] of Object.entries(effects)) {
          const { effects: done } = await sandbox(`/api/effects?provider=${provider}`);
          assert.deepEqual(done.map(({ kind }) => kind).sort(), kinds, provider);
        }
        const { messages } = await sandbox('/api/messages');
        const sms = messages.filter(({ channel }) => channel === 'sms');
        assert.equal(sms.length, 1);
        assert.match(sms[0].text, message);
      });

      it('gets the webhooks of the vendors', async () => {
        const log = () => readFileSync(join(folder, 'data/logs/sandbox.log'), 'utf8');
        const webhooks = () => log().match(/"msg":"webhook","status":\d+/g) ?? [];
        await until(() => webhooks().length >= 3, { limit: 20_000 });
        for (const webhook of webhooks()) assert.match(webhook, /"status":2\d\d$/);
        assert.ok(webhooks().length >= 3, log());
      });
    });
  }
});
