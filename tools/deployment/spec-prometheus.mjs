// For specs: a Prometheus that scrapes running services and evaluates the rules of deploy/.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { recorded } from '../dev/spec-workspace.mjs';
import { end, isOk } from '../processes/processes.mjs';
import { freePort } from '../stores/ports.mjs';
import { prometheusServer } from '../stores/machine-programs.mjs';

/**
 * Starts Prometheus with rule GROUPS; TARGETS are URLs by job. Returns get(path, parameters), which resolves with the data of
 * its API's answer, and remove(). It adds the labels of deploy/.
 */
export async function startPrometheus(groups, targets) {
  const folder = mkdtempSync(join(tmpdir(), 'fd-prometheus-'));
  const write = (name, content) => writeFileSync(join(folder, name), stringify(content));
  write('rules.yaml', { groups });
  write('prometheus.yaml', {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: Object.entries(targets).map(([job, url]) => ({
      job_name: job,
      static_configs: [
        { targets: [new URL(url).host], labels: { namespace: 'fd-production', pod: `${job}-1` } },
      ],
    })),
  });
  const address = `127.0.0.1:${await freePort()}`;
  const args = [
    ...[`--config.file=${join(folder, 'prometheus.yaml')}`, `--storage.tsdb.path=${join(folder, 'data')}`],
    `--web.listen-address=${address}`,
  ];
  const program = await prometheusServer(console.log);
  const server = recorded(program, args);
  const get = async (path, parameters = {}) => {
    const response = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const { status, data, error } = await response.json();
    if (status !== 'success') throw new Error(`${path} ${JSON.stringify(parameters)}: ${error}`);
    return data;
  };
  const remove = async () => {
    if (!server.isOver()) await end(server.child.pid);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await server.becomes(() => isOk(`http://${address}/-/ready`), 'Prometheus does not start', 30_000);
  } catch (error) {
    await remove();
    throw error;
  }
  return { get, remove };
}
