import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const GENERATOR = resolve(import.meta.dirname, '../../../tools/load-generator.mjs');

export interface LoadPlan {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Each of them waits for its answer before it sends the next request. */
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second of all connections together; as many as they can without. */
  readonly perSecond?: number;
}

export interface LoadReport {
  /** Number of answers by HTTP status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests without an answer. */
  readonly errors: number;
  /** Answers with a success. */
  readonly acceptedPerSecond: number;
  /** Milliseconds that these took; null without any. */
  readonly acceptedMs: { readonly median: number | null; readonly p99: number | null };
}

/** Puts load on a server from a process of its own. */
export async function putLoadOn(plan: LoadPlan): Promise<LoadReport> {
  const { stdout } = await promisify(execFile)(process.execPath, [GENERATOR, JSON.stringify(plan)]);
  return JSON.parse(stdout) as LoadReport;
}
