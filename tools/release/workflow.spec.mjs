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
        const [, action] = /^actions\/(checkout|upload-artifact|download-artifact)@[0-9a-f]{40}$/.exec(uses);
        if (action === 'checkout') assert.equal(given['persist-credentials'], false);
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
    assert.deepEqual([workflow.jobs.build.needs, workflow.jobs.publish.needs], ['check', 'build']);
  });

  it('keeps secrets on a machine of their own, without code of dependencies', () => {
    const jobs = Object.entries(workflow.jobs).filter(([, job]) => JSON.stringify(job).includes('secrets.'));
    assert.deepEqual(
      jobs.map(([name, { environment }]) => [name, environment]),
      [['publish', 'release']],
    );
    const [[, { steps }]] = jobs;
    const scripts = steps.flatMap(({ run }) => (run ? [/node (\S+)/.exec(run)[1]] : []));
    const imported = new Set(scripts);
    // scripts are added while they are walked
    for (const path of imported)
      for (const [, name] of read(path).matchAll(/ from '([^']+)'/g)) {
        assert.match(name, /^(node:|\.)/, path);
        if (name.startsWith('.')) imported.add(join(path, '..', name));
      }
    assert.ok(imported.size > scripts.length && ![...imported].some((path) => /bootstrap|pnpm/.test(path)));
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
