// For specs: whether a real Prometheus that scrapes running services finds what the rules and the dashboard of deploy/ ask for.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { recorded } from '../dev/spec-workspace.mjs';
import { inTemporaryFolder } from '../files.mjs';
import { end, isOk, until } from '../processes/processes.mjs';
import { prometheusServer } from '../stores/machine-programs.mjs';
import { freePort } from '../stores/ports.mjs';
import { dashboardQueries, ruleGroups, rules } from './monitoring.mjs';

/** Queries of the dashboard that find nothing after a journey in which everything works, with the reason. */
const WITHOUT_DATA = {
  'Refused: limits and load: {{job}} over a limit': 'no call exceeded a limit',
  'Steps that failed: {{step}} {{issuer}}': 'no step failed',
  'Work in the background: {{work}} {{outcome}}': 'no round failed',
  'Calls that fail: {{job}} {{store}} {{operation}}': 'no store failed',
};

/** Retries CHECK, which returns a list of problems, until the list is empty. */
async function becomesEmpty(check) {
  // a rate needs two scrapes
  await until(async () => (await check()).length === 0, { limit: 30_000, every: 500 });
  assert.deepEqual(await check(), []);
}

async function checkQueries(get) {
  await becomesEmpty(async () => {
    const evaluated = (await get('rules')).groups.flatMap((group) => group.rules);
    return evaluated.filter(({ health }) => health !== 'ok').map(({ name, lastError }) => [name, lastError]);
  });
  const recorded = rules
    .filter(({ record }) => record)
    .map(({ record }) => ({ name: record, query: record }));
  const queries = [...recorded, ...dashboardQueries].filter(({ name }) => !(name in WITHOUT_DATA));
  await becomesEmpty(async () => {
    const results = await Promise.all(
      queries.map(async ({ name, query }) => ({ name, ...(await get('query', { query })) })),
    );
    return results.filter(({ result }) => result.length === 0).map(({ name }) => name);
  });
}

/**
 * Starts Prometheus with the rules and labels of deploy/ for TARGETS (URLs by job), which have served a journey. Checks that
 * every rule can be evaluated, and that every recording rule and query of the dashboard finds data.
 */
export const checkMonitoring = (targets) =>
  inTemporaryFolder('prometheus', async (folder) => {
    const write = (name, content) => writeFileSync(join(folder, name), stringify(content));
    write('rules.yaml', { groups: ruleGroups });
    write('prometheus.yaml', {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yaml'],
      scrape_configs: Object.entries(targets).map(([job, url]) => ({
        job_name: job,
        static_configs: [{ targets: [new URL(url).host], labels: { namespace: 'fd', pod: `${job}-1` } }],
      })),
    });
    const address = `127.0.0.1:${await freePort()}`;
    const server = recorded(await prometheusServer(console.log), [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ]);
    const get = async (path, parameters = {}) => {
      const response = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(parameters)}`);
      const { status, data, error } = await response.json();
      if (status !== 'success') throw new Error(`${path} ${JSON.stringify(parameters)}: ${error}`);
      return data;
    };
    try {
      await server.becomes(() => isOk(`http://${address}/-/ready`), 'Prometheus does not start', 30_000);
      await checkQueries(get);
    } finally {
      if (!server.isOver()) await end(server.child.pid);
    }
  });
