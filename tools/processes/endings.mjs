// The ways in which a developer ends a program: Ctrl-C, kill, a closed terminal, a killed npm.
import { once } from 'node:events';
import { commandLine, parentOf } from './processes.mjs';

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Of a program whose reader has ended (`npm start | head -1`). */
const READER_ENDED = 141;

/** Ctrl-C arrives from the terminal and once more through npm: only a later signal is a second request. */
const SAME_REQUEST_MS = 1_000;

/** Our parent process, and its parent if it is only a shell. */
function whoStarted(generations = /^(\/bin\/)?sh -c /.test(commandLine(process.ppid)) ? 2 : 1) {
  return [process.ppid, parentOf(process.ppid)].slice(0, generations);
}

/** npm and Nx forward signals, but not once they are killed themselves. */
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
 * Returns asked (an AbortSignal that fires when this process should end), exitCode() (by convention 128 plus the signal's
 * number) and again(work), which runs work on a second signal.
 */
export function watchForEnd() {
  const asked = new AbortController();
  let code = 0;
  let askedAt = 0;
  // before anything has started, a second signal ends this process at once
  let insist = () => process.exit(code);
  const ask = (exitCode) => {
    if (asked.signal.aborted) return performance.now() - askedAt > SAME_REQUEST_MS && insist();
    askedAt = performance.now();
    code = exitCode;
    asked.abort();
  };
  for (const [signal, exitCode] of Object.entries(exitCodes)) process.on(signal, () => ask(exitCode));
  onceOrphaned(() => asked.signal.aborted || ask(exitCodes.SIGTERM));

  // an error of a closed terminal or pipe must not keep us from ending our processes
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', ({ code: reason }) => {
      if (reason === 'EPIPE' && !asked.signal.aborted) ask(READER_ENDED);
    });

  return { asked: asked.signal, exitCode: () => code, again: (work) => (insist = work) };
}

/** Resolves when SIGNAL fires. */
export const fired = async (signal) => {
  if (!signal.aborted) await once(signal, 'abort');
};
