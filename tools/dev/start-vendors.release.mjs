// npm start -- --vendors=...: the real services over the adapters of vendors.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { until } from '../processes/processes.mjs';
import { makeWorkspace } from './spec-workspace.mjs';

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
    const { data, ports, tool, remove } = await makeWorkspace();
    test.after(remove);
    await tool('dev/start.mjs', `--vendors=${vendors}`).shows('curl -i', 240_000);
    const demo = tool('dev/demo.mjs');
    assert.equal(await demo.exited, 0, demo.output);
    const sandbox = async (path) =>
      (await fetch(`http://127.0.0.1:${ports.SANDBOX_PORT}/api/${path}`)).json();
    for (const [provider, kinds] of Object.entries(effects)) {
      const done = (await sandbox(`effects?provider=${provider}`)).effects;
      assert.deepEqual(done.map(({ kind }) => kind).sort(), kinds, provider);
    }
    const sms = (await sandbox('messages')).messages.filter(({ channel }) => channel === 'sms');
    assert.equal(sms.length, 1);
    assert.match(sms[0].text, message);
    const log = () => readFileSync(join(data, 'logs/sandbox.log'), 'utf8');
    const webhooks = () => log().match(/"msg":"webhook","status":\d+/g) ?? [];
    await until(() => webhooks().length >= 3, { limit: 20_000 });
    assert.ok(webhooks().length >= 3, log());
    for (const webhook of webhooks()) assert.match(webhook, /"status":2\d\d$/);
  });
