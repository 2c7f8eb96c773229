import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import ProofsReporter from './jest-proofs-reporter.mjs';
import { keepResults, storeProofs, readResults } from './results.mjs';
import { format, resolveConfig } from 'prettier';
import { COMMANDS, figuresText, trustPage } from './trust-page.mjs';
import { root } from '../workspace.mjs';

const run = { command: 'npm test', at: '2026-01-02T03:04:05.000Z', commit: 'abc', isModified: false };
const proof = { promise: 'a', test: 'holds', file: 'apps/x/test/x.spec.ts', figures: { requests: 3 } };

describe('results of a run', () => {
  let folder;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'fd-results-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are kept with their run, and replaced by the next', () => {
    const stored = join(folder, 'stored.jsonl');
    storeProofs([proof], stored);
    storeProofs([{ ...proof, promise: 'b' }], stored);
    keepResults('test', { ...run, passed: 5 }, stored, folder);
    assert.deepEqual(readResults('test', folder), {
      ...run,
      passed: 5,
      proofs: [proof, { ...proof, promise: 'b' }],
    });
    keepResults('test', run, join(folder, 'missing'), folder);
    assert.deepEqual(readResults('test', folder), { ...run, proofs: [] });
    assert.equal(readResults('soak', folder), undefined);
  });

  it('contain the evidence of passed tests, and none of failed ones', () => {
    const own = { ...process.env };
    process.env.FD_TEST_PROOFS = join(folder, 'stored.jsonl');
    try {
      const reporter = new ProofsReporter();
      const file = join(root, 'apps/x/test/x.spec.ts');
      for (const test of ['holds', 'fails afterwards'])
        storeProofs([{ ...proof, file, test }], process.env.FD_TEST_NOTES);
      const tests = [
        { fullName: 'holds', status: 'passed' },
        { fullName: 'fails afterwards', status: 'failed' },
      ];
      reporter.onRunComplete(new Set(), { testResults: [{ testFilePath: file, testResults: tests }] });
      assert.deepEqual(JSON.parse(readFileSync(process.env.FD_TEST_PROOFS, 'utf8')), proof);
    } finally {
      for (const name of ['FD_TEST_PROOFS', 'FD_TEST_NOTES'])
        if (own[name] === undefined) delete process.env[name];
        else process.env[name] = own[name];
    }
  });
});

describe('the page of promises', () => {
  const promises = {
    a: { area: 'One', sentence: 'A holds.', command: 'npm test' },
    b: { area: 'One', sentence: 'B holds.', command: 'npm run test:soak' },
  };

  const NO_RUNS = Object.fromEntries(Object.keys(COMMANDS).map((command) => [command, undefined]));

  it('shows the specs and figures that prove a promise, and promises without proof', () => {
    const proofs = [proof, { ...proof, promise: 'b' }];
    const page = trustPage(promises, {
      'npm test': { ...run, isModified: true, passed: 1200, failed: 1, proofs },
      'npm run test:soak': undefined,
    });
    assert.match(
      page,
      /\| `npm test` \| 2026-01-02 03:04 UTC \| abc, with changes \| 1,200 passed, 1 failed \|/,
    );
    assert.match(
      page,
      /\| A holds\. \| `npm test` \| \[x\.spec\.ts\]\(\.\.\/apps\/x\/test\/x\.spec\.ts\) \| 3 requests \|/,
    );
    assert.match(page, /\| `npm run test:soak` \| not run \|/);
    // recorded by another command than the promise names
    assert.match(page, /\| B holds\. \| `npm run test:soak` \| \*\*not proved in this run\*\* \|/);
    assert.match(page, /1 of 2 promises are proved/);
  });

  it('keeps what the former page says of a command without results, and adds a new promise as not proved', () => {
    const results = { ...run, passed: 1, failed: 0, proofs: [proof] };
    const former = trustPage({ a: promises.a }, { 'npm test': results });
    const page = trustPage({ ...promises, c: { ...promises.a, sentence: 'C | D holds.' } }, NO_RUNS, former);
    assert.match(page, /\| `npm test` \| 2026-01-02 03:04 UTC \| abc \| 1 passed, 0 failed \|/);
    assert.match(page, /\| A holds\. \| `npm test` \| \[x\.spec\.ts\].* \| 3 requests \|/);
    assert.match(page, /\| C \\\| D holds\. \| `npm test` \| \*\*not proved in this run\*\* \|/);
    assert.match(page, /1 of 3 promises are proved/);
    assert.equal(
      trustPage({ ...promises, c: { ...promises.a, sentence: 'C | D holds.' } }, NO_RUNS, page),
      page,
    );
  });

  it('lists in docs/trust.md exactly the promises of promises.json (else: npm run trust:docs)', async () => {
    const file = join(root, 'docs/trust.md');
    const listed = JSON.parse(readFileSync(join(root, 'libs/testing/src/promises.json'), 'utf8'));
    const page = readFileSync(file, 'utf8');
    const renewed = trustPage(listed, NO_RUNS, page);
    assert.equal(await format(renewed, { ...(await resolveConfig(file)), parser: 'markdown' }), page);
  });

  it('formats figures for people', () => {
    assert.equal(
      figuresText({ requests: 12345, 'p99 ms': 1.234, seed: '7' }),
      '12,345 requests, 1.23 p99 ms, seed: 7',
    );
  });
});
