import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readJson } from '../files.mjs';
import { specsOf, summaryOf, trustPage } from './trust-page.mjs';

const promises = { a: { area: 'One', sentence: 'A holds.' }, b: { area: 'One', sentence: 'B holds.' } };
const files = { a: ['apps/x/test/a.spec.ts'], b: ['apps/x/test-system/b.release.spec.ts'] };
const run = { at: '2026-01-02T03:04:05.000Z', commit: 'abc', isModified: false, passed: 1_234, failed: 0 };

describe('the page of promises', () => {
  it('names the command and the figures of a promise, and says which is not proved', () => {
    const proofs = [3, 4].map((requests) => ({ promise: 'a', figures: { requests, kind: 'read' } }));
    const page = trustPage(promises, files, { test: summaryOf({ ...run, proofs }) });
    for (const line of [
      '1 of 2 promises are proved.',
      '| `npm test` | 2026-01-02 03:04 UTC | abc | 1,234 passed, 0 failed |',
      '| `npm run test:release` | not run | | |',
      '- A holds.\n  - `npx jest apps/x/test/a.spec.ts`\n  - npm test: 2 proofs; the first: 3 requests, kind: read',
      '- B holds.\n  - `npx jest apps/x/test-system/b.release.spec.ts`\n  - npm run test:release: **not proved in the latest run**',
    ])
      assert.ok(page.includes(line), `${line}\nis not in\n${page}`);
  });

  it('fails for a promise of which no spec records evidence', () => {
    const specs = new Map([['a.spec.ts', "recordEvidence('a', {})"]]);
    assert.throws(() => specsOf(['a', 'b'], specs), /No spec records evidence of b\./);
  });

  it('finds a spec for each promise of the product', () => {
    const ids = Object.keys(readJson('libs/testing/src/promises.json'));
    assert.deepEqual(Object.keys(specsOf(ids)), ids);
  });
});
