// The ways in which a developer ends a program: Ctrl-C, kill, a closed terminal, a killed npm.
import { once } from 'node:events';
import { commandLine, parentOf } from './processes.mjs';

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Ctrl-C reaches us from the terminal and once more through npm: only a later signal is a second wish. */
const SAME_WISH_MS = 1_000;

/** Our parent, and the parent of that when it is only the shell through which a tool runs commands. */
function whoStarted(generations = /^(\/bin\/)?sh -c /.test(commandLine(process.ppid)) ? 2 : 1) {
  return [process.ppid, parentOf(process.ppid)].slice(0, generations);
}

/** npm and Nx pass signals on, but when they are killed themselves there is nobody left to do that. */
function onceOrphaned(work) {
  if (!(process.env.npm_lifecycle_event ?? process.env.NX_TASK_TARGET_TARGET)) return;
  const starter = whoStarted();
  const look = setInterval(() => {
    const now = whoStarted(starter.length);
    if (starter.every((pid, generation) => pid === now[generation])) return;
    clearInterval(look);
    work();
  }, 1_000);
  look.unref();
}

/**
 * Returns asked (an AbortSignal that fires when this process is to end), exitCode() (by convention 128 and the
 * signal's number) and again(work), which has work done should the user insist by a second signal.
 */
export function watchForEnd() {
  const asked = new AbortController();
  let code = 0;
  let askedAt = 0;
  // before anything runs that has to be ended, who insists need not wait
  let insist = () => process.exit(code);
  const ask = (signal) => {
    if (asked.signal.aborted) return performance.now() - askedAt > SAME_WISH_MS && insist();
    askedAt = performance.now();
    code = exitCodes[signal];
    asked.abort();
  };
  for (const signal of Object.keys(exitCodes)) process.on(signal, () => ask(signal));
  onceOrphaned(() => asked.signal.aborted || ask('SIGTERM'));

  // writing to a terminal that was closed must not keep us from ending what we started
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

  return { asked: asked.signal, exitCode: () => code, again: (work) => (insist = work) };
}

/** Resolves when SIGNAL fires. */
export const fired = async (signal) => {
  if (!signal.aborted) await once(signal, 'abort');
};
