import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, samplePhone } from './sandbox-data.mjs';
import { serveHints, summary } from './start-texts.mjs';

const urls = { 'users-service': 'http://a', 'master-service': 'http://b', sandbox: 'http://c' };

test('names the chosen ports in the command of the demo, and no port otherwise', () => {
  delete process.env.MASTER_PORT;
  process.env.USERS_PORT = '4001';
  process.env.SANDBOX_PORT = '4003';
  assert.match(summary(urls), / {2}USERS_PORT=4001 SANDBOX_PORT=4003 npm run demo/);
  delete process.env.USERS_PORT;
  delete process.env.SANDBOX_PORT;
  assert.match(summary(urls), /A whole journey {2}npm run demo/);
});

test('names the API key for nx serve master-service, and a login for nx serve users-service', () => {
  assert.match(serveHints['master-service'].join(), new RegExp(apiKey.key));
  assert.match(
    serveHints['users-service'].join(),
    new RegExp(`${samplePhone.phone}, code ${samplePhone.code}`),
  );
});
