// Runs deploy/roll-out.sh with a stub of kubectl, which records its calls and answers for the cluster.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inTemporaryFolder } from '../files.mjs';
import { root } from '../workspace.mjs';
import { find, ofKind, rendered, selects } from './manifests.mjs';

const KUBECTL = `#!/usr/bin/env bash
echo "$*" >> "$CALLS"
case "$*" in
  *"$LOST"*) echo 'the server was not found' >&2; exit 1 ;;
  *"get job users-service-migrate"*) asked=$(grep -c 'get job users' "$CALLS"); ((asked > 1)) && echo "$USERS_JOB" ;;
  *"get job master-service-migrate"*) echo "$MASTER_JOB" ;;
  *"get job users-service-doctor"*) echo "$DOCTOR_JOB" ;;
  *"logs job/"*) echo "log of $*" ;;
  *"get deployment master-service"*) echo "$FORMER" ;;
  *"rollout status deployment/users-service"*) exit "$ROLL_OUT" ;;
esac
exit 0
`;

/** A cluster in which everything succeeds. */
const CLUSTER = {
  LOST: 'nothing',
  USERS_JOB: 'SuccessCriteriaMet Complete',
  MASTER_JOB: 'Complete',
  DOCTOR_JOB: 'Complete',
  FORMER: 'deployment.apps/master-service',
  ROLL_OUT: '0',
};

/** The part of the services that the check of the vendors needs. */
const DOCTOR = 'services --selector roll-out-step=doctor';

/** Rolls production out to CLUSTER, changed. Returns the outcome, kubectl's calls, and the applied folders among them. */
const rollOut = (changes = {}) =>
  inTemporaryFolder('roll-out', (folder) => {
    for (const [name, text] of Object.entries({ kubectl: KUBECTL, sleep: '#!/bin/sh\n' }))
      writeFileSync(join(folder, name), text, { mode: 0o755 });
    const PATH = `${folder}:${process.env.PATH}`;
    const env = { ...CLUSTER, ...changes, PATH, CALLS: join(folder, 'calls') };
    const script = join(root, 'deploy/roll-out.sh');
    const { status, stdout, stderr } = spawnSync(script, ['production'], { env, encoding: 'utf8' });
    const calls = readFileSync(env.CALLS, 'utf8').trim().split('\n');
    const applied = calls.flatMap(
      (call) => /^apply -k \S*\/(\w+(?: --selector \S+)?)$/.exec(call)?.[1] ?? [],
    );
    return { status, stdout, stderr, calls, applied };
  });

describe('deploy/roll-out.sh', () => {
  it('applies the services once migrations and the check of the vendors have completed, and waits for them', async () => {
    const { status, stdout, stderr, applied, calls } = await rollOut();
    assert.deepEqual([status, stderr], [0, '']);
    assert.deepEqual(applied, ['foundation', 'migrations', DOCTOR, 'services']);
    assert.equal(calls.filter((call) => call.includes('get job users-service-migrate')).length, 2);
    assert.match(stdout, /log of .*users-service-doctor/);
    for (const [index, service] of ['users-service', 'master-service'].entries())
      assert.ok(calls.at(index - 2).includes(`rollout status deployment/${service}`));
    assert.ok(calls.slice(1).every((call) => /--namespace fd-production|^apply/.test(call)));
  });

  const FAILURES = {
    'a failed migration of users-service': [
      { USERS_JOB: 'FailureTarget Failed' },
      /log of .*users-service-migrate/,
    ],
    'a failed migration of master-service': [{ MASTER_JOB: 'Failed' }, /log of .*master-service-migrate/],
    'a fault of a vendor': [{ DOCTOR_JOB: 'Failed' }, /log of .*doctor.*\n.*doctor\.md.*SKIP_DOCTOR=1/],
    'replicas that do not become ready': [{ ROLL_OUT: '1' }, /rollout undo deployment\/users-service/],
  };
  for (const [title, [cluster, message]] of Object.entries(FAILURES))
    it(`stops at ${title}, with instructions`, async () => {
      const { status, stderr, applied } = await rollOut(cluster);
      assert.match(stderr, message);
      const last = cluster.ROLL_OUT ? 'services' : cluster.DOCTOR_JOB ? DOCTOR : 'migrations';
      assert.deepEqual([status, applied.at(-1)], [1, last]);
    });

  it('skips the check of the vendors on request, and says so', async () => {
    const { status, stderr, applied, calls } = await rollOut({ SKIP_DOCTOR: '1' });
    assert.deepEqual([status, applied], [0, ['foundation', 'migrations', 'services']]);
    assert.match(stderr, /the vendors are not checked/);
    assert.ok(!calls.some((call) => call.includes('doctor')));
  });

  it('requests the catalogue at the first roll-out only, because master-service is not ready without it', async () => {
    const hint = /master-service becomes ready once a catalogue is imported/;
    assert.match((await rollOut({ FORMER: '' })).stdout, hint);
    assert.doesNotMatch((await rollOut()).stdout, hint);
  });

  for (const LOST of [
    ...['foundation', 'delete job', 'migrations', 'get job', 'selector', 'create job', 'get deployment'],
    ...['overlays/production/services', 'rollout status'],
  ])
    it(`stops when the cluster does not answer: ${LOST}`, async () => {
      // the check of the vendors applies a part of the services
      const { status, calls } = await rollOut({ LOST, SKIP_DOCTOR: /services$/.test(LOST) ? '1' : '' });
      assert.equal(status, 1);
      assert.ok(calls.at(-1).includes(LOST), calls.at(-1));
    });

  it('waits for all migrations of the manifests', async () => {
    const { calls } = await rollOut();
    for (const { metadata } of ofKind(await rendered('production', 'migrations'), 'Job'))
      for (const call of ['delete job', 'get job'])
        assert.ok(calls.some((one) => one.includes(call) && one.includes(metadata.name)));
  });

  it('selects what the check of the vendors needs: its template, its policy and the new settings', async () => {
    const objects = await rendered('production', 'services');
    const selected = objects.filter(({ metadata }) => metadata.labels?.['roll-out-step'] === 'doctor');
    const { metadata, spec } = find(selected, 'CronJob', 'users-service-doctor').spec.jobTemplate.spec
      .template;
    assert.ok(find(selected, 'ConfigMap', spec.containers[0].envFrom[0].configMapRef.name));
    assert.ok(selects(find(selected, 'NetworkPolicy', 'doctor').spec.podSelector, metadata));
    assert.equal(selected.length, 3);
  });
});
