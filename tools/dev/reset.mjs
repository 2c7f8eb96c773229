// npm run reset: drops the development databases, secrets and logs, and ends what an earlier run left behind.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropDevelopmentInfra, holders } from '../stores/infra.mjs';
import { stillLives } from '../processes/processes.mjs';
import { dataFolder } from '../workspace.mjs';

/** Those for whom the data is in use: also an `npm start` with databases of its own choice. */
function users() {
  const startFile = join(dataFolder, 'start.json');
  const start = existsSync(startFile) ? JSON.parse(readFileSync(startFile, 'utf8')) : undefined;
  const found = holders(dataFolder);
  const isListed = found.some(({ pid }) => pid === start?.pid);
  return start && !isListed && stillLives(start) ? [...found, { ...start, title: 'npm start' }] : found;
}

const running = users();
if (running.length > 0) {
  const list = running.map(({ title, pid }) => `"${title}" (pid ${pid})`).join(', ');
  console.error(`Not while ${list} runs: end it first (Ctrl-C).`);
  process.exit(1);
}
if (existsSync(dataFolder)) {
  await dropDevelopmentInfra();
  console.log('Dropped .data: databases, secrets and logs. The next start makes new ones.');
} else {
  console.log('There is no .data: nothing to drop.');
}
