import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadPlan, type LoadReport, putLoadOn } from './put-load-on.js';

const BARE_REFUSALS = resolve(import.meta.dirname, '../../src/load/bare-refusals.mjs');

/** Connections for measuring the capacity: fewer than the service serves at once, so that none is refused. */
const PEAK_CONNECTIONS = 40;
const OVERLOAD_CONNECTIONS = 400;
const WARM_UP_SECONDS = 6;
const ROUNDS = 6;
const PEAK_SECONDS = 6;
const OVERLOAD_SECONDS = 10;
const BARE_SECONDS = 4;
const PROBE_EVERY_MS = 250;
const REST_MS = 2_000;

/** Figures of a service at twice its capacity. */
interface Saturation {
  /** Successes a second at its capacity, and at twice that rate. */
  readonly peakPerSecond: number;
  readonly goodputPerSecond: number;
  /** Throughput per second of processor time, since other processes take varying shares. */
  readonly peakPerCpuSecond: number;
  readonly goodputPerCpuSecond: number;
  /** Refusals by a bare Node.js server per second of processor time, at the same rate and number of connections. */
  readonly barePerCpuSecond: number;
  /** p99 of successes in milliseconds at twice the capacity, in the worst round, from when a request was begun. */
  readonly acceptedP99Ms: number;
  /** The same from when a request was due: with the lateness of the load generator, which shares the processors. */
  readonly dueP99Ms: number;
  /** The same at the capacity. */
  readonly peakP99Ms: number;
  /** Requests without an answer. */
  readonly errors: number;
  /** Number of answers by HTTP status, at twice the capacity. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Statuses of the probes during the load; 0: no answer. */
  readonly live: readonly number[];
  readonly ready: readonly number[];
  /** Memory of the process after each round, in bytes. */
  readonly memory: readonly number[];
}

/**
 * Alternates rounds at the capacity of a service and at twice that rate, so that other load affects both. A bare Node.js server gets
 * the second load too.
 * @param baseUrl of the process
 * @param call one call that succeeds
 */
export async function saturate(
  baseUrl: string,
  call: Pick<LoadPlan, 'url' | 'method' | 'headers' | 'body'>,
): Promise<Saturation> {
  const peaks: Load[] = [];
  const overloads: Load[] = [];
  const bareLoads: Load[] = [];
  const memory: number[] = [];
  // a warm-up round, in which serving and refusing are compiled
  const most = { ...call, connections: PEAK_CONNECTIONS, seconds: PEAK_SECONDS };
  const { acceptedPerSecond } = await putLoadOn({ ...most, seconds: WARM_UP_SECONDS });
  await putLoadOn(twice(call, acceptedPerSecond, WARM_UP_SECONDS));
  const bare = await startBare();
  const live = probe(`${baseUrl}/health/live`);
  const ready = probe(`${baseUrl}/health/ready`);
  for (let round = 0; round < ROUNDS; round++) {
    const peak = await measured(baseUrl, most);
    peaks.push(peak);
    const overload = twice(call, peak.acceptedPerSecond, OVERLOAD_SECONDS);
    overloads.push(await measured(baseUrl, overload));
    bareLoads.push(await measured(bare.url, { ...overload, url: bare.url, seconds: BARE_SECONDS }));
    await sleep(REST_MS);
    memory.push(await processMetric(baseUrl, 'resident_memory_bytes'));
  }
  await bare.stop();
  return {
    peakPerSecond: mean(peaks),
    goodputPerSecond: mean(overloads),
    peakPerCpuSecond: perCpuSecond(peaks, '200'),
    goodputPerCpuSecond: perCpuSecond(overloads, '200'),
    barePerCpuSecond: perCpuSecond(bareLoads, '503'),
    acceptedP99Ms: worst(overloads, ({ onConnectionP99Ms }) => onConnectionP99Ms),
    dueP99Ms: worst(overloads, ({ acceptedMs }) => acceptedMs.p99),
    peakP99Ms: worst(peaks, ({ acceptedMs }) => acceptedMs.p99),
    errors: [...peaks, ...overloads].reduce((sum, { errors }) => sum + errors, 0),
    statuses: sumOf(overloads),
    live: await live.stop(),
    ready: await ready.stop(),
    memory,
  };
}

/** Load at twice the capacity. */
function twice(
  call: Pick<LoadPlan, 'url' | 'method' | 'headers' | 'body'>,
  peakPerSecond: number,
  seconds: number,
): LoadPlan {
  return {
    ...call,
    connections: OVERLOAD_CONNECTIONS,
    seconds,
    perSecond: Math.round(2 * peakPerSecond),
  };
}

async function startBare(): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const child = spawn(process.execPath, [BARE_REFUSALS], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const ended = once(child, 'exit');
  const stop = (): Promise<unknown> => {
    child.kill();
    return ended;
  };
  return { url: `http://127.0.0.1:${port.toString().trim()}`, stop };
}

/** Probes at a fixed rate until it is stopped. */
function probe(url: string): { stop: () => Promise<number[]> } {
  const answers: Promise<number>[] = [];
  const ask = (): Promise<number> =>
    fetch(url).then(
      (response) => response.arrayBuffer().then(() => response.status),
      () => 0,
    );
  const timer = setInterval(() => answers.push(ask()), PROBE_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return Promise.all(answers);
    },
  };
}

interface Load extends LoadReport {
  /** The service's processor time in seconds. */
  readonly cpuSeconds: number;
}

async function measured(baseUrl: string, plan: LoadPlan): Promise<Load> {
  const before = await processMetric(baseUrl, 'cpu_seconds_total');
  const report = await putLoadOn(plan);
  return { ...report, cpuSeconds: (await processMetric(baseUrl, 'cpu_seconds_total')) - before };
}

async function processMetric(baseUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  return Number(new RegExp(`^process_${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

function perCpuSecond(loads: readonly Load[], status: '200' | '503'): number {
  const sum = (of: (load: Load) => number): number => loads.reduce((total, load) => total + of(load), 0);
  return sum(({ statuses }) => statuses[status] ?? 0) / sum(({ cpuSeconds }) => cpuSeconds);
}

const mean = (reports: readonly LoadReport[]): number =>
  reports.reduce((sum, { acceptedPerSecond }) => sum + acceptedPerSecond, 0) / reports.length;

const worst = (reports: readonly LoadReport[], p99Of: (report: LoadReport) => number | null): number =>
  Math.max(...reports.map((report) => p99Of(report) ?? Infinity));

function sumOf(reports: readonly LoadReport[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { statuses } of reports)
    for (const [status, count] of Object.entries(statuses)) sum[status] = (sum[status] ?? 0) + count;
  return sum;
}

/**
 * The largest share of its work that a service can keep at twice its capacity: refusing costs what it costs a bare Node.js server.
 */
function possibleShare({ peakPerCpuSecond, barePerCpuSecond, statuses }: Figures): number {
  const refusalsPerSuccess = (statuses['503'] ?? 0) / (statuses['200'] ?? 0);
  return 1 / (1 + (refusalsPerSuccess * peakPerCpuSecond) / barePerCpuSecond);
}

type Figures = Omit<Saturation, 'live' | 'ready'>;

/** Of what is possible at twice the capacity: of work per second of processor time. */
const LEAST_SHARE = 0.8;

/** The same of work per second, since the load generator uses more of the machine at twice the rate. */
const LEAST_SHARE_PER_SECOND = 0.7;

/** Asserts the promises for twice the capacity and logs the figures. */
export function expectToEndure({ live, ready, ...figures }: Saturation): void {
  const shareOk = (all: readonly number[]): number =>
    all.filter((status) => status === 200).length / all.length;
  const { peakPerSecond, goodputPerSecond, acceptedP99Ms, errors, statuses, memory } = figures;
  const kept = figures.goodputPerCpuSecond / figures.peakPerCpuSecond;
  const possible = possibleShare(figures);
  const summary = { ...figures, kept, possible, live: shareOk(live), ready: shareOk(ready) };
  process.stderr.write(`${JSON.stringify(summary)}\n`);
  expect(kept / possible).toBeGreaterThanOrEqual(LEAST_SHARE);
  expect(goodputPerSecond / peakPerSecond / possible).toBeGreaterThanOrEqual(LEAST_SHARE_PER_SECOND);
  expect(acceptedP99Ms).toBeLessThan(2_000);
  const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  expect(errors / answered).toBeLessThan(0.01);
  expect(Object.keys(statuses)).toEqual(['200', '503']);
  expect(summary.live).toBe(1);
  expect(summary.ready).toBeGreaterThan(0.9);
  expect(memory.at(-1)! / memory[0]!).toBeLessThan(1.5);
}
