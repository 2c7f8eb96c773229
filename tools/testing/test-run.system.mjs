import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import CountReporter from './jest-count-reporter.mjs';
import { makeWorkspace } from '../dev/spec-workspace.mjs';
import { closingLine, failuresIn, storeCounts, sumCounts } from './test-counts.mjs';
import { root } from '../workspace.mjs';

/** Runs WORK with FOLDER as the folder of counts (empty: none), since this run is counted itself. */
function withCountsFolder(folder, work) {
  const own = process.env.FD_TEST_COUNTS;
  process.env.FD_TEST_COUNTS = folder;
  try {
    work();
  } finally {
    process.env.FD_TEST_COUNTS = own ?? '';
  }
}

describe('counting tests', () => {
  let folder;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'fd-counting-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('sums the counts of all runs', () => {
    storeCounts({ passed: 3, failed: 0, skipped: 1 }, folder);
    storeCounts({ passed: 4, failed: 2, skipped: 0 }, folder);
    assert.deepEqual(sumCounts(folder), { passed: 7, failed: 2, skipped: 1 });
  });

  const counts = { passed: 3, failed: 0, skipped: 1 };

  it('stores counts in the folder of the environment, and none without it', () => {
    withCountsFolder('', () => storeCounts(counts));
    assert.deepEqual(readdirSync(folder), []);
    withCountsFolder(folder, () => storeCounts(counts));
    assert.deepEqual(sumCounts(folder), counts);
  });

  it('counts a file that Jest could not load as a failure', (test) => {
    // the reporter's timer would end this process after a minute
    test.mock.method(globalThis, 'setTimeout', () => ({ unref: () => {} }));
    const results = { numPassedTests: 2, numFailedTests: 1, numRuntimeErrorTestSuites: 1 };
    const testResults = [
      {
        testFilePath: join(root, 'apps/a.spec.ts'),
        testResults: [
          { status: 'passed', fullName: 'a sum is right', failureMessages: [] },
          {
            status: 'failed',
            fullName: 'a product is right',
            failureMessages: ['\u001b[31mExpected: 6\u001b[39m'],
          },
        ],
      },
      {
        testFilePath: join(root, 'apps/b.spec.ts'),
        testExecError: {},
        failureMessage: 'SyntaxError',
        testResults: [],
      },
    ];
    const left = { ...results, numPendingTests: 1, numTodoTests: 1, testResults };
    withCountsFolder(folder, () => new CountReporter().onRunComplete(new Set(), left));
    assert.deepEqual(sumCounts(folder), { passed: 2, failed: 2, skipped: 2 });
    assert.deepEqual(failuresIn(folder), [
      'FAILED apps/a.spec.ts › a product is right\n  Expected: 6',
      'FAILED apps/b.spec.ts › could not be loaded\n  SyntaxError',
    ]);
  });

  it('mentions skipped tests only when there are any', () => {
    assert.equal(closingLine({ passed: 5, failed: 0, skipped: 0 }), '5 passed, 0 failed');
    assert.equal(closingLine({ passed: 5, failed: 1, skipped: 2 }), '5 passed, 1 failed, 2 skipped');
  });
});

describe('a run of all projects', () => {
  const PROJECTS = '--projects=users-service,master-service,sandbox';
  let workspace;
  before(async () => (workspace = await makeWorkspace()));
  after(() => workspace.remove());

  const run = async (project, settings = {}) => {
    const system = workspace.toolWith(
      settings,
      'testing/test-run.mjs',
      'system',
      ...(project ? [project] : []),
    );
    const code = await system.exited;
    return { code, output: system.output, lastLine: system.stdout.trimEnd().split('\n').pop() };
  };
  const write = (service, source) =>
    writeFileSync(join(workspace.folder, 'apps', service, 'stand-in.system.mjs'), source);

  it('ends with the sum of all projects, and gives each its databases', async () => {
    write(
      'users-service',
      `import assert from 'node:assert/strict';
       import { describe, it } from 'node:test';
       describe('stores', () => {
         it('has a database', () => assert.match(process.env.FD_TEST_DATABASE_URL, /127.0.0.1:\\d+.postgres$/));
         it('has a Redis', () => assert.match(process.env.FD_TEST_REDIS_URL, /127.0.0.1/));
         it('does not see the database of the developer', () => assert.equal(process.env.DATABASE_URL, undefined));
       });`,
    );
    const own = { DATABASE_URL: 'postgres://the-developers-own/db' };
    const { code, lastLine, output } = await run(PROJECTS, own);
    assert.equal(lastLine, '5 passed, 0 failed', output);
    assert.equal(code, 0);
  });

  it('fails with a failing test, and counts what was skipped', async () => {
    write(
      'users-service',
      `import { it } from 'node:test';
       it('passes', () => {});
       it('fails', () => { throw new Error('on purpose'); });
       it('is left out', { skip: true }, () => {});`,
    );
    const { code, lastLine, output } = await run(PROJECTS);
    assert.equal(lastLine, '3 passed, 1 failed, 1 skipped', output);
    assert.match(
      output,
      /\nFAILED apps\/users-service\/stand-in.system.mjs › fails\n {2}Error: on purpose\n/,
    );
    assert.equal(code, 1);
  });

  it('fails when a project breaks outside of its tests', async () => {
    write('users-service', 'process.exit(3);');
    const { code, lastLine, output } = await run(PROJECTS);
    assert.equal(lastLine, '2 passed, 1 failed', output);
    assert.equal(code, 1);
  });

  it('fails when nothing ran', async () => {
    const { code, lastLine, output } = await run('--projects=nothing-of-that-name');
    assert.match(lastLine, /^0 passed, \d failed$/, output);
    assert.equal(code, 1);
  });

  it('stores the results of complete runs only', async () => {
    const file = join(workspace.folder, '.results/system/run.json');
    await run(PROJECTS);
    assert.equal(existsSync(file), false);
    // this checkout has no specs of the tools, which is a failure
    const { code, output } = await run();
    assert.equal(code, 1);
    const { command, failed } = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual([command, failed > 0], ['npm run test:system', true], output);
  });

  it('runs soaks by a separate command with their own stores', async () => {
    writeFileSync(
      join(workspace.folder, 'apps/users-service/stand-in.soak.mjs'),
      `import assert from 'node:assert/strict';
       import { it } from 'node:test';
       it('has a database', () => assert.match(process.env.FD_TEST_DATABASE_URL, /127.0.0.1:\\d+.postgres$/));
       it('has a Redis', () => assert.match(process.env.FD_TEST_REDIS_URL, /127.0.0.1/));`,
    );
    write('users-service', 'throw new Error("a test, not a soak");');
    const soak = workspace.toolWith({}, 'testing/test-run.mjs', 'soak', PROJECTS);
    assert.equal(await soak.exited, 0, soak.output);
    assert.equal(soak.stdout.trimEnd().split('\n').pop(), '4 passed, 0 failed', soak.output);
  });
});
