// Measures contenders in short interleaved slices, so that a changing speed of the machine affects all alike.
import { measure, spread } from './measure.mjs';

const CONNECTIONS = 50;
/** Otherwise a server that sheds load for a moment would use up a slice. */
const RETRY_MS = 1_000;
/** Time limit of a slice. */
const SLICE_SECONDS = 120;

/** Sends COUNT requests of CONTENDER as fast as it answers. Resolves with the report of measure(). */
export async function slice({ server, plan, after }, count) {
  const load = { once: true, connections: CONNECTIONS, retryMs: RETRY_MS, seconds: SLICE_SECONDS };
  const report = await measure(server, { ...(await plan(count)), ...load });
  await after?.(report);
  return report;
}

/**
 * Runs each of CONTENDERS ({ name, server, plan, after }) ROUNDS times with a slice of REQUESTS at full speed.
 * plan(count) returns { requests, collect } and may use results of the contender before; after(report) gets the report.
 * Returns figures by name: rounds, perSecond, cpuMicros, memoryMiB, refusedShare.
 */
export async function inTurns(contenders, { rounds, requests, warmUp, say }) {
  for (const contender of contenders) await slice(contender, warmUp);
  const reports = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const contender of contenders) reports.get(contender.name).push(await slice(contender, requests));
  const figures = Object.fromEntries([...reports].map(([name, slices]) => [name, figuresOf(slices)]));
  for (const [name, { perSecond, cpuMicros }] of Object.entries(figures))
    say(`${name}: ${Math.round(perSecond.median)} a second, ${Math.round(cpuMicros.median)} us each`);
  return figures;
}

function figuresOf(slices) {
  const sum = (key) => slices.reduce((total, one) => total + one[key], 0);
  const of = (value) => spread(slices.map(value));
  return {
    rounds: slices.map(({ perSecond, cpuMicros }) => ({ perSecond, cpuMicros })),
    perSecond: of(({ perSecond }) => perSecond),
    cpuMicros: of(({ cpuMicros }) => cpuMicros),
    memoryMiB: of(({ memoryBytes }) => memoryBytes / 2 ** 20),
    /** Share of requests that an overloaded server refused. */
    refusedShare: sum('refused') / (sum('answered') + sum('refused')),
  };
}
