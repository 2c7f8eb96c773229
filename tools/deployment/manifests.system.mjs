import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { SERVICES, all, hits, inEach, nameOf, objectsOf } from './every-manifest.mjs';
import { problemsOf } from './manifest-schemas.mjs';
import { ENVIRONMENTS, find, ofKind, podTemplates, renderedWith, settingsOf } from './manifests.mjs';
import { build } from '../build/build.mjs';
import { newSecrets } from '../dev/dev-env.mjs';
import { appFolder, root } from '../workspace.mjs';

/** Seconds for calls in flight after SHUTDOWN_DELAY_SECONDS, as in libs/platform. */
const DRAIN_SECONDS = 20;

/** The contents of a secret store. */
const productionSecrets = {
  ...newSecrets(),
  DATABASE_URL: 'postgres://db.example/fd?sslmode=verify-full',
  REDIS_URL: 'rediss://:its-password@redis.example',
  MAIL_SMTP_URL: 'smtps://fd:its-password@mail.example',
};

const unhashed = (name) => name.replace(/-[a-z0-9]{10}$/, '');

before(() => build(SERVICES));

describe('every object', () => {
  it('matches the schema of its kind', async () => {
    for (const environment of ENVIRONMENTS) {
      for (const object of objectsOf(environment))
        assert.deepEqual(await problemsOf(object), [], `${environment} ${nameOf(object)}`);
    }
  });

  it('is refused with a wrong type, a missing or an unknown field', async () => {
    const deployment = (change) => {
      const object = structuredClone(find(all.production.services, 'Deployment', 'users-service'));
      change(object.spec);
      return problemsOf(object);
    };
    assert.match((await deployment((spec) => (spec.replicas = 'three')))[0], /replicas must be integer/);
    assert.match((await deployment((spec) => delete spec.selector))[0], /required property selector/);
    assert.deepEqual(await deployment(({ template }) => (template.spec.containers[0].livenesProbe = {})), [
      '/spec/template/spec/containers/0/livenesProbe is an unknown field',
    ]);
  });

  /** Components that an environment may add, by step. */
  const OPTIONAL = {
    foundation: ['cloudnative-pg/database', 'prometheus-stack'],
    migrations: ['external-secrets/migrations', 'cloudnative-pg/clients'],
    services: [
      ...['access-tokens', 'tracing', 'cert-manager', 'external-secrets/services'],
      ...['cloudnative-pg/clients', 'prometheus-stack'],
    ],
    operator: ['cloudnative-pg/clients'],
  };

  it('matches the schema of its kind with each optional component, and with all of them', async () => {
    for (const [step, components] of Object.entries(OPTIONAL)) {
      for (const chosen of [...components, components]) {
        const objects = await renderedWith('production', chosen, step);
        for (const object of objects)
          assert.deepEqual(await problemsOf(object), [], `${step} with ${chosen}: ${nameOf(object)}`);
        for (const { kind, metadata } of objects)
          if (kind !== 'Namespace') assert.equal(metadata.namespace, 'fd-production', metadata.name);
      }
    }
  });

  it('is of a component that an environment has or may add', () => {
    const folder = join(root, 'deploy/components');
    const files = readdirSync(folder, { recursive: true }).filter((name) =>
      /kustomization\.yaml$/.test(name),
    );
    const overlays = readdirSync(join(root, 'deploy/overlays'), { recursive: true })
      .filter((name) => /kustomization\.yaml$/.test(name))
      .map((name) => readFileSync(join(root, 'deploy/overlays', name), 'utf8'))
      .join('\n');
    const used = [...overlays.matchAll(/components\/([\w/-]+)/g)].map(([, name]) => name);
    assert.deepEqual(
      files
        .map((name) => dirname(name))
        .filter((name) => ![used, Object.values(OPTIONAL)].flat(2).includes(name)),
      [],
    );
  });

  it('is in the namespace of its environment, and contains no secret', () => {
    inEach((objects, environment) => {
      for (const object of objects) {
        assert.notEqual(object.kind, 'Secret');
        const { namespace, name } = object.metadata;
        assert.equal(object.kind === 'Namespace' ? name : namespace, `fd-${environment}`, nameOf(object));
      }
    });
  });
});

describe('every pod', () => {
  const eachPod = (check) =>
    inEach((objects, environment) =>
      podTemplates(objects).forEach(({ owner, template }) =>
        check(template, `${environment} ${nameOf(owner)}`, owner),
      ),
    );

  it('is restricted, and its namespace refuses any other', () => {
    eachPod(({ spec }, title) => {
      assert.equal(spec.automountServiceAccountToken, false, title);
      assert.equal(spec.securityContext.runAsNonRoot, true, title);
      assert.ok(spec.securityContext.runAsUser > 0, title);
      assert.equal(spec.securityContext.seccompProfile.type, 'RuntimeDefault', title);
      for (const forbidden of ['hostNetwork', 'hostPID', 'hostIPC']) assert.equal(spec[forbidden], undefined);
      for (const { securityContext, resources } of spec.containers) {
        assert.deepEqual(
          securityContext,
          {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          title,
        );
        assert.ok(resources.requests.cpu && resources.requests.memory && resources.limits.memory, title);
      }
      // the input of an operator's command exists for one run
      for (const { name, secret, ...volume } of spec.volumes ?? [])
        assert.ok(
          secret?.optional ?? /^(emptyDir|configMap|persistentVolumeClaim)$/.test(Object.keys(volume)[0]),
          `${title} ${name}`,
        );
    });
    inEach((objects) => {
      const [{ metadata }] = ofKind(objects, 'Namespace');
      assert.equal(metadata.labels['pod-security.kubernetes.io/enforce'], 'restricted');
    });
  });

  it('runs an image with a fixed version', () => {
    eachPod(({ spec }, title) => {
      for (const { image } of spec.containers) {
        assert.match(image, /:[\w.-]+(@sha256:[0-9a-f]{64})?$|@sha256:[0-9a-f]{64}$/, title);
        assert.doesNotMatch(image, /:latest$/, title);
      }
    });
  });

  it('accepts and opens only connections that a policy allows', () => {
    eachPod(({ metadata }, title, owner) => {
      const environment = title.split(' ')[0];
      const policies = ofKind(objectsOf(environment), 'NetworkPolicy');
      assert.ok(policies.some((policy) => policy.metadata.name === 'default-deny'));
      const own = policies.filter(
        ({ spec }) => Object.keys(spec.podSelector).length > 0 && hits(spec.podSelector, metadata),
      );
      assert.ok(own.length > 0, `no policy is about ${nameOf(owner)}`);
    });
  });
});

describe('every service', () => {
  const eachService = (check) =>
    ENVIRONMENTS.forEach((environment) =>
      SERVICES.forEach((service) => check(all[environment].services, service, environment)),
    );

  it('is selected only by its own objects', () => {
    eachService((objects, service, environment) => {
      const { template } = find(objects, 'Deployment', service).spec;
      const others = podTemplates(objectsOf(environment)).filter((other) => other.template !== template);
      const selectors = {
        Deployment: (spec) => spec.selector,
        Service: (spec) => ({ matchLabels: spec.selector }),
        PodDisruptionBudget: (spec) => spec.selector,
        NetworkPolicy: (spec) => spec.podSelector,
      };
      for (const [kind, selectorOf] of Object.entries(selectors)) {
        const selector = selectorOf(find(objects, kind, service).spec);
        assert.ok(hits(selector, template.metadata), `${kind} of ${service}`);
        for (const { owner, template } of others)
          assert.ok(!hits(selector, template.metadata), `${kind} of ${service} selects ${nameOf(owner)}`);
      }
      for (const { labelSelector } of template.spec.topologySpreadConstraints)
        assert.ok(hits(labelSelector, template.metadata));
      const monitor = find(objects, 'ServiceMonitor', service).spec;
      const { metadata, spec } = find(objects, 'Service', service);
      assert.ok(hits(monitor.selector, metadata), `metrics of ${service}`);
      // alerts name the job
      assert.equal(metadata.labels[monitor.jobLabel], service);
      assert.equal(monitor.endpoints[0].port, spec.ports[0].name);
      assert.equal(find(objects, 'HorizontalPodAutoscaler', service).spec.scaleTargetRef.name, service);
      const { serviceAccountName } = template.spec;
      assert.equal(find(objects, 'ServiceAccount', serviceAccountName).automountServiceAccountToken, false);
    });
  });

  it('has a port with probes', () => {
    eachService((objects, service) => {
      const [container] = find(objects, 'Deployment', service).spec.template.spec.containers;
      const { PORT } = find(objects, 'ConfigMap', service).data;
      assert.deepEqual(container.ports, [{ name: 'http', containerPort: Number(PORT) }]);
      const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
        (probe) => container[probe].httpGet,
      );
      assert.deepEqual(
        paths,
        ['live', 'live', 'ready'].map((kind) => ({ path: `/health/${kind}`, port: 'http' })),
      );
      assert.equal(find(objects, 'Service', service).spec.ports[0].targetPort, 'http');
    });
  });

  it('serves throughout a roll-out: starts a new replica first and drains the old one', () => {
    eachService((objects, service) => {
      const { strategy, template } = find(objects, 'Deployment', service).spec;
      assert.deepEqual(strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 });
      assert.equal(template.spec.containers[0].lifecycle, undefined);
      const { SHUTDOWN_DELAY_SECONDS: delay, KEEP_ALIVE_SECONDS } = find(objects, 'ConfigMap', service).data;
      assert.ok(template.spec.terminationGracePeriodSeconds >= Number(delay) + DRAIN_SECONDS + 5);
      // the replica leaves the rotation before it stops serving
      const { periodSeconds, failureThreshold } = template.spec.containers[0].readinessProbe;
      assert.ok(Number(delay) >= periodSeconds * failureThreshold);
      const { timeout } = find(objects, 'BackendTrafficPolicy', service).spec;
      assert.ok(parseInt(timeout.http.connectionIdleTimeout, 10) < Number(KEEP_ALIVE_SECONDS));
    });
  });

  it('divides its limit by the maximum of replicas', () => {
    eachService((objects, service) => {
      const { maxReplicas } = find(objects, 'HorizontalPodAutoscaler', service).spec;
      assert.equal(find(objects, 'ConfigMap', service).data.REPLICAS, String(maxReplicas));
    });
  });

  it('gets known settings with which it starts', async () => {
    const config = (service, file) => import(join(appFolder(service), 'dist/config', file));
    const { USERS_SETTINGS, usersConfig } = await config('users-service', 'users-config.js');
    const { MASTER_SETTINGS, masterConfig } = await config('master-service', 'master-config.js');
    const known = { 'users-service': USERS_SETTINGS, 'master-service': MASTER_SETTINGS };
    const read = { 'users-service': usersConfig, 'master-service': masterConfig };
    const example = parseEnv(readFileSync(join(root, 'docker/example.env'), 'utf8'));
    for (const environment of ENVIRONMENTS) {
      for (const service of SERVICES) {
        const { given, secret, optionalSecret } = settingsOf(all[environment].services, service);
        const names = [...Object.keys(given), ...secret, ...optionalSecret];
        assert.deepEqual(
          names.filter((name) => !known[service].includes(name)),
          [],
          `${environment} ${service}`,
        );
        assert.equal(new Set(names).size, names.length, `${environment} ${service}: given twice`);
        const offered = environment === 'development' ? example : productionSecrets;
        const chosen = optionalSecret.filter((name) => offered[name] !== undefined);
        const secrets = Object.fromEntries([...secret, ...chosen].map((name) => [name, offered[name]]));
        const { http } = read[service]({ ...given, ...secrets });
        assert.equal(http.isProduction, environment !== 'development');
        // only the gateway writes the caller's address
        assert.equal(http.trustedProxyHops, 1);
      }
    }
  });

  it('reads every secret from its own Secret by the name of the setting', () => {
    eachService((objects, service) => {
      const [container] = find(objects, 'Deployment', service).spec.template.spec.containers;
      for (const { name, valueFrom } of container.env) {
        assert.equal(valueFrom.secretKeyRef.name, service);
        assert.equal(valueFrom.secretKeyRef.key, name);
      }
    });
  });

  it('has no secret in its ConfigMap', () => {
    const secret = /KEY|SECRET|PASSWORD|TOKEN|DATABASE_URL|REDIS_URL|SMTP_URL|OVERRIDES/;
    inEach((objects) => {
      for (const { data } of ofKind(objects, 'ConfigMap'))
        assert.deepEqual(
          Object.keys(data).filter((name) => secret.test(name) || /:\/\/[^/]*@/.test(data[name])),
          [],
        );
    });
  });
});

describe('the environments', () => {
  /** Removes allowed differences. */
  function comparable(environment) {
    return all[environment].services.map((original) => {
      const object = structuredClone(original);
      object.metadata.name = unhashed(object.metadata.name);
      delete object.metadata.namespace;
      if (object.kind === 'ConfigMap') object.data = Object.keys(object.data).sort();
      if (object.kind === 'HorizontalPodAutoscaler') {
        delete object.spec.minReplicas;
        delete object.spec.maxReplicas;
      }
      if (object.kind === 'Gateway') object.spec.listeners.forEach((listener) => delete listener.hostname);
      if (object.kind === 'HTTPRoute') delete object.spec.hostnames;
      if (['Deployment', 'CronJob'].includes(object.kind)) {
        const [container] = (object.spec.jobTemplate ?? object).spec.template.spec.containers;
        container.image = container.image.replace(/[:@].*/, '');
        for (const { configMapRef } of container.envFrom ?? [])
          configMapRef.name = unhashed(configMapRef.name);
      }
      return object;
    });
  }

  it('differ only in addresses, sizes, settings and release', () => {
    assert.deepEqual(comparable('staging'), comparable('production'));
    for (const step of ['foundation', 'migrations', 'operator'])
      assert.deepEqual(
        all.staging[step].map(nameOf).map(withoutEnvironment),
        all.production[step].map(nameOf).map(withoutEnvironment),
      );
  });

  const withoutEnvironment = (name) => name.replace(/fd-(staging|production)/, 'fd');

  it('include stores and the sandbox only in development', () => {
    const images = (environment) =>
      podTemplates(objectsOf(environment)).flatMap(({ template }) =>
        template.spec.containers.map(({ name }) => name),
      );
    for (const image of ['postgres', 'redis', 'sandbox']) {
      assert.ok(images('development').includes(image));
      assert.ok(!images('staging').includes(image) && !images('production').includes(image));
    }
  });

  it("allow the sandbox's console to call the services only in development", () => {
    const originsOf = (environment, service) =>
      settingsOf(all[environment].services, service).given.CORS_ORIGINS.split(',');
    const [{ env }] = find(all.development.services, 'Deployment', 'sandbox').spec.template.spec.containers;
    const consoles = { 'users-service': 'USERS_BASE_URL', 'master-service': 'MASTER_BASE_URL' };
    for (const [service, setting] of Object.entries(consoles)) {
      const [hostname] = find(all.development.services, 'HTTPRoute', service).spec.hostnames;
      assert.equal(env.find(({ name }) => name === setting).value, `https://${hostname}`);
      assert.deepEqual(originsOf('development', service), ['*']);
      for (const environment of ['staging', 'production'])
        for (const origin of originsOf(environment, service))
          assert.match(origin, /^https:\/\/app\.([a-z]+\.)?deposits\.example$/, environment);
    }
  });
});

describe('docs/kubernetes.md', () => {
  const manual = () => readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');

  it('lists the keys of every Secret', () => {
    for (const service of SERVICES) {
      const { secret, optionalSecret } = settingsOf(all.production.services, service);
      const rows = manual().match(new RegExp(`^\\| \`${service}\` .*$`, 'gm'));
      const listed = [...rows.join().matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name);
      assert.deepEqual(listed.sort(), [...secret, ...optionalSecret].sort());
    }
  });
});
