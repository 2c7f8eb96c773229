// Loads and their results.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const GENERATOR = fileURLToPath(new URL('../libs/testing/src/load/load-generator.mjs', import.meta.url));

/** Runs PLAN (see libs/testing/src/load/load-generator.mjs) in a separate process. Resolves with its report. */
async function load(plan) {
  const child = spawn(process.execPath, [GENERATOR], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(plan));
  const report = await text(child.stdout);
  if (!report) throw new Error('the load generator failed');
  return JSON.parse(report);
}

/** Counts successes and refusals of an overloaded server. @throws Error for any other answer, a fault of the benchmark */
function countedOf({ statuses, errors }, what) {
  const of = (isCounted) =>
    Object.entries(statuses).reduce((sum, [status, count]) => sum + (isCounted(status) ? count : 0), 0);
  const answered = of((status) => status.startsWith('2'));
  const refused = of((status) => status === '503');
  if (answered === 0 || errors > 0 || of(() => true) > answered + refused) {
    throw new Error(`${what}: ${errors} errors, ${JSON.stringify(statuses)}`);
  }
  return { answered, refused };
}

/**
 * Loads SERVER and resolves with { answered, refused, perSecond, cpuMicros (of the server, for a success), memoryBytes, ms,
 * collected }.
 */
export async function measure(server, plan) {
  const cpuBefore = server.cpuSeconds();
  const report = await load({ urls: server.urls ?? [server.url], ...plan });
  const { answered, refused } = countedOf(report, server.name);
  return {
    answered,
    refused,
    perSecond: answered / report.seconds,
    cpuMicros: ((server.cpuSeconds() - cpuBefore) * 1e6) / answered,
    memoryBytes: server.memoryBytes(),
    ms: report.ms,
    ...(report.collected ? { collected: report.collected } : {}),
  };
}

export const median = (values) => {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** Median, minimum and maximum: { median, min, max }. */
export const spread = (values) => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
});

/** Ratio of KEY of two contenders within each round. */
export const ratio = (one, other, key) =>
  spread(one.rounds.map((figures, round) => figures[key] / other.rounds[round][key]));
