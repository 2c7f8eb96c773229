import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { parse } from 'yaml';
import { root } from '../workspace.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');
const page = read('docs/capacity.md').replace(/\s+/g, ' ');

/** The autoscaler of production for a service: its patch of the replicas. */
function replicasOf(service) {
  const { patches } = parse(read('deploy/overlays/production/services/kustomization.yaml'));
  const { patch } = patches.find(
    ({ target }) => target.kind === 'HorizontalPodAutoscaler' && target.name === service,
  );
  const values = parse(patch).map(({ path, value }) => [path.replace('/spec/', ''), value]);
  return Object.fromEntries(values);
}

const { resources } = parse(read('deploy/base/service/deployment.yaml')).spec.template.spec.containers[0];
const { metrics } = parse(read('deploy/base/service/autoscaler.yaml')).spec;
const percent = metrics[0].resource.target.averageUtilization;
const millicores = Number.parseInt(resources.requests.cpu, 10);

/** The only match of a pattern in the page, as numbers. */
function statedIn(pattern) {
  const found = [...page.matchAll(pattern)].map((match) => match.slice(1).map(Number));
  assert.equal(found.length, 1, `${pattern} is ${found.length} times in docs/capacity.md`);
  return found[0];
}

it('states the requests and limits of a pod as in the manifests', () => {
  assert.deepEqual(statedIn(/A pod requests (\d+) millicores/g), [millicores]);
  assert.match(resources.requests.cpu, /^\d+m$/);
  const [request, limit] = statedIn(/a pod requests (\d+), and its limit of (\d+) is for bursts/g);
  assert.deepEqual([`${request}Mi`, `${limit}Mi`], [resources.requests.memory, resources.limits.memory]);
});

it('computes pods with the target of the autoscaler and the least and most of production', () => {
  const { minReplicas, maxReplicas } = replicasOf('users-service');
  assert.deepEqual(statedIn(/adds one at (\d+) % of that/g), [percent]);
  const [cost, usable] = statedIn(/journeys in the busiest second x (\d+) ms \/ (\d+) ms/g);
  assert.equal(usable, (millicores * percent) / 100);
  const words = { 3: 'three', 12: 'twelve' };
  assert.ok(page.includes(`at least ${words[minReplicas]}, for three zones`));
  assert.ok(page.toLowerCase().includes(`${words[maxReplicas]} pods, the maximum of`));
  const rows = [...page.matchAll(/\| ([\d,]+) \| ([\d.]+) \| (\d+) \| (\d+) \|/g)];
  assert.equal(rows.length, 3);
  for (const [, journeys, inSecond, users, master] of rows) {
    const day = Number(journeys.replaceAll(',', ''));
    // the busiest hour has a tenth of a day's journeys
    const busiest = day / 10 / 3600;
    assert.ok(Math.abs(Number(inSecond) - busiest) <= 0.5, `${inSecond} of ${busiest}`);
    assert.equal(Number(users), Math.max(minReplicas, Math.ceil((busiest * cost) / usable)));
    assert.equal(Number(master), replicasOf('master-service').minReplicas);
  }
});
