import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { parse } from 'yaml';
import { root } from '../workspace.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');

it('states in docs/capacity.md the requests, limits and replicas of the manifests', () => {
  const page = read('docs/capacity.md').replace(/\s+/g, ' ');
  const [container] = parse(read('deploy/base/service/deployment.yaml')).spec.template.spec.containers;
  const { requests, limits } = container.resources;
  const [{ resource }] = parse(read('deploy/base/service/autoscaler.yaml')).spec.metrics;
  const percent = resource.target.averageUtilization;
  const [cpu, memory, limit] = [requests.cpu, requests.memory, limits.memory].map((text) =>
    Number.parseInt(text, 10),
  );
  const { patches } = parse(read('deploy/overlays/production/services/kustomization.yaml'));
  const [least, most] = parse(patches.find(({ target }) => target.name === 'users-service').patch);
  const words = { 3: 'three', 12: 'Twelve' };
  for (const statement of [
    `A pod requests ${cpu} millicores`,
    `adds one at ${percent} % of that`,
    `ms / ${(cpu * percent) / 100} ms, and at least ${words[least.value]}`,
    `a pod requests ${memory}, and its limit of ${limit} is for bursts`,
    `${words[most.value]} pods, the maximum of`,
  ])
    assert.ok(page.includes(statement), statement);
});
