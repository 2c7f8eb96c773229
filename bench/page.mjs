// docs/performance.md from the figures of one run.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../tools/workspace.mjs';
import { judged } from './goals.mjs';

const number = (value) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
const spreadText = ({ median, min, max }) => `${number(median)} (${number(min)} to ${number(max)})`;

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const FIGURES = ['', 'a second', 'processor us each', 'MiB', 'refused'];
const STEADY = ['p50 ms', 'p99 ms', 'p99 of p50'];

function figuresTable(figures) {
  const steadyColumns = Object.values(figures).some(({ steady }) => steady) ? STEADY : [];
  const rows = Object.entries(figures).map(
    ([name, { perSecond, cpuMicros, memoryMiB, steady, refusedShare }]) => [
      name,
      spreadText(perSecond),
      spreadText(cpuMicros),
      number(memoryMiB.max),
      `${number(refusedShare * 100)} %`,
      ...(steady
        ? [number(steady.p50.median), number(steady.p99.median), spreadText(steady.p99OfP50)]
        : steadyColumns.map(() => '')),
    ],
  );
  return table([...FIGURES, ...steadyColumns], rows);
}

const goalRows = (results) =>
  judged(results).map(({ what, wanted, is, isMet }) => [
    what,
    wanted,
    is.min === is.max ? number(is.median) : spreadText(is),
    isMet ? 'met' : '**missed**',
  ]);

const ceilingRows = (ceilings) =>
  Object.entries(ceilings).map(([name, { perSecond, aloneMicros }]) => [
    name,
    spreadText(perSecond),
    spreadText(aloneMicros),
  ]);

/** The page for RESULTS, with NOTES (Markdown). */
export function performancePage(results, notes) {
  const { machine, options, starts, computing, catalogue, login, allocation, growth, ceilings } = results;
  return `# Performance

Made by \`npm run bench\`; not to be edited. What people have to say about it is in \`bench/notes.md\`, and follows the tables.

Run of ${results.at.slice(0, 10)} at commit ${results.commit.slice(0, 12)}, on ${machine.processors} processors
(${machine.model}, ${machine.memoryGiB} GiB). All servers run on Node.js ${machine.node}, the version of the images. Absolute
figures are this machine's; what counts is how those of one run compare.

Each contender first answers ${options.warmUp.toLocaleString('en')} requests that do not count, since V8 compiles late. Then there
are ${options.rounds} rounds (at most 3 for growth). In each, contenders answer ${options.requests.toLocaleString('en')} requests in
turns (four times as many for the catalogue), as fast as they can, from a process of its own over 50 connections. Processor time
is that of all threads of the server. Ratios are taken within a round. Shown are medians, with the least and the most. The last
columns of ours are at 70 % of that rate, for ${options.seconds} seconds a round, with requests leaving by the clock; they count
from when each was due.

The contenders:

- \`nest-*\`: a bare NestJS route that answers the same bytes.
- \`floor-*\`: the same job as one hand-written file of Express, pg and ioredis, with the same tables, limits and audit events,
  but without log, metrics, traces, deadline and load shedding. Quotes and details come from its memory.
- \`peer-*\`: better-auth's phone-number plugin on the same PostgreSQL and Redis, without limits.

## Goals

${table(['', 'wanted', 'is', ''], goalRows(results))}

## Catalogue and quotes

Production logging, metrics, rate limit and key check are on.

${figuresTable(catalogue)}

To compute a quote takes ${spreadText(computing.quoteMicros)} us, over ${computing.inputs} inputs of the test vectors.

## Login and PAN

Messages go to a provider, and PANs to a registry, that answer at once. Each profile was read once before by its owner.

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
