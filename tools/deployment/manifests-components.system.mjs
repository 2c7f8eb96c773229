import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { SERVICES, all, hits, nameOf, objectsOf } from './every-manifest.mjs';
import { problemsOf } from './manifest-schemas.mjs';
import { find, ofKind, podTemplates, renderedWith } from './manifests.mjs';
import { root } from '../workspace.mjs';

describe('the component that checks access tokens', () => {
  it('trusts the issuer of the environment on the calls that need a token', async () => {
    for (const environment of ['staging', 'production']) {
      const objects = await renderedWith(environment, 'access-tokens');
      const policy = find(objects, 'SecurityPolicy', 'access-tokens');
      assert.deepEqual(await problemsOf(policy), []);
      const { JWT_ISSUER, CORS_ORIGINS } = find(objects, 'ConfigMap', 'users-service').data;
      const [{ issuer, audiences, remoteJWKS }] = policy.spec.jwt.providers;
      assert.deepEqual([issuer, remoteJWKS.uri], [JWT_ISSUER, `${JWT_ISSUER}/.well-known/jwks.json`]);
      assert.deepEqual(audiences, ['fd-onboarding']);
      assert.deepEqual(policy.spec.cors.allowOrigins, [CORS_ORIGINS]);
      assert.deepEqual(
        policy.spec.targetRefs.map(({ name }) => name),
        ['users-service'],
      );
    }
  });

  it('has calls without a token on another route, preflights included', () => {
    const matches = (name) => find(all.production.services, 'HTTPRoute', name).spec.rules[0].matches;
    const secured = matches('users-service').map(({ path }) => path);
    const preflights = matches('users-service-open').filter(({ method }) => method === 'OPTIONS');
    assert.deepEqual(
      preflights.map(({ path }) => path),
      secured,
    );
    // the document lists the calls without a token; none is a prefix of one with a token
    const gateway = readFileSync(join(root, 'deploy/haproxy/gateway.cfg'), 'utf8');
    for (const { value } of secured) assert.match(gateway, new RegExp(`acl is_of_user .*${value}`));
  });
});

describe('the component that sends traces', () => {
  it('sets a collector for both services and allows the connection', async () => {
    const objects = await renderedWith('production', 'tracing');
    for (const service of SERVICES) {
      assert.deepEqual(await problemsOf(find(objects, 'NetworkPolicy', service)), []);
      const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = find(objects, 'ConfigMap', service).data;
      const port = Number(new URL(endpoint).port);
      const { egress } = find(objects, 'NetworkPolicy', service).spec;
      assert.ok(egress.some(({ ports }) => ports.some((allowed) => allowed.port === port)));
      const usual = find(all.production.services, 'ConfigMap', service);
      assert.equal(usual.data.OTEL_EXPORTER_OTLP_ENDPOINT, undefined);
      // a changed name restarts the pods
      assert.notEqual(find(objects, 'ConfigMap', service).metadata.name, usual.metadata.name);
    }
  });
});

describe('the component for kube-prometheus-stack', () => {
  it("sets the label that the chart's Prometheus selects", async () => {
    const objects = await renderedWith('production', 'prometheus-stack');
    const watched = [...ofKind(objects, 'ServiceMonitor'), ...ofKind(objects, 'PrometheusRule')];
    assert.equal(watched.length, 3);
    for (const object of watched) assert.equal(object.metadata.labels.release, 'kube-prometheus-stack');
  });
});

describe('the component for the External Secrets operator', () => {
  it('creates every Secret of a pod from the store of its namespace', async () => {
    for (const environment of ['staging', 'production']) {
      const made = [];
      for (const step of ['services', 'migrations']) {
        const objects = await renderedWith(environment, `external-secrets/${step}`, step);
        for (const object of ofKind(objects, 'ExternalSecret')) {
          assert.deepEqual(await problemsOf(object), []);
          assert.equal(object.metadata.namespace, `fd-${environment}`);
          assert.deepEqual(object.spec.secretStoreRef, { kind: 'SecretStore', name: 'deposits' });
          assert.equal(object.spec.target.name, object.metadata.name);
          assert.deepEqual(object.spec.dataFrom, [{ extract: { key: object.metadata.name } }]);
          made.push(object.metadata.name);
        }
      }
      const needed = podTemplates(objectsOf(environment)).flatMap(({ template }) =>
        template.spec.containers.flatMap(({ env = [] }) =>
          env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.name ?? []),
        ),
      );
      assert.deepEqual(new Set(made), new Set(needed));
    }
  });
});

describe('the component for cert-manager', () => {
  it("requests certificates for the Gateway's listeners, and serves the authority's challenge", async () => {
    const objects = await renderedWith('production', 'cert-manager');
    const issuer = find(objects, 'Issuer', 'acme');
    assert.deepEqual(await problemsOf(issuer), []);
    const { metadata, spec } = find(objects, 'Gateway', 'deposits');
    assert.deepEqual(metadata.annotations, { 'cert-manager.io/issuer': 'acme' });
    const [{ http01 }] = issuer.spec.acme.solvers;
    const [{ name, sectionName }] = http01.gatewayHTTPRoute.parentRefs;
    assert.equal(name, 'deposits');
    assert.equal(spec.listeners.find((listener) => listener.name === sectionName).protocol, 'HTTP');
    const policy = find(objects, 'NetworkPolicy', 'acme-challenge');
    assert.deepEqual(await problemsOf(policy), []);
    assert.deepEqual(
      policy.spec.ingress[0].from,
      find(objects, 'NetworkPolicy', 'users-service').spec.ingress[0].from.slice(0, 1),
    );
  });
});

describe('the component for CloudNativePG', () => {
  const DATABASE = 'cloudnative-pg/database';
  const PLUGIN = 'barman-cloud.cloudnative-pg.io';
  const runbook = readFileSync(join(root, 'docs/runbooks/backup-and-restore.md'), 'utf8');
  const [backupAtOnce, restorePatch] = Array.from(runbook.matchAll(/```yaml\n([^`]+)```/g), ([, text]) =>
    parse(text),
  );

  for (const environment of ['staging', 'production']) {
    it(`creates the database of ${environment} with the roles of its pods`, async () => {
      const objects = await renderedWith(environment, DATABASE, 'foundation');
      for (const object of objects) assert.deepEqual(await problemsOf(object), [], nameOf(object));
      for (const { metadata } of objects.filter(({ kind }) => kind !== 'Namespace'))
        assert.equal(metadata.namespace, `fd-${environment}`);
      const { bootstrap, managed, postgresql } = find(objects, 'Cluster', 'postgres').spec;
      const { migrations, services } = all[environment];
      assert.deepEqual(
        managed.roles.map(({ name }) => name),
        SERVICES.map((service) => {
          const [{ env }] = find(migrations, 'Job', `${service}-migrate`).spec.template.spec.containers;
          return env.find(({ name }) => name === 'SERVICE_DATABASE_ROLE').value;
        }),
      );
      for (const role of managed.roles)
        for (const power of ['superuser', 'createrole', 'createdb', 'replication', 'inRoles'])
          assert.equal(role[power], undefined);
      assert.ok(!managed.roles.some(({ name }) => name === bootstrap.initdb.owner));
      const connections = SERVICES.map((service) => {
        const { maxReplicas } = find(services, 'HorizontalPodAutoscaler', service).spec;
        return (maxReplicas + 1) * find(services, 'ConfigMap', service).data.DATABASE_POOL_SIZE;
      });
      assert.ok(Number(postgresql.parameters.max_connections) >= connections[0] + connections[1] + 4);
    });
  }

  it('is refused with a wrong value, a missing or an unknown field of its backup store', async () => {
    const objects = await renderedWith('production', DATABASE, 'foundation');
    const store = async (change) => {
      const object = structuredClone(find(objects, 'ObjectStore', 'postgres-backups'));
      change(object.spec);
      return (await problemsOf(object)).join('\n');
    };
    assert.equal(await store(() => undefined), '');
    const refused = [
      [
        ({ configuration }) => (configuration.wal.encryption = 'aes256'),
        /encryption must be equal to one of/,
      ],
      [
        ({ configuration }) => (configuration.data.compression = 'zip'),
        /compression must be equal to one of/,
      ],
      [({ configuration }) => (configuration.data.jobs = '2'), /jobs must be integer/],
      [({ configuration }) => delete configuration.destinationPath, /required property destinationPath/],
      [({ configuration }) => delete configuration.s3Credentials.accessKeyId.key, /required property key/],
      [({ configuration }) => (configuration.wal.maxParalel = 4), /wal\/maxParalel is an unknown field/],
      [({ configuration }) => (configuration.serverName = 'postgres'), /serverName is an unknown field/],
      [(spec) => delete spec.configuration, /required property spec\/configuration/],
      [(spec) => (spec.retentionPolicy = '30 days'), /retentionPolicy must match pattern/],
      [(spec) => (spec.retention = '30d'), /\/spec\/retention is an unknown field/],
      [
        ({ instanceSidecarConfiguration: { resources } }) => (resources.limits.memory = 'much'),
        /memory must match/,
      ],
      [({ instanceSidecarConfiguration: sidecar }) => (sidecar.cpu = 1), /\/cpu is an unknown field/],
    ];
    for (const [change, problem] of refused) assert.match(await store(change), problem);
  });

  it('replicates commits to a second server, and makes the backups of the runbook', async () => {
    const objects = await renderedWith('production', DATABASE, 'foundation');
    const { instances, postgresql, plugins, affinity } = find(objects, 'Cluster', 'postgres').spec;
    assert.deepEqual(
      [instances, postgresql.synchronous, affinity.podAntiAffinityType],
      [3, { method: 'any', number: 1, dataDurability: 'required' }, 'required'],
    );
    const store = find(objects, 'ObjectStore', 'postgres-backups');
    assert.deepEqual(plugins, [
      { name: PLUGIN, isWALArchiver: true, parameters: { barmanObjectName: store.metadata.name } },
    ]);
    assert.ok(
      runbook.includes(`\`archive_timeout\` (${postgresql.parameters.archive_timeout.replace('s', ' s')})`),
    );
    assert.ok(
      runbook.includes(`to any moment of the last ${store.spec.retentionPolicy.replace('d', ' days')}`),
    );
    for (const part of ['wal', 'data']) assert.equal(store.spec.configuration[part].encryption, 'AES256');
    const { schedule, cluster, method, pluginConfiguration } = find(
      objects,
      'ScheduledBackup',
      'postgres-daily',
    ).spec;
    assert.match(schedule, /^0 \d+ \d+ \* \* \*$/);
    assert.deepEqual([cluster.name, method, pluginConfiguration.name], ['postgres', 'plugin', PLUGIN]);
  });

  it("accepts connections of pods with its address, which have its authority's certificate and not its key", async () => {
    const database = await renderedWith('production', DATABASE, 'foundation');
    const { serverCASecret } = find(database, 'Cluster', 'postgres').spec.certificates;
    const [{ from, ports }] = find(database, 'NetworkPolicy', 'postgres-cluster').spec.ingress;
    assert.equal(ports[0].port, 5432);
    const out = find(database, 'NetworkPolicy', 'postgres-clients').spec;
    let count = 0;
    for (const step of ['migrations', 'services', 'operator']) {
      const objects = await renderedWith('production', 'cloudnative-pg/clients', step);
      for (const object of objects) assert.deepEqual(await problemsOf(object), [], nameOf(object));
      for (const { owner, template } of podTemplates(objects)) {
        const [{ env, volumeMounts }] = template.spec.containers;
        assert.ok(env.some(({ name }) => name.endsWith('DATABASE_URL')));
        assert.ok(hits(from[0].podSelector, template.metadata) && hits(out.podSelector, template.metadata));
        const { secret } = template.spec.volumes.find(({ name }) => name === 'postgres-ca');
        assert.deepEqual(
          secret,
          { secretName: serverCASecret, items: [{ key: 'ca.crt', path: 'ca.crt' }] },
          nameOf(owner),
        );
        assert.deepEqual(volumeMounts.at(-1), {
          name: 'postgres-ca',
          mountPath: '/postgres-ca',
          readOnly: true,
        });
        count++;
      }
    }
    assert.ok(count > 8);
  });

  it('is backed up at once by the object of the runbook, as by the daily backup', async () => {
    const { generateName } = backupAtOnce.metadata;
    assert.match(generateName, /^[a-z-]+-$/);
    assert.deepEqual(await problemsOf({ ...backupAtOnce, metadata: { name: `${generateName}x` } }), []);
    const objects = await renderedWith('production', DATABASE, 'foundation');
    const { cluster, method, pluginConfiguration } = find(objects, 'ScheduledBackup', 'postgres-daily').spec;
    assert.deepEqual(backupAtOnce.spec, { cluster, method, pluginConfiguration });
  });

  it('is restored beside the lost one by the patch of the runbook, with another archive', async () => {
    const objects = await renderedWith('production', DATABASE, 'foundation', restorePatch.patches);
    const [cluster] = ofKind(objects, 'Cluster');
    assert.deepEqual(await problemsOf(cluster), []);
    const before = find(await renderedWith('production', DATABASE, 'foundation'), 'Cluster', 'postgres');
    const { bootstrap: first, ...same } = before.spec;
    const { bootstrap, externalClusters, ...others } = cluster.spec;
    assert.deepEqual(others, same);
    const { source, database, owner, secret, recoveryTarget } = bootstrap.recovery;
    assert.deepEqual(bootstrap, { recovery: { source, database, owner, secret, recoveryTarget } });
    assert.deepEqual(
      [database, owner, secret],
      [first.initdb.database, first.initdb.owner, first.initdb.secret],
    );
    const parameters = { barmanObjectName: 'postgres-backups', serverName: before.metadata.name };
    assert.deepEqual(externalClusters, [{ name: source, plugin: { name: PLUGIN, parameters } }]);
    assert.notEqual(cluster.metadata.name, before.metadata.name);
    const { cluster: backedUp } = find(objects, 'ScheduledBackup', 'postgres-daily').spec;
    assert.equal(backedUp.name, cluster.metadata.name);
  });
});
