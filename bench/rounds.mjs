// Measures contenders in short interleaved slices, so that a changing speed of the machine affects all alike.
import { measure, median, spread } from './measure.mjs';

const CONNECTIONS = 50;
/** Otherwise a server that sheds load for a moment would use up a slice. */
const RETRY_MS = 1_000;
/** Share of a server's capacity at which its latency is measured. */
const STEADY_SHARE = 0.7;
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
 * Runs each of CONTENDERS ({ name, server, plan, after, isOurs }) ROUNDS times with a slice of REQUESTS at full speed; then our
 * contenders ROUNDS times for SECONDS (0: never) at 70 % of that rate.
 * plan(count) returns { requests, collect } and may use results of the contender before; after(report) gets the report.
 * Returns figures by name: rounds, perSecond, cpuMicros, memoryMiB, refusedShare, and steady: p50, p99, p99OfP50.
 */
export async function inTurns(contenders, { rounds, requests, seconds, warmUp, say }) {
  for (const contender of contenders) await slice(contender, warmUp);
  const fast = await turns(contenders, rounds, (contender) => slice(contender, requests));
  const ours = contenders.filter(({ isOurs }) => isOurs && seconds > 0);
  const steady = await turns(ours, rounds, async ({ name, server, plan, after }) => {
    const rate = STEADY_SHARE * median(fast.get(name).map(({ perSecond }) => perSecond));
    const perSecond = Math.max(1, Math.round(rate));
    const load = { once: true, connections: CONNECTIONS, seconds, perSecond };
    const report = await measure(server, { ...(await plan(perSecond * seconds)), ...load });
    await after?.(report);
    return report;
  });
  const figures = contenders.map(({ name }) => [name, figuresOf(fast.get(name), steady.get(name))]);
  for (const [name, { perSecond, cpuMicros }] of figures)
    say(`${name}: ${Math.round(perSecond.median)} a second, ${Math.round(cpuMicros.median)} us each`);
  return Object.fromEntries(figures);
}

async function turns(contenders, rounds, work) {
  const reports = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const contender of contenders) reports.get(contender.name).push(await work(contender));
  return reports;
}

function figuresOf(fast, steady) {
  const sum = (key) => [...fast, ...(steady ?? [])].reduce((total, one) => total + one[key], 0);
  const of = (reports, value) => spread(reports.map(value));
  return {
    rounds: fast.map(({ perSecond, cpuMicros }) => ({ perSecond, cpuMicros })),
    perSecond: of(fast, ({ perSecond }) => perSecond),
    cpuMicros: of(fast, ({ cpuMicros }) => cpuMicros),
    memoryMiB: of(fast, ({ memoryBytes }) => memoryBytes / 2 ** 20),
    /** Share of requests that an overloaded server refused. */
    refusedShare: sum('refused') / (sum('answered') + sum('refused')),
    ...(steady && {
      steady: {
        p50: of(steady, ({ ms }) => ms.p50),
        p99: of(steady, ({ ms }) => ms.p99),
        p99OfP50: of(steady, ({ ms }) => ms.p99 / ms.p50),
      },
    }),
  };
}
