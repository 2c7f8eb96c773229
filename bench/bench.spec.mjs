import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { performancePage } from './page.mjs';
import { root } from '../tools/workspace.mjs';

const read = (file) => readFileSync(join(root, file), 'utf8');

test('what is compared with has the versions that the product has', () => {
  const { catalog } = parse(read('pnpm-workspace.yaml'));
  const { dependencies } = JSON.parse(read('bench/package.json'));
  const shared = Object.keys(dependencies).filter((name) => name in catalog);
  assert.ok(shared.includes('@nestjs/core') && shared.includes('ioredis') && shared.includes('pg'));
  assert.deepEqual(
    Object.fromEntries(shared.map((name) => [name, dependencies[name]])),
    Object.fromEntries(shared.map((name) => [name, catalog[name]])),
  );
});

const spread = (median) => ({ median, min: median, max: median });
const server = (perSecond) => ({
  perSecond: spread(perSecond),
  cpuMicros: spread(1e6 / perSecond),
  memoryMiB: spread(150),
  refusedShare: 0,
  steady: { p50: spread(1), p99: spread(2), p999: spread(3) },
});
const growing = (sizes, calls) =>
  Object.fromEntries(sizes.flatMap((size) => calls.map((call) => [`${call} of ${size}`, server(500)])));

/** Figures of a run in which only quotes miss their goal. */
const results = {
  at: '2026-11-21T10:00:00.000Z',
  commit: '0123456789abcdef',
  machine: { processors: 2, model: 'some', memoryGiB: 24, node: 'v20' },
  options: { rounds: 5, seconds: 4 },
  computing: { quoteMicros: spread(20), inputs: 277 },
  starts: { 'users-service': { readyMs: spread(1_500) }, 'master-service': { readyMs: spread(900) } },
  catalogue: {
    quote: server(700),
    'nest-quote': server(1_000),
    detail: server(900),
    'nest-detail': server(1_000),
  },
  login: {
    register: server(600),
    'nest-redis': server(1_000),
    'peer-send': server(500),
    verify: server(400),
    'peer-verify': server(300),
    profile: server(900),
    pan: server(300),
  },
  allocation: { quote: 40, detail: 30, register: 90, verify: 200, profile: 80, pan: 300 },
  ceilings: { redis: { perSecond: spread(70_000), aloneMicros: spread(50) } },
  growth: {
    issuers: growing([5, 5_000], ['quote', 'detail']),
    people: growing([10_000, 10_000_000], ['register', 'verify', 'profile', 'pan']),
    replicas: { 'quote at 1': server(700), 'register at 1': server(600) },
  },
};

test('the page says which goals were met and which were not', () => {
  const page = performancePage(results, 'Notes of people.');
  const missed = page.split('\n').filter((line) => line.includes('**missed**'));
  assert.equal(missed.length, 1);
  assert.match(missed[0], /quotes a second.*at least 0\.8 \| 0\.7 /);
  assert.match(page, /\| verify \| 200 \|/);
  assert.match(page, /Notes of people\./);
});
