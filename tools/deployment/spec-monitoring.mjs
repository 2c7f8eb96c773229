// For specs: whether a real Prometheus finds what the alerts and the dashboard ask for.
import assert from 'node:assert/strict';
import { until } from '../processes/processes.mjs';
import { find } from './manifests.mjs';
import { METRICS_OF_THE_PLATFORM, metricsIn } from './promql.mjs';
import { startPrometheus } from './spec-prometheus.mjs';

/** Queries of the dashboard, as "panel: legend", that find nothing after a journey in which everything works, with the reason. */
const WITHOUT_DATA = new Map([
  ['Refused: limits and load: {{job}} over a limit', 'no call exceeded a limit'],
  ['Steps that failed: {{step}} {{issuer}}', 'no step failed'],
  ['Work in the background: {{work}} {{outcome}}', 'no round failed'],
  ['Calls that fail: {{job}} {{store}} {{operation}}', 'no store failed'],
]);

/** Values of the dashboard's variables: everything. */
const VARIABLES = { $namespace: 'fd-production', $issuer: '.+', $issuer_code: '.+', $__rate_interval: '1m' };

/** The queries of DASHBOARD by panel and legend, as Grafana sends them. */
const queriesOf = ({ panels }) =>
  panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => [
      `${title}: ${legendFormat}`,
      expr.replaceAll(/\$\w+/g, (variable) => VARIABLES[variable]),
    ]),
  );

/** The rules have been evaluated, without an error. */
async function checkRules(prometheus) {
  const rules = async () => (await prometheus.get('rules')).groups.flatMap((group) => group.rules);
  await until(async () => (await rules()).every(({ health }) => health !== 'unknown'), { limit: 30_000 });
  const failed = (await rules()).filter(({ health }) => health !== 'ok');
  assert.deepEqual(
    failed.map(({ name, lastError }) => [name, lastError]),
    [],
  );
}

/** Every metric of EXPRESSIONS is exported. */
async function checkMetrics(prometheus, expressions) {
  const named = [...new Set(expressions.flatMap(metricsIn))].filter(
    (name) => name === 'up' || !METRICS_OF_THE_PLATFORM.has(name),
  );
  const missing = async () => {
    // a metric without any labelled value yet is described but has no series
    const known = new Set(await prometheus.get('label/__name__/values'));
    const described = Object.keys(await prometheus.get('metadata'));
    return named.filter((name) => !known.has(name) && !described.includes(name));
  };
  await until(async () => (await missing()).length === 0, { limit: 30_000, every: 500 });
  assert.deepEqual(await missing(), []);
}

/** Every query, [name, query], finds at least one series. */
async function checkResults(prometheus, queries) {
  const empty = async () => {
    const results = await Promise.all(
      queries.map(async ([name, query]) => [name, (await prometheus.get('query', { query })).result]),
    );
    return results.filter(([, result]) => result.length === 0).map(([name]) => name);
  };
  // a rate needs two scrapes
  await until(async () => (await empty()).length === 0, { limit: 30_000, every: 500 });
  assert.deepEqual(await empty(), []);
}

/**
 * Checks, with a real Prometheus, that services at URLS (by job), which have served a journey, export what the alerts in OBJECTS
 * name, and that every recording rule and every query of the dashboard finds data.
 */
export async function checkMonitoring(objects, urls) {
  const { groups } = find(objects, 'PrometheusRule', 'deposits').spec;
  const rules = groups.flatMap((group) => group.rules);
  const queries = queriesOf(
    JSON.parse(find(objects, 'ConfigMap', 'deposits-dashboard').data['fixed-deposits.json']),
  );
  const names = queries.map(([name]) => name);
  assert.deepEqual(
    [...WITHOUT_DATA.keys()].filter((name) => !names.includes(name)),
    [],
  );
  const prometheus = await startPrometheus(groups, urls);
  try {
    await checkRules(prometheus);
    await checkMetrics(
      prometheus,
      rules.map(({ expr }) => expr),
    );
    const recorded = rules.filter(({ record }) => record).map(({ record }) => [record, record]);
    const asked = queries.filter(([name]) => !WITHOUT_DATA.has(name));
    await checkResults(prometheus, [...recorded, ...asked]);
  } finally {
    await prometheus.remove();
  }
}
