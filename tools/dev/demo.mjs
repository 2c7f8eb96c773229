// npm run demo: a new person's whole journey with @fd/client, each call and its answer, ending with a deposit that can be
// booked. Needs a running "npm start", on this machine or at USERS_URL, MASTER_URL and SANDBOX_URL.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import util from 'node:util';
import { install } from '../bootstrap.mjs';
import { isOk, runProgram } from '../processes/processes.mjs';
import { baseUrl, given, root, toolEnvironment } from '../workspace.mjs';

const MAX_LINES = 16;
// not imported by its name, which a Node.js that is too old lacks: it must get as far as install()
const { styleText } = util;
const PARTNER = 'https://app.partner.example';
const DETAILS = {
  ...{ gender: 'FEMALE', marital_status: 'MARRIED', occupation: 'SALARIED', source_of_funds: 'SALARY' },
  ...{ annual_income_range: 'FROM_5_TO_10_LAKH', is_pep: false, is_tax_resident_india_only: true },
  communication_address: { line1: '12, Lake Road', city: 'Bengaluru', state_code: 'KA', pincode: '560001' },
};

const urls = {
  usersUrl: given('USERS_URL') ?? baseUrl('users-service'),
  masterUrl: given('MASTER_URL') ?? baseUrl('master-service'),
  sandboxUrl: given('SANDBOX_URL') ?? baseUrl('sandbox'),
};

/** Indented JSON, without its middle when it is long. */
function readable(value) {
  const lines = JSON.stringify(value, null, 2).split('\n');
  if (lines.length <= MAX_LINES) return lines;
  const half = MAX_LINES / 2;
  return [...lines.slice(0, half), `  … ${lines.length - MAX_LINES} more lines`, ...lines.slice(-half)];
}

const indented = (lines, color) => lines.map((line) => styleText(color, `    ${line}`)).join('\n');

let count = 0;

/** Sends a request, and prints it with its answer. */
async function printed(request, init) {
  const sent = await request.clone().text();
  const response = await fetch(request, init);
  const answer = await response.clone().text();
  console.log(styleText('bold', `\n${++count}. ${request.method} ${request.url}`));
  if (sent) console.log(indented(readable(JSON.parse(sent)), 'gray'));
  console.log(styleText(response.ok ? 'green' : 'red', `  ${response.status}`));
  if (answer) console.log(indented(readable(JSON.parse(answer)), 'gray'));
  return response;
}

/** A call to the sandbox: what the person does elsewhere, such as reading a message. */
async function sandbox(method, path, body) {
  const headers = { 'content-type': 'application/json' };
  const init = { method, headers, body: body && JSON.stringify(body) };
  const response = await printed(new Request(`${urls.sandboxUrl}/api/${path}`, init));
  if (!response.ok) throw new Error(`The sandbox answers ${response.status}.`);
  return response.status === 204 ? undefined : response.json();
}

/** The newest code; a provider may take the message after the answer to the request. */
async function codeOf(to) {
  for (let tries = 1; ; tries++) {
    const [message] = (await sandbox('GET', `messages?${new URLSearchParams({ to })}`)).messages;
    if (message) return message.code;
    if (tries === 30) throw new Error(`No message has reached ${to}.`);
    await new Promise((done) => setTimeout(done, 1_000));
  }
}

async function chooseDeposit({ master }) {
  const { issuers } = (await master.get('/api/v1/issuers')).payload;
  const { f_issuer_id: issuer_uuid, f_code: issuer_code } = issuers[0];
  await master.get('/detail/{issuer_uuid}', { path: { issuer_uuid } });
  const terms = { payout_frequency: 'Maturity', product_type: 'FD', tax_saver: false };
  await master.get('/api/v1/detail/maturity-amount/{issuer_code}', {
    path: { issuer_code },
    query: { tenure: 730, investment_amount: 100_000, senior_citizen: false, women_citizen: false, ...terms },
  });
  await master.get('/api/v1/compare', { query: { amount: 100_000, tenure: 730 } });
}

/** Returns whether the deposit can be booked. */
async function onboard({ users, session }, { waitForBank, waitForEkyc, waitForPan }) {
  const path = { issuer_slug: 'aravalli' };
  const query = { issuer_code: 'ARAVFIN' };
  const { phone, pan, dob, email, account, ifsc } = await sandbox('GET', 'sample-person');
  await users.post('/auth/register', { body: { phone } });
  await session.logIn({ phone, otp: await codeOf(phone), partner_url: PARTNER, consent: true });
  await users.get('/issuer-apis/{issuer_slug}/v1/journey', { path });
  const event = { event_id: randomUUID(), event_name: 'FD_SELECTED', occurred_at: new Date().toISOString() };
  const properties = { amount: 50_000, tenure: 730 };
  await users.post('/api/v1/insights-tracking', { body: { ...event, ...query, properties } });

  const asked = await users.post('/api/v1/pan-verification', {
    body: { number: pan, dob, consent_checked: true },
  });
  const { payload: known } = await waitForPan(users, asked.payload.verification_id);
  await users.post('/issuer-apis/{issuer_slug}/v2/check-etb', { path });
  const { payload: ekyc } = await users.post('/issuer-apis/{issuer_slug}/v3/check-status', {
    path,
    body: { redirection_url: `${PARTNER}/back` },
  });
  await sandbox('POST', `ekyc/${ekyc.ekyc_request_id}/outcome`, { outcome: 'verified' });
  await waitForEkyc(users, path.issuer_slug);
  await users.post('/api/v1/email/send-otp', { body: { email } });
  await users.post('/api/v1/email/verify-otp', { body: { email, otp: await codeOf(email) } });

  const { declarations } = (await users.get('/api/v1/personal-details/options', { query })).payload;
  const accepted = declarations.map(({ code, version }) => ({ code, version, accepted: true }));
  await users.post('/api/v1/personal-details', { query, body: { ...DETAILS, declarations: accepted } });
  // a real bank knows the holder; only vendors whose requests contain no name need this
  await sandbox('PUT', `bank-holders/${account}`, { name: known.full_name });
  const bank = await users.post('/api/v1/bank/sync-to-issuer', { body: { account, ifsc, ...query } });
  await waitForBank(users, bank.payload.verification_id);
  const nominee = { name: 'Meera Joshi', relationship: 'SISTER', dob: '1987-03-09' };
  await users.post('/api/v1/user-nominee', { body: nominee });
  const { payload } = await users.get('/issuer-apis/{issuer_slug}/v1/booking-check', { path });
  await users.get('/api/v1/user-profile');
  await session.logOut();
  return payload.is_bookable;
}

/** Returns why the journey cannot begin; undefined when all three services answer. */
async function missing() {
  const answers = await Promise.all(Object.values(urls).map((url) => isOk(`${url}/health/ready`, 20_000)));
  return answers.every(Boolean)
    ? undefined
    : `No service answers at ${Object.values(urls).join(', ')}. Run "npm start" in another terminal, and this when it is ready. If you gave npm start other ports (USERS_PORT, MASTER_PORT, SANDBOX_PORT), give them here too.`;
}

async function main() {
  const problem = await missing();
  if (problem) throw new Error(problem);
  await install();
  const library = join(root, 'libs/client');
  await runProgram('This does not compile', 'tsc', ['-b', join(library, 'tsconfig.lib.json')], {
    cwd: root,
    env: toolEnvironment(),
  });
  const { createClient, ...waits } = await import(join(library, 'dist/index.js'));
  const options = { apiKey: 'sandbox-api-key', fetch: printed, maxRetries: 10 };
  const client = createClient({ ...urls, ...options });
  await chooseDeposit(client);
  if (!(await onboard(client, waits))) throw new Error('The deposit cannot be booked.');
  console.log(styleText(['bold', 'green'], `\nThe deposit is ready to book: complete after ${count} calls.`));
}

await main().catch((error) => {
  console.error(`\n${error.message}`);
  process.exitCode = 1;
});
