// docs/performance.md from the figures of one run.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../tools/workspace.mjs';
import { goals } from './goals.mjs';

const number = (value) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
const spreadText = ({ median, min, max }) => `${number(median)} (${number(min)} to ${number(max)})`;

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const FIGURES = ['', 'a second', 'processor us each', 'MiB', 'p50 ms', 'p99 ms', 'p99.9 ms', 'refused'];

function figuresTable(figures) {
  const rows = Object.entries(figures).map(
    ([name, { perSecond, cpuMicros, memoryMiB, steady, refusedShare }]) => [
      name,
      spreadText(perSecond),
      spreadText(cpuMicros),
      number(memoryMiB.max),
      ...[steady.p50, steady.p99, steady.p999].map((ms) => number(ms.median)),
      `${number(refusedShare * 100)} %`,
    ],
  );
  return table(FIGURES, rows);
}

function goalsTable(results) {
  return table(
    ['', 'wanted', 'is', ''],
    goals.map(({ what, value, wanted, isMet }) => {
      const is = value(results);
      return [what, wanted, number(is), isMet(is) ? 'met' : '**missed**'];
    }),
  );
}

const ceilingRows = (ceilings) =>
  Object.entries(ceilings).map(([name, { perSecond, aloneMicros }]) => [
    name,
    spreadText(perSecond),
    spreadText(aloneMicros),
  ]);

/** The page for RESULTS, with NOTES (Markdown) of people about it. */
export function performancePage(results, notes) {
  const { machine, options, starts, computing, catalogue, login, allocation, growth, ceilings } = results;
  return `# Performance

Made by \`npm run bench\`; not to be edited. What people have to say about it is in \`bench/notes.md\`, and follows the tables.

Run of ${results.at.slice(0, 10)} at commit ${results.commit.slice(0, 12)}, on ${machine.processors} processors
(${machine.model}, ${machine.memoryGiB} GiB, Node.js ${machine.node}). Absolute figures are this machine's; what counts is how
those of one run compare. Each is the median of ${options.rounds} rounds of ${options.seconds} seconds, after a longer one that
does not count, with the least and the most; contenders take turns, and the load comes from a process of its own over 50
connections. The last columns are at 70 % of what the server can do, with requests leaving by the clock, and count from when each
was due.

## Goals

${goalsTable(results)}

## Catalogue and quotes

Production logging, metrics, rate limit and key check are on. The bare servers answer the bytes of one such answer.

${figuresTable(catalogue)}

To compute a quote takes ${spreadText(computing.quoteMicros)} us, over ${computing.inputs} inputs of the test vectors.

## Login and PAN

Messages go to a provider, and PANs to a registry, that answer at once. \`nest-redis\` is a bare route with two round trips to
Redis; the peer is better-auth's phone-number plugin on the same PostgreSQL and Redis, without limits.

${figuresTable(login)}

## Allocation

${table(
  ['', 'KiB for each request'],
  Object.entries(allocation).map(([name, kib]) => [name, number(kib)]),
)}

## Ceilings

One process, 50 calls at once; then one after another.

${table(['', 'a second', 'us alone'], ceilingRows(ceilings))}

## Growth

${figuresTable(growth.issuers)}

${figuresTable(growth.people)}

Replicas share the processors with the stores and the load, so more of them than processors add nothing here;
figures are of all replicas together, but for memory, which is that of the largest.

${figuresTable(growth.replicas)}

## Starts

${table(
  ['', 'ms until it is ready'],
  Object.entries(starts).map(([service, { readyMs }]) => [service, spreadText(readyMs)]),
)}

${notes}
`;
}

export async function writePage(results) {
  const file = join(root, 'docs/performance.md');
  const page = performancePage(results, readFileSync(join(root, 'bench/notes.md'), 'utf8'));
  writeFileSync(file, await format(page, { ...(await resolveConfig(file)), parser: 'markdown' }));
}
