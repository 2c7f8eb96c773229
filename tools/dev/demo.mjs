// npm run demo: a new person's whole journey, each call and its answer, ending with a deposit that can be booked. The calls
// are those of docs/collection, which the tests run too. Needs a running "npm start", on this machine or at USERS_URL,
// MASTER_URL and SANDBOX_URL.
import { join } from 'node:path';
import util from 'node:util';
import { install } from '../bootstrap.mjs';
import { isOk, runProgram } from '../processes/processes.mjs';
import { baseUrl, given, root, toolEnvironment } from '../workspace.mjs';

const MAX_LINES = 16;
// not imported by its name, which a Node.js that is too old lacks: it must get as far as install()
const { styleText } = util;
const BOOKING_CHECK = 'Check whether it can be booked';

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
let bookable;
function print({ name, method, url, sent, status, body }) {
  console.log(`\n${styleText('bold', `${++count}. ${name}`)}`);
  console.log(styleText('cyan', `  ${method} ${url}`));
  if (sent) console.log(indented(readable(JSON.parse(sent)), 'gray'));
  console.log(styleText(status < 300 ? 'green' : 'red', `  ${status}`));
  if (body !== undefined) console.log(indented(readable(body), 'gray'));
  if (name === BOOKING_CHECK) bookable = body?.payload;
}

/** Returns why the journey cannot begin; undefined when all three services answer. */
async function missing() {
  const answers = await Promise.all(Object.values(urls).map((url) => isOk(`${url}/health/ready`)));
  return answers.every(Boolean)
    ? undefined
    : `No service answers at ${Object.values(urls).join(', ')}. Run "npm start" in another terminal, and this when it is ready. If you gave npm start other ports (USERS_PORT, MASTER_PORT, SANDBOX_PORT), give them here too.`;
}

async function main() {
  const problem = await missing();
  if (problem) throw new Error(problem);
  await install();
  const library = join(root, 'libs/testing');
  await runProgram('This does not compile', 'tsc', ['-b', join(library, 'tsconfig.lib.json')], {
    cwd: root,
    env: toolEnvironment(),
  });
  const { BrunoCollection } = await import(join(library, 'dist/contract/bruno-collection.js'));
  const collection = await BrunoCollection.open(join(root, 'docs/collection'), 'npm-start', urls, print);
  await collection.run('catalogue');
  await collection.run('onboarding');
  if (!bookable?.is_bookable) throw new Error('The deposit cannot be booked.');
  console.log(styleText(['bold', 'green'], `\nThe deposit is ready to book: complete after ${count} calls.`));
}

await main().catch((error) => {
  console.error(`\n${error.message}`);
  process.exitCode = 1;
});
