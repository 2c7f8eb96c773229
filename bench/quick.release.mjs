// Runs every part of the benchmark quickly, to find broken parts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goals } from './goals.mjs';
import { runProgram } from '../tools/processes/processes.mjs';

test('measures a figure for every goal except that of an earlier build, which a checkout lacks', async () => {
  const output = await runProgram('The benchmark failed', 'npm', ['run', 'bench', '--', '--quick'], {
    maxBuffer: 1e8,
  });
  const figures = goals.filter(({ what }) => !what.endsWith('of the earlier build'));
  assert.equal(output.match(/^\[bench\] (met|MISSED): /gm)?.length, figures.length, output);
});
