// Contenders measured in turns: what else the machine does in a run meets all of them alike.
import { measure, median, spread } from './measure.mjs';

/** Share of what a server can do at which its latency is measured. */
const STEADY_SHARE = 0.7;
const CONNECTIONS = 50;
/** Of the round that does not count: our services have far more code to compile than a bare server. */
const WARM_UP_SECONDS = 10;

/**
 * Each of CONTENDERS ({ name, server, plan }) ROUNDS times as fast as it can, then ROUNDS times at 70 % of that.
 * plan(seconds) gives { requests, once, collect } and may use what the load before left; after(report) takes the report.
 * Returns an object of figures by name: perSecond, cpuMicros, memoryMiB (spreads), and steady: p50, p99, p999 in ms.
 */
export async function inTurns(contenders, { rounds, seconds, isQuick, say }) {
  const asFastAsItCan =
    (forSeconds) =>
    async ({ server, plan, after }) => {
      const load = { connections: CONNECTIONS, seconds: forSeconds };
      const report = await measure(server, { ...(await plan(forSeconds)), ...load });
      await after?.(report);
      return report;
    };
  // code is compiled, pools are filled
  await turns(contenders, 1, asFastAsItCan(isQuick ? seconds : WARM_UP_SECONDS));
  const most = await turns(contenders, rounds, asFastAsItCan(seconds));
  const rateOf = (name) =>
    Math.max(1, Math.round(STEADY_SHARE * median(most.get(name).map((one) => one.perSecond))));
  const steady = await turns(contenders, rounds, async ({ name, server, plan, after }) => {
    const load = { connections: CONNECTIONS, seconds, perSecond: rateOf(name) };
    const report = await measure(server, { ...(await plan(seconds)), ...load });
    await after?.(report);
    return report;
  });
  return Object.fromEntries(
    contenders.map(({ name }) => {
      const figures = figuresOf(most.get(name), steady.get(name), rateOf(name));
      say(
        `${name}: ${Math.round(figures.perSecond.median)} a second, ${Math.round(figures.cpuMicros.median)} us each`,
      );
      return [name, figures];
    }),
  );
}

async function turns(contenders, rounds, work) {
  const reports = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    // the first of a round is not always the same
    const order = contenders.map((_, index) => contenders[(index + round) % contenders.length]);
    const inOrder = contenders.some(({ isChained }) => isChained) ? contenders : order;
    for (const contender of inOrder) reports.get(contender.name).push(await work(contender));
  }
  return reports;
}

function figuresOf(most, steady, ratePerSecond) {
  const of = (reports, value) => spread(reports.map(value));
  const sum = (reports, value) => reports.reduce((total, one) => total + value(one), 0);
  const all = [...most, ...steady];
  return {
    /** Of all requests, how many an overloaded server refused. */
    refusedShare: sum(all, (one) => one.refused) / sum(all, (one) => one.answered + one.refused),
    perSecond: of(most, (one) => one.perSecond),
    cpuMicros: of(most, (one) => one.cpuMicros),
    memoryMiB: of(most, (one) => one.memoryBytes / 2 ** 20),
    steady: {
      ratePerSecond,
      p50: of(steady, (one) => one.ms.p50),
      p99: of(steady, (one) => one.ms.p99),
      p999: of(steady, (one) => one.ms.p999),
    },
  };
}
