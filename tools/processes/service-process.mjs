// A running service: its process, its log, its readiness and its end.
import { spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { end, endGroupOnDeath, isOk, signal, until } from './processes.mjs';
import { appFolder, dataPath } from '../workspace.mjs';

/**
 * Formats a line of a service's log as "level message {fields}". isQuiet: it needs no attention. A line that is not a JSON
 * object belongs to a crash.
 */
function readLine(line) {
  try {
    const { level, msg, err, ...rest } = JSON.parse(line);
    const details = JSON.stringify({ ...rest, time: undefined, service: undefined, context: undefined });
    const parts = [level, msg, details === '{}' ? '' : details, err?.stack ?? err?.message];
    const text = parts.filter(Boolean).join(' ');
    return { text: text || line, isQuiet: ['trace', 'debug', 'info'].includes(level) };
  } catch {
    return { text: line, isQuiet: false };
  }
}

/**
 * Starts the built SERVICE with ENV; isWatched restarts it on every change of its files. Writes its log to .data/logs; SHOW
 * gets the lines that need attention, or all when VERBOSE. Returns exited (a promise of its exit code or signal), how() (the
 * same, undefined while it runs), ready(limit), tail() and stop().
 */
export function startService(service, env, { isWatched = false, verbose, show }) {
  const logFile = join(dataPath('logs'), `${service}.log`);
  const watch = isWatched ? ['--watch', '--watch-preserve-output'] : [];
  // the title is its name in lists of processes
  const options = [...watch, `--title=${service}`, '--enable-source-maps'];
  const child = spawn(process.execPath, [...options, 'dist/main.js'], {
    cwd: appFolder(service),
    env,
    // outside of the terminal's process group: on Ctrl-C the starter ends the services in order
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const cancelEnd = endGroupOnDeath(child.pid);
  const log = createWriteStream(logFile);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`);
      const { text, isQuiet } = readLine(line);
      if (verbose || !isQuiet) show(`${service}: ${text}`);
    });
  }
  let how;
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => log.end(() => resolve(signal ?? `exit code ${code}`)));
  }).then((end) => (how = end));

  return {
    service,
    logFile,
    exited,
    how: () => how,
    ready: async (limit) => {
      const answer = await until(
        async () => how || (await isOk(`http://127.0.0.1:${env.PORT}/health/ready`)),
        { limit, every: 150 },
      );
      return Boolean(answer) && !how;
    },
    tail: () => {
      const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-20);
      return lines.map((line) => readLine(line).text).join('\n');
    },
    stop: async (name = 'SIGTERM') => {
      if (how) return;
      await end(child.pid, name, 25_000);
      signal(-child.pid, 'SIGKILL'); // in case a watcher has left its service running
      await exited;
      await cancelEnd();
    },
  };
}
