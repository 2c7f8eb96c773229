import assert from 'node:assert/strict';
import { accessSync, constants, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { root } from '../workspace.mjs';

// the parser imports JSON as bundlers do
const hook =
  'export const load = (url, context, next) => next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context);';
register(`data:text/javascript,${encodeURIComponent(hook)}`);
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } =
  await import('@actions/workflow-parser');

const read = (path) => readFileSync(join(root, path), 'utf8');

/** GitHub's errors about CONTENT. */
async function errorsOf(content) {
  const { context, value } = parseWorkflow({ name: 'release.yml', content }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

describe('.github/workflows/release.yml', () => {
  const text = read('.github/workflows/release.yml');
  const workflow = parse(text);
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
  const settingsOf = (env) => Object.keys(env ?? {});

  it('is a workflow as GitHub defines it', async () => {
    assert.deepEqual(await errorsOf(text), []);
    for (const [right, wrong] of [
      ['timeout-minutes', 'timeout'],
      ['needs: check', 'needs: checks'],
      ['secrets.NPM_TOKEN', 'secret.NPM_TOKEN'],
      ['contents: read', 'contents: reads'],
    ])
      assert.equal((await errorsOf(text.replace(right, wrong))).length > 0, true, wrong);
  });

  it('runs only existing scripts of this repository', () => {
    const runs = steps.filter((step) => !step.uses).map(({ run }) => run);
    assert.ok(runs.length > 4);
    for (const run of runs) {
      const [, node, path, args] =
        /^sudo --preserve-env (node )?(\S+)((?: (?:"\$GITHUB_REF_NAME"|[\w./]+))*)$/.exec(run);
      accessSync(join(root, path), node ? constants.R_OK : constants.X_OK);
      assert.doesNotMatch(args, /\$\{\{/);
    }
    assert.equal(workflow.jobs.check.steps.at(-1).run, 'sudo --preserve-env .ci/run');
    assert.equal(workflow.jobs.publish.needs, 'check');
  });

  it("starts on a tag, and uses only GitHub's own actions, pinned to a commit", () => {
    assert.deepEqual(workflow.on, { push: { tags: ['v*'] } });
    for (const { uses } of steps.filter((step) => step.uses))
      assert.match(uses, /^actions\/checkout@[0-9a-f]{40}$/);
  });

  it('only reads the repository, and gives no secrets to steps that build or test', () => {
    assert.deepEqual(workflow.permissions, { contents: 'read' });
    for (const { permissions, env } of Object.values(workflow.jobs))
      assert.deepEqual([permissions, env], [undefined, undefined]);
    const secret = steps.filter((step) => JSON.stringify(step).includes('secrets.')).map(({ run }) => run);
    assert.ok(secret.length > 0);
    for (const run of secret) assert.match(run, /tools\/release\/(publish|verify)-/);
    for (const step of steps.filter(({ uses }) => uses))
      assert.equal(step.with['persist-credentials'], false);
  });

  it('sets all settings of docs/release.md', () => {
    const [table] = /\| setting[\s\S]*?\n\n/.exec(read('docs/release.md'));
    const described = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    const given = new Set(steps.flatMap(({ env }) => settingsOf(env)));
    assert.deepEqual([...given].sort(), described.sort());
    for (const { env } of steps)
      for (const [name, value] of Object.entries(env ?? {}))
        assert.match(value, new RegExp(`^\\$\\{\\{ (vars|secrets)\\.${name} \\}\\}$`));
  });
});
