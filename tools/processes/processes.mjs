// Identifies, runs, awaits and ends processes.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * Calls CONDITION (sync or async) every EVERY milliseconds until its result is truthy and returns that result, or undefined
 * after LIMIT milliseconds. An error of the condition ends the wait.
 */
export async function until(condition, { limit, every = 25 }) {
  for (const end = Date.now() + limit; ; await pause(every)) {
    const answer = await condition();
    if (answer) return answer;
    if (Date.now() >= end) return undefined;
  }
}

/** Whether URL answers with success within LIMIT milliseconds. */
export const isOk = (url, limit = 2_000) =>
  fetch(url, { signal: AbortSignal.timeout(limit) }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Runs PROGRAM and resolves with its standard output. If it fails, the error is FAILURE and the output, or without any how it ended.
 * OPTIONS are those of execFile; its signal (an AbortSignal) ends the program. INPUT is its standard input.
 */
export async function runProgram(failure, program, args, { input, ...options } = {}) {
  try {
    const running = promisify(execFile)(program, args, { ...options, maxBuffer: 1e8 });
    running.child.stdin.on('error', () => {}).end(input); // the program ended without reading it
    return (await running).stdout;
  } catch (error) {
    const output = [error.stdout, error.stderr].filter(Boolean).join('\n').trim();
    const { signal: by, code } = error;
    const how = by ?? (Number.isInteger(code) ? `exit code ${code}` : undefined);
    const silence = how ? `${program} ended without output (${how})` : error.message;
    throw new Error(`${failure}: ${output || silence}`, { cause: error });
  }
}

/** State, parent and start time of a process from /proc; undefined without /proc or without the process. */
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

/** Sends a signal; ignores a process that no longer exists. A negative PID is a process group. */
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
  // a container's first process may never reap its children: zombies count as dead
  return procStat(pid)?.state !== 'Z';
}

/** Identifies a process, even if a later one gets the same number. */
export const identity = (pid = process.pid) => ({
  pid,
  started: procStat(pid)?.started ?? ps(pid, 'lstart'),
});

/** Whether the process of identity() is still alive. */
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

/** Sends the signal NAME to the process, and SIGKILL after LIMIT milliseconds. */
export async function end(pid, name = 'SIGTERM', limit = 10_000) {
  const gone = () => !isAlive(pid);
  signal(pid, name);
  if (await until(gone, { limit })) return;
  signal(pid, 'SIGKILL');
  await until(gone, { limit: 5_000 });
}

/**
 * Runs COMMAND when this process dies, even by SIGKILL: a shell, detached from us and from the terminal, waits for the end of
 * a pipe that only we hold open. Returns a function that cancels it.
 */
export function runOnDeath(command, args) {
  const script = '(read -r _ <&3 || exec "$@") &';
  const shell = spawn('/bin/sh', ['-c', script, 'sh', command, ...args], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const pipe = shell.stdio[3];
  pipe.on('error', () => {}); // the shell has ended
  shell.unref();
  pipe.unref();
  return () => new Promise((done) => pipe.end('done\n', done));
}

/** Ends the process group of LEADER when this process dies. Returns a function that cancels it. */
export const endGroupOnDeath = (leader) =>
  runOnDeath('/bin/sh', ['-c', 'kill -s TERM -- "-$0"', String(leader)]);
