// Which process is which, how to run one, to wait for it, and to end it.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * Asks CONDITION (sync or async) every EVERY milliseconds until its answer is truthy and returns that answer,
 * or undefined when it is not within LIMIT milliseconds. What the condition throws ends the wait.
 */
export async function until(condition, { limit, every = 25 }) {
  for (const end = Date.now() + limit; ; await pause(every)) {
    const answer = await condition();
    if (answer) return answer;
    if (Date.now() >= end) return undefined;
  }
}

/**
 * Runs PROGRAM to its end and resolves with its standard output. When it fails, FAILURE and what it wrote are the error.
 * OPTIONS are those of execFile; its signal (an AbortSignal) ends the program.
 */
export async function runProgram(failure, program, args, options = {}) {
  try {
    return (await promisify(execFile)(program, args, { ...options, maxBuffer: 1e8 })).stdout;
  } catch (error) {
    const output = [error.stdout, error.stderr].filter(Boolean).join('\n').trim();
    throw new Error(`${failure}: ${output || error.message}`, { cause: error });
  }
}

/** State, parent and start time of a process as Linux tells them; undefined where there is no /proc or no such process. */
function procStat(pid) {
  try {
    // the name in parentheses may itself contain spaces and parentheses
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop().split(' ');
    return { state: fields[0], parent: Number(fields[1]), started: fields[19] };
  } catch {
    return undefined;
  }
}

const ps = (pid, column) => {
  try {
    return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
};

/** Sends a signal; a process that is gone already is no error. A negative PID names a process group. */
export function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  // a container's first process may never collect its dead: they are zombies, and dead for us
  return procStat(pid)?.state !== 'Z';
}

/** What tells the process apart from a later one that gets the same number. */
export const identity = (pid = process.pid) => ({
  pid,
  started: procStat(pid)?.started ?? ps(pid, 'lstart'),
});

/** Whether the process that identity() described still lives. */
export const stillLives = (known) =>
  Number.isInteger(known?.pid) && isAlive(known.pid) && identity(known.pid).started === known.started;

export const parentOf = (pid) => procStat(pid)?.parent;

export function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return ps(pid, 'command');
  }
}

/** Asks the process to end with the signal NAME; after LIMIT milliseconds it has to. */
export async function end(pid, name = 'SIGTERM', limit = 10_000) {
  const gone = () => !isAlive(pid);
  signal(pid, name);
  if (await until(gone, { limit })) return;
  signal(pid, 'SIGKILL');
  await until(gone, { limit: 5_000 });
}

/**
 * Has COMMAND run when this process ends without saying so, even by SIGKILL: a shell, detached from us and
 * from the terminal, waits for the end of a pipe that only we hold. Returns the function that calls it off.
 */
export function lastWill(command, args) {
  const script = '(read -r _ <&3 || exec "$@") &';
  const shell = spawn('/bin/sh', ['-c', script, 'sh', command, ...args], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const pipe = shell.stdio[3];
  pipe.on('error', () => {}); // the shell is gone: nothing left to call off
  shell.unref();
  pipe.unref();
  return () => new Promise((done) => pipe.end('done\n', done));
}

/** Has the process group of LEADER end when this process dies. Returns the function that calls it off. */
export const groupWill = (leader) => lastWill('/bin/sh', ['-c', 'kill -s TERM -- "-$0"', String(leader)]);
