// Without an API server: a stub of kubectl records its calls and answers for the cluster.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { find, rendered } from './manifests.mjs';
import { root } from '../workspace.mjs';

const KUBECTL = `#!/usr/bin/env bash
echo "$*" >> "$CALLS"
case "$*" in
  *"$LOST"*) echo 'the server was not found' >&2; exit 1 ;;
  *"get job users-service-migrate"*) asked=$(grep -c 'get job users' "$CALLS"); ((asked > 1)) && echo "$USERS_JOB" ;;
  *"get job master-service-migrate"*) echo "$MASTER_JOB" ;;
  *"get job users-service-doctor"*) echo "$DOCTOR_JOB" ;;
  *"logs job/users-service-doctor"*) echo "table and report" ;;
  *"logs job/"*) echo 'relation "leads" does not exist' ;;
  *"get deployment master-service"*) echo "$FORMER" ;;
  *"rollout status deployment/users-service"*) exit "$ROLL_OUT" ;;
esac
exit 0
`;

/** The part of the services that the check of the vendors needs. */
const DOCTOR = 'services --selector roll-out-step=doctor';

describe('deploy/roll-out.sh', () => {
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fd-roll-out-'));
    for (const [name, text] of Object.entries({ kubectl: KUBECTL, sleep: '#!/bin/sh\n' })) {
      writeFileSync(join(folder, name), text);
      chmodSync(join(folder, name), 0o755);
    }
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function rollOut({ users = 'SuccessCriteriaMet Complete', master = 'Complete', ...cluster } = {}) {
    const calls = join(folder, 'calls');
    const env = {
      PATH: `${folder}:${process.env.PATH}`,
      CALLS: calls,
      USERS_JOB: users,
      MASTER_JOB: master,
      DOCTOR_JOB: cluster.doctor ?? 'Complete',
      ...(cluster.skipDoctor && { SKIP_DOCTOR: cluster.skipDoctor }),
      FORMER: cluster.isFirst ? '' : 'deployment.apps/master-service',
      ROLL_OUT: cluster.isRolledOut === false ? '1' : '0',
      LOST: cluster.lost ?? 'nothing',
    };
    const { code, stdout, stderr } = await new Promise((done) =>
      execFile(join(root, 'deploy/roll-out.sh'), ['production'], { env }, (error, stdout, stderr) =>
        done({ code: error?.code ?? 0, stdout, stderr }),
      ),
    );
    const asked = readFileSync(calls, 'utf8').trim().split('\n');
    return {
      code,
      stdout,
      stderr,
      applied: asked.flatMap((call) => /^apply -k \S*\/(\w+(?: --selector \S+)?)$/.exec(call)?.[1] ?? []),
      asked,
    };
  }

  it('applies the services once the migrations and the check of the vendors have completed, and waits for the new replicas', async () => {
    const { code, stderr, applied, asked } = await rollOut();
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(applied, ['foundation', 'migrations', DOCTOR, 'services']);
    assert.equal(asked.filter((call) => call.includes('get job users-service-migrate')).length, 2);
    assert.deepEqual(
      asked.slice(-2).map((call) => /rollout status \S+/.exec(call)[0]),
      ['rollout status deployment/users-service', 'rollout status deployment/master-service'],
    );
  });

  for (const [title, jobs] of [
    ['of users-service', { users: 'FailureTarget Failed' }],
    ['of master-service', { master: 'Failed' }],
  ])
    it(`stops at a failed migration ${title} with its log, and leaves the services unchanged`, async () => {
      const { code, stderr, applied } = await rollOut(jobs);
      assert.equal(code, 1);
      assert.match(stderr, /relation "leads" does not exist\n.*-service-migrate failed/);
      assert.deepEqual(applied, ['foundation', 'migrations']);
    });

  it('stops with instructions when the new replicas do not become ready', async () => {
    const { code, stderr } = await rollOut({ isRolledOut: false });
    assert.equal(code, 1);
    assert.match(stderr, /kubectl -n fd-production rollout undo deployment\/users-service/);
  });

  it('checks the vendors with a new Job of the new template, and prints its report', async () => {
    const { stdout, asked } = await rollOut();
    assert.match(stdout, /table and report/);
    const own = asked
      .filter((call) => /doctor/.test(call))
      .map((call) => call.replace(/\S*overlays/, 'overlays'));
    const inNamespace = '--namespace fd-production';
    assert.deepEqual(own, [
      `apply -k overlays/production/${DOCTOR}`,
      `${inNamespace} delete job users-service-doctor --ignore-not-found`,
      `${inNamespace} create job users-service-doctor --from=cronjob/users-service-doctor`,
      `${inNamespace} get job users-service-doctor -o jsonpath={.status.conditions[?(@.status=="True")].type}`,
      `${inNamespace} logs job/users-service-doctor --tail=500`,
    ]);
  });

  it('stops at a fault of a vendor with its report, and leaves the services unchanged', async () => {
    const { code, stderr, applied } = await rollOut({ doctor: 'FailureTarget Failed' });
    assert.equal(code, 1);
    assert.match(stderr, /table and report\nusers-service-doctor failed: .*doctor\.md.*SKIP_DOCTOR=1/);
    assert.deepEqual(applied, ['foundation', 'migrations', DOCTOR]);
  });

  it('skips the check of the vendors on request, and says so', async () => {
    const { code, stderr, applied, asked } = await rollOut({ skipDoctor: '1', doctor: 'Failed' });
    assert.equal(code, 0);
    assert.match(stderr, /the vendors are not checked/);
    assert.deepEqual(applied, ['foundation', 'migrations', 'services']);
    assert.ok(asked.every((call) => !call.includes('doctor')));
  });

  it('requests the catalogue at the first roll-out only, because master-service is not ready without it', async () => {
    const hint = /master-service becomes ready once a catalogue is imported/;
    const first = await rollOut({ isFirst: true });
    assert.deepEqual([first.code, first.applied.at(-1)], [0, 'services']);
    assert.match(first.stdout, hint);
    assert.doesNotMatch((await rollOut()).stdout, hint);
  });

  for (const lost of [
    'foundation',
    'delete job',
    'migrations',
    'get job',
    'selector',
    'create job',
    'get deployment',
    'services',
  ])
    it(`stops when the cluster does not answer: ${lost}`, async () => {
      // the check of the vendors applies a part of the services
      const { code, asked } = await rollOut({ lost, skipDoctor: lost === 'services' && '1' });
      assert.equal(code, 1);
      assert.ok(asked.at(-1).includes(lost), asked.at(-1));
    });

  it('waits for the existing migrations', async () => {
    const { asked } = await rollOut();
    const objects = await rendered('production', 'migrations');
    const names = objects.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name);
    const deleted = asked.find((call) => call.includes('delete job'));
    for (const name of names) {
      assert.ok(deleted.includes(name));
      assert.ok(asked.some((call) => call.includes(`--namespace fd-production get job ${name}`)));
      assert.ok(find(objects, 'Job', name).spec.activeDeadlineSeconds > 0);
    }
    assert.equal(names.length, 2);
  });

  it('selects the template of the existing check, its policy and the new settings', async () => {
    const objects = await rendered('production', 'services');
    const selected = objects.filter(({ metadata }) => metadata.labels?.['roll-out-step'] === 'doctor');
    const [{ metadata }, cronJob, policy] = selected;
    assert.deepEqual(
      selected.map(({ kind }) => kind),
      ['ConfigMap', 'CronJob', 'NetworkPolicy'],
    );
    assert.equal(cronJob.metadata.name, 'users-service-doctor');
    const { spec, metadata: pod } = cronJob.spec.jobTemplate.spec.template;
    assert.deepEqual(spec.containers[0].envFrom, [{ configMapRef: { name: metadata.name } }]);
    for (const [name, value] of Object.entries(policy.spec.podSelector.matchLabels))
      assert.equal(pod.labels[name], value);
    // its deadline ends the wait
    assert.ok(cronJob.spec.jobTemplate.spec.activeDeadlineSeconds > 0);
  });
});
