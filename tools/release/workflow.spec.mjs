import assert from 'node:assert/strict';
import { accessSync, constants, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { read } from '../files.mjs';
import { root } from '../workspace.mjs';

const stepsOf = ({ jobs }) => Object.values(jobs).flatMap((job) => job.steps);

for (const name of readdirSync(join(root, '.github/workflows')))
  describe(`.github/workflows/${name}`, () => {
    const workflow = parse(read(`.github/workflows/${name}`));

    it('only reads the repository, ends by itself, and keeps no credentials', () => {
      assert.deepEqual(workflow.permissions, { contents: 'read' });
      for (const job of Object.values(workflow.jobs))
        assert.ok(!job.permissions && !job.env && job['timeout-minutes'] > 0);
      for (const { uses, with: given } of stepsOf(workflow).filter((step) => step.uses)) {
        assert.match(uses, /^actions\/checkout@[0-9a-f]{40}$/);
        assert.equal(given['persist-credentials'], false);
      }
    });

    it('runs only scripts of this repository, without expressions in their arguments', () => {
      for (const { run } of stepsOf(workflow).filter((step) => step.run)) {
        const [, command] = /^sudo --preserve-env (.*)$/.exec(run);
        if (command === 'npm run test:release') continue;
        const [, node, path] = /^(node )?(\S+)((?: (?:"\$GITHUB_REF_NAME"|[\w./]+))*)$/.exec(command);
        accessSync(join(root, path), node ? constants.R_OK : constants.X_OK);
      }
    });
  });

it('checks pull requests without secrets', () => {
  const workflow = parse(read('.github/workflows/pull-request.yml'));
  // pull_request_target would give a fork's code the secrets
  assert.deepEqual(Object.keys(workflow.on), ['pull_request']);
  assert.equal(stepsOf(workflow).at(-1).run, 'sudo --preserve-env .ci/run');
  assert.doesNotMatch(JSON.stringify(workflow), /secrets\./);
});

describe('a release', () => {
  const workflow = parse(read('.github/workflows/release.yml'));

  it('starts on a tag, and publishes only what passed all tests', () => {
    assert.deepEqual(workflow.on, { push: { tags: ['v*'] } });
    assert.deepEqual(
      workflow.jobs.check.steps.slice(-2).map(({ run }) => run),
      ['sudo --preserve-env .ci/run', 'sudo --preserve-env npm run test:release'],
    );
    assert.equal(workflow.jobs.publish.needs, 'check');
  });

  it('gives no secrets to steps that build or test', () => {
    const secret = stepsOf(workflow).filter((step) => JSON.stringify(step).includes('secrets.'));
    assert.ok(secret.length > 0);
    for (const { run } of secret) assert.match(run, /tools\/release\/(publish|verify)-/);
  });

  it('sets all settings of docs/release.md', () => {
    const [table] = /\| setting[\s\S]*?\n\n/.exec(read('docs/release.md'));
    const described = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    const settings = stepsOf(workflow).flatMap(({ env }) => Object.entries(env ?? {}));
    assert.deepEqual([...new Set(settings.map(([name]) => name))].sort(), described.sort());
    for (const [name, value] of settings)
      assert.match(value, new RegExp(`^\\$\\{\\{ (vars|secrets)\\.${name} \\}\\}$`));
  });
});
