import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { judged } from './goals.mjs';
import { median, ratio, spread } from './measure.mjs';
import { performancePage } from './page.mjs';
import { root } from '../tools/workspace.mjs';

const read = (file) => readFileSync(join(root, file), 'utf8');

test('pins the same dependency versions for contenders as for the product', () => {
  const { catalog } = parse(read('pnpm-workspace.yaml'));
  const { dependencies } = JSON.parse(read('bench/package.json'));
  const shared = Object.keys(dependencies).filter((name) => name in catalog);
  assert.ok(shared.includes('@nestjs/core') && shared.includes('ioredis') && shared.includes('pg'));
  assert.deepEqual(
    Object.fromEntries(shared.map((name) => [name, dependencies[name]])),
    Object.fromEntries(shared.map((name) => [name, catalog[name]])),
  );
});

const figures = (cpuMicros, perSecond = 1e6 / cpuMicros) => ({
  rounds: [{ cpuMicros, perSecond }],
  perSecond: spread([perSecond]),
  cpuMicros: spread([cpuMicros]),
  memoryMiB: spread([150]),
  refusedShare: 0,
});
/** Figures of a run in which only the quote misses its goal. */
const results = {
  at: '2026-11-21T10:00:00.000Z',
  commit: '0123456789abcdef',
  machine: { processors: 2, model: 'some', memoryGiB: 24, node: 'v24.0.0' },
  options: { rounds: 5, requests: 1_000, warmUp: 5_000 },
  catalogue: {
    quote: figures(270),
    'nest-quote': figures(120),
    'floor-quote': figures(100),
    detail: figures(190),
    'nest-detail': figures(100),
    'floor-detail': figures(100),
  },
  login: {
    register: figures(200),
    'nest-register': figures(100),
    'floor-register': figures(150),
    'peer-register': figures(600),
    verify: figures(250),
    'nest-verify': figures(100),
    'floor-verify': figures(200),
    'peer-verify': figures(1_200),
    profile: figures(130),
    'nest-profile': figures(100),
    'floor-profile': figures(150),
    pan: figures(350),
    'earlier-pan': figures(300),
    'nest-pan': figures(100),
  },
};

test('takes the middle of rounds, and the mean of two middles', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.deepEqual(spread([3, 1, 2]), { median: 2, min: 1, max: 3 });
});

test('takes ratios within a round, not of medians', () => {
  const rounds = (...values) => ({ rounds: values.map((cpuMicros) => ({ cpuMicros })) });
  // the machine was twice as slow in the second round
  const ratios = ratio(rounds(200, 400, 240), rounds(100, 200, 100), 'cpuMicros');
  assert.deepEqual(ratios, { median: 2, min: 2, max: 2.4 });
});

test('marks a missed goal on the page, with the notes behind the tables', () => {
  const page = performancePage(results, 'Notes of people.');
  const missed = page.split('\n').filter((line) => line.includes('**missed**'));
  assert.equal(missed.length, 1);
  assert.match(missed[0], /processor time of quote, of the floor \| at most 2\.6 \| 2\.7 /);
  assert.match(page, /5,000 warm-up requests/);
  assert.match(page, /Node\.js v24\.0\.0/);
  assert.match(page, /\| verify \| 4,000 \(/);
  assert.match(page, /Notes of people\./);
});

test('judges only goals of parts and contenders that were measured', () => {
  assert.deepEqual(
    judged({ login: { ...results.login, 'earlier-pan': undefined } }).map(({ what }) => what),
    [
      'processor time of register, of the floor',
      'processor time of verify, of the floor',
      'processor time of profile, of the floor',
      'MiB of users-service at saturation',
    ],
  );
});
