// Runs the benchmark quickly, to find broken parts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goals } from './goals.mjs';
import { runProgram } from '../tools/processes/processes.mjs';

test('measures a figure for every goal except those of an earlier build, which a checkout lacks, and of sizes', async () => {
  const args = ['run', 'bench', '--', '--quick', '--only=catalogue,login,growth'];
  const output = await runProgram('The benchmark failed', 'npm', args, { maxBuffer: 1e8 });
  // a quick run has fewer people and issuers
  const figures = goals.filter(
    ({ what, part }) => part !== 'growth' && !what.endsWith('of the earlier build'),
  );
  assert.equal(output.match(/^\[bench\] (met|MISSED): /gm)?.length, figures.length, output);
});
