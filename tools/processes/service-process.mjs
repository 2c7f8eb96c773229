// One running service: its process, its log, whether it is ready, and its end.
import { spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { needsAttention, readLine } from './log-lines.mjs';
import { end, groupWill } from './processes.mjs';
import { until } from './wait.mjs';
import { appFolder, dataPath } from '../workspace.mjs';

async function isReady(port) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, {
      signal: AbortSignal.timeout(2_000),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

/**
 * Starts the built SERVICE with ENV. Its log goes to .data/logs; SHOW gets the lines that need attention, or all
 * when VERBOSE. Returns exited (a promise of its exit code or signal), ready(limit), tail() and stop().
 */
export function startService(service, env, { verbose, show }) {
  const logFile = join(dataPath('logs'), `${service}.log`);
  const child = spawn(process.execPath, ['--enable-source-maps', 'dist/main.js'], {
    cwd: appFolder(service),
    env,
    // not in the terminal's group: Ctrl-C is for the starter, which then ends the services once and in order
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const callOffWill = groupWill(child.pid);
  const log = createWriteStream(logFile);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`);
      const entry = readLine(line);
      if (verbose || needsAttention(entry)) show(`${service}: ${entry.text}`);
    });
  }
  let isGone = false;
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => log.end(() => resolve(signal ?? `exit code ${code}`)));
  }).finally(() => (isGone = true));

  return {
    service,
    logFile,
    exited,
    ready: (limit) =>
      until(async () => isGone || (await isReady(Number(env.PORT))), { limit, every: 150 }).then(
        (answer) => Boolean(answer) && !isGone,
      ),
    tail: (count = 20) =>
      readFileSync(logFile, 'utf8')
        .trimEnd()
        .split('\n')
        .slice(-count)
        .map((line) => readLine(line).text)
        .join('\n'),
    stop: async (signal = 'SIGTERM') => {
      if (isGone) return;
      await end(child.pid, signal, 25_000);
      await exited;
      await callOffWill();
    },
  };
}
