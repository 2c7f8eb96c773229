import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const GENERATOR = resolve(import.meta.dirname, '../../src/load/load-generator.mjs');

export interface LoadPlan {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Each waits for an answer before it sends the next request. */
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second of all connections together; unlimited if absent. */
  readonly perSecond?: number;
}

export interface LoadReport {
  /** Number of answers by HTTP status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests without an answer. */
  readonly errors: number;
  /** Successful answers. */
  readonly acceptedPerSecond: number;
  /** Their latencies in milliseconds; null without any. */
  readonly acceptedMs: { readonly median: number | null; readonly p99: number | null };
  /** The same from when a request was begun on its connection, without the lateness of the generator. */
  readonly onConnectionP99Ms: number | null;
}

/** The generator's output. */
interface Printed {
  readonly seconds: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly errors: number;
  /** Latency of successes; at a fixed rate counted from when a request was due. */
  readonly ms: { readonly p50: number | null; readonly p99: number | null };
  readonly onConnectionMs: { readonly p99: number | null };
}

/** Puts load on a server from a separate process; a fixed rate is spread evenly. */
export async function putLoadOn({ url, method, headers, body, ...plan }: LoadPlan): Promise<LoadReport> {
  const { origin, pathname, search } = new URL(url);
  const request = { method, path: `${pathname}${search}`, headers, body };
  const child = spawn(process.execPath, [GENERATOR], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ urls: [origin], requests: [request], ...plan }));
  const { seconds, statuses, errors, ms, onConnectionMs } = JSON.parse(await text(child.stdout)) as Printed;
  const accepted = Object.entries(statuses).filter(([status]) => Number(status) < 300);
  return {
    statuses,
    errors,
    acceptedPerSecond: accepted.reduce((sum, [, count]) => sum + count, 0) / seconds,
    acceptedMs: { median: ms.p50, p99: ms.p99 },
    onConnectionP99Ms: onConnectionMs.p99,
  };
}
