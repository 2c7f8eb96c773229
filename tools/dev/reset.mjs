// npm run reset: stops processes of an earlier run and deletes the development databases, secrets and logs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stillLives } from '../processes/processes.mjs';
import { dropDevelopmentInfra, holders } from '../stores/infra.mjs';
import { ownerOf } from '../stores/lock.mjs';
import { dataFolder } from '../workspace.mjs';

/** The processes that use the data, including an `npm start` on other databases. */
const users = new Map(holders(dataFolder).map(({ pid, title }) => [pid, title]));
const start = ownerOf(join(dataFolder, 'start.json'));
if (stillLives(start)) users.set(start.pid, 'npm start');

if (users.size > 0) {
  const list = [...users].map(([pid, title]) => `"${title}" (pid ${pid})`).join(', ');
  console.error(`Not while ${list} runs: end it first (Ctrl-C).`);
  process.exit(1);
}
if (existsSync(dataFolder)) {
  await dropDevelopmentInfra();
  console.log('Dropped .data: databases, secrets and logs. The next start makes new ones.');
} else {
  console.log('There is no .data: nothing to drop.');
}
