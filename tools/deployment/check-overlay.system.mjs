import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { root } from '../workspace.mjs';

describe('the check of an overlay', () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'fd-overlay-'));
    cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true }));

  const overlays = () => join(folder, 'deploy/overlays');

  function check(overlay) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'tools/deployment/check-overlay.mjs'), overlay],
      { encoding: 'utf8' },
    );
    assert.equal(stderr, '');
    return { status, problems: stdout.trim().split('\n') };
  }

  /** As an operator replaces the example addresses. */
  function replaceExamples() {
    for (const name of readdirSync(join(folder, 'deploy'), { recursive: true })) {
      if (!/\.(yaml|env)$/.test(name)) continue;
      const path = join(folder, 'deploy', name);
      writeFileSync(path, readFileSync(path, 'utf8').replace(/\.example\b/g, '.test'));
    }
  }

  it('lists only the example addresses of the overlay for production', () => {
    const { status, problems } = check(join(root, 'deploy/overlays/production'));
    assert.equal(status, 1);
    assert.deepEqual(
      problems.filter((problem) => !/: still names [\w.-]+\.example$/.test(problem)),
      [],
    );
    const ofRoute = 'services HTTPRoute/users-service: still names users.deposits.example';
    assert.ok(problems.includes(ofRoute));
  });

  it('accepts an overlay of its own with its addresses, its namespace and optional components', () => {
    replaceExamples();
    const pilot = join(overlays(), 'pilot');
    cpSync(join(overlays(), 'staging'), pilot, { recursive: true });
    const release = join(pilot, 'release/kustomization.yaml');
    assert.match(check(pilot).problems[0], /is in the namespace fd-staging, but roll-out\.sh uses fd-pilot$/);
    writeFileSync(release, readFileSync(release, 'utf8').replace('fd-staging', 'fd-pilot'));
    const services = join(pilot, 'services/kustomization.yaml');
    const text = readFileSync(services, 'utf8');
    writeFileSync(
      services,
      text.replace(
        'components:',
        'components:\n  - ../../../components/access-tokens\n  - ../../../components/tracing',
      ),
    );
    assert.deepEqual(check(pilot), { status: 0, problems: ['pilot: every object is valid'] });
  });

  it('names the object and the field that its kind does not have', () => {
    const operator = join(overlays(), 'staging/operator/kustomization.yaml');
    appendFileSync(
      operator,
      'patches:\n  - target: { kind: Job }\n    patch: |\n      - { op: add, path: /spec/backofLimit, value: 1 }\n',
    );
    const { status, problems } = check(join(overlays(), 'staging'));
    assert.equal(status, 1);
    assert.equal(problems.length, 1);
    assert.match(problems[0], /^operator Job\/users-service-operator: .*backofLimit/);
  });
});
