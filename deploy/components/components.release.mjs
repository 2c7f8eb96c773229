// The optional components of deploy/, and the objects of the runbook about backups.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { read } from '../../tools/files.mjs';
import { root } from '../../tools/workspace.mjs';
import { problemsOf } from '../../tools/deployment/manifest-schemas.mjs';
import {
  find,
  nameOf,
  ofKind,
  podTemplates,
  rendered,
  renderedWith,
  selects,
  SERVICES,
} from '../../tools/deployment/manifests.mjs';

/** Components that an environment may add, by step. */
const OPTIONAL = {
  foundation: ['cloudnative-pg/database', 'prometheus-stack'],
  migrations: ['external-secrets/migrations', 'cloudnative-pg/clients', 'stores-ca'],
  services: [
    ...['access-tokens', 'tracing', 'cert-manager', 'external-secrets/services'],
    ...['cloudnative-pg/clients', 'prometheus-stack', 'pooler', 'stores-ca'],
  ],
  operator: ['cloudnative-pg/clients', 'pooler', 'stores-ca'],
};

async function assertValid(objects) {
  for (const object of objects) assert.deepEqual(await problemsOf(object), [], nameOf(object));
}

describe('every component', () => {
  it('is in an environment or optional', () => {
    const foldersOf = (below) =>
      readdirSync(join(root, below), { recursive: true })
        .filter((name) => name.endsWith('kustomization.yaml'))
        .map(dirname);
    const overlays = foldersOf('deploy/overlays').map((name) =>
      read(`deploy/overlays/${name}/kustomization.yaml`),
    );
    const used = [...overlays.join().matchAll(/components\/([\w/-]+)/g)].map(([, name]) => name);
    const expected = [...used, ...Object.values(OPTIONAL).flat()];
    assert.deepEqual(new Set(foldersOf('deploy/components')), new Set(expected));
  });

  for (const [step, components] of Object.entries(OPTIONAL))
    for (const chosen of [...components.map((name) => [name]), components])
      it(`adds valid objects to ${step}: ${chosen.join(', ')}`, async () => {
        const objects = await renderedWith('production', step, chosen);
        await assertValid(objects);
        for (const { kind, metadata } of objects)
          if (kind !== 'Namespace') assert.equal(metadata.namespace, 'fd-production', metadata.name);
      });
});

describe('components for services', () => {
  let objects;
  before(async () => (objects = await renderedWith('production', 'services', OPTIONAL.services)));

  it('allow the connection to the collector of traces', () => {
    for (const service of SERVICES) {
      const { OTEL_EXPORTER_OTLP_ENDPOINT: url } = find(objects, 'ConfigMap', service).data;
      const { egress } = find(objects, 'NetworkPolicy', service).spec;
      const ports = egress.flatMap((rule) => rule.ports.map(({ port }) => port));
      assert.ok(ports.includes(Number(new URL(url).port)));
    }
  });

  it('get every Secret of a pod from the External Secrets operator', async () => {
    const migrations = await renderedWith('production', 'migrations', OPTIONAL.migrations);
    const made = ofKind([...objects, ...migrations], 'ExternalSecret').map(({ spec }) => spec.target.name);
    const pods = JSON.stringify(podTemplates(await rendered('production')).map(({ spec }) => spec));
    const used = Array.from(pods.matchAll(/"secretKeyRef":\{[^}]*"name":"([^"]+)"/g), ([, name]) => name);
    assert.deepEqual(new Set(made), new Set(used));
  });
});

it('the check of the vendors gets its Secret in its own step of the roll-out', () =>
  renderedWith('production', 'services', ['external-secrets/services']).then((objects) => {
    const first = objects.filter(({ metadata }) => metadata.labels?.['roll-out-step'] === 'doctor');
    const [{ env }] = find(first, 'CronJob', 'users-service-doctor').spec.jobTemplate.spec.template.spec
      .containers;
    const made = ofKind(first, 'ExternalSecret').map(({ spec }) => spec.target.name);
    assert.deepEqual([...new Set(env.map(({ valueFrom }) => valueFrom.secretKeyRef.name))], made);
  }));

it('the component for a pooler tells every pod that connects by DATABASE_URL', async () => {
  const steps = ['migrations', 'services', 'operator'];
  const objects = await Promise.all(
    steps.map((step) => renderedWith('production', step, step === 'migrations' ? [] : ['pooler'])),
  );
  const settings = objects.flat();
  for (const { owner, spec } of podTemplates(settings)) {
    const [{ env, envFrom = [] }] = spec.containers;
    const data = envFrom.map(({ configMapRef }) => find(settings, 'ConfigMap', configMapRef.name).data);
    const given = [...data, ...env.map(({ name, value }) => ({ [name]: value }))];
    const isPooled = given.some(({ DATABASE_POOLER }) => DATABASE_POOLER === 'transaction');
    assert.equal(
      isPooled,
      env.some(({ name }) => name === 'DATABASE_URL'),
      nameOf(owner),
    );
  }
});

it('the component for a private authority mounts its certificates into every pod beside the other volumes', async () => {
  for (const step of ['migrations', 'services', 'operator']) {
    const volumesOf = (objects) =>
      podTemplates(objects).map(({ spec: { volumes = [], containers } }) => [
        volumes.map(({ name }) => name),
        (containers[0].volumeMounts ?? []).map(({ name }) => name),
      ]);
    const before = volumesOf(await rendered('production', step));
    const expected = before.map((lists) => lists.map((names) => [...names, 'stores-ca']));
    assert.deepEqual(volumesOf(await renderedWith('production', step, ['stores-ca'])), expected);
  }
});

describe('the component for CloudNativePG', () => {
  const [backupAtOnce, restorePatch] = Array.from(
    read('docs/runbooks/backup-and-restore.md').matchAll(/```yaml\n([^`]+)```/g),
    ([, text]) => parse(text),
  );
  const DATABASE = ['foundation', ['cloudnative-pg/database']];
  let database;
  let cluster;
  let others;
  before(async () => {
    database = await renderedWith('production', ...DATABASE);
    cluster = find(database, 'Cluster', 'postgres').spec;
    others = await rendered('production');
  });

  it('creates the roles of the services without further rights', () => {
    for (const [index, service] of SERVICES.entries()) {
      const { passwordSecret, ...role } = cluster.managed.roles[index];
      const [{ env }] = find(others, 'Job', `${service}-migrate`).spec.template.spec.containers;
      const { value: name } = env.find((setting) => setting.name === 'SERVICE_DATABASE_ROLE');
      assert.deepEqual(role, { name, login: true });
      assert.ok(passwordSecret && name !== cluster.bootstrap.initdb.owner);
    }
  });

  it('has connections for the maximum of replicas', () => {
    const connections = SERVICES.map((service) => {
      const { maxReplicas } = find(others, 'HorizontalPodAutoscaler', service).spec;
      return (maxReplicas + 2) * find(others, 'ConfigMap', service).data.DATABASE_POOL_SIZE;
    });
    assert.ok(Number(cluster.postgresql.parameters.max_connections) >= connections[0] + connections[1] + 4);
  });

  it('acknowledges a commit once a second server has it, and backs up to its store', () => {
    const { synchronous } = cluster.postgresql;
    assert.ok(cluster.instances > synchronous.number && synchronous.dataDurability === 'required');
    const [{ name, parameters }] = cluster.plugins;
    assert.ok(find(database, 'ObjectStore', parameters.barmanObjectName));
    const daily = find(database, 'ScheduledBackup', 'postgres-daily').spec;
    assert.deepEqual([daily.cluster.name, daily.pluginConfiguration.name], ['postgres', name]);
  });

  it('lets every pod with a database connect, with the certificate of its authority', async () => {
    const { serverCASecret } = cluster.certificates;
    const [{ from }] = find(database, 'NetworkPolicy', 'postgres-cluster').spec.ingress;
    const clients = find(database, 'NetworkPolicy', 'postgres-clients').spec.podSelector;
    const steps = ['migrations', 'services', 'operator'];
    const objects = await Promise.all(
      steps.map((step) => renderedWith('production', step, ['cloudnative-pg/clients'])),
    );
    for (const { owner, metadata, spec } of podTemplates(objects.flat())) {
      assert.ok(selects(from[0].podSelector, metadata) && selects(clients, metadata), nameOf(owner));
      const { secret } = spec.volumes.find(({ name }) => name === 'postgres-ca');
      // without the key of the authority
      assert.deepEqual(secret, { secretName: serverCASecret, items: [{ key: 'ca.crt', path: 'ca.crt' }] });
      const mounted = spec.containers[0].volumeMounts.map(({ name }) => name);
      assert.ok(mounted.includes('postgres-ca'), nameOf(owner));
    }
  });

  it('is backed up at once by the object of the runbook', async () => {
    await assertValid([{ ...backupAtOnce, metadata: { name: 'x' } }]);
    const { cluster, method, pluginConfiguration } = find(database, 'ScheduledBackup', 'postgres-daily').spec;
    assert.deepEqual(backupAtOnce.spec, { cluster, method, pluginConfiguration });
  });

  it('is restored beside the lost one by the patch of the runbook, with another archive', async () => {
    const restored = await renderedWith('production', ...DATABASE, restorePatch.patches);
    await assertValid(restored);
    const [{ metadata, spec }] = ofKind(restored, 'Cluster');
    const { recovery } = spec.bootstrap;
    const { bootstrap } = cluster;
    assert.deepEqual({ ...spec, bootstrap }, { ...cluster, externalClusters: spec.externalClusters });
    for (const field of ['database', 'owner', 'secret'])
      assert.deepEqual(recovery[field], bootstrap.initdb[field]);
    const [{ name: lost, plugin }] = spec.externalClusters;
    assert.deepEqual([lost, plugin.parameters.serverName], [recovery.source, 'postgres']);
    assert.notEqual(metadata.name, 'postgres');
    assert.equal(find(restored, 'ScheduledBackup', 'postgres-daily').spec.cluster.name, metadata.name);
  });
});
