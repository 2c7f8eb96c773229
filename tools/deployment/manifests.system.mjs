import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { build } from '../build/build.mjs';
import { problemsOf } from './manifest-schemas.mjs';
import {
  ENVIRONMENTS,
  find,
  ofKind,
  podTemplates,
  rendered,
  renderedWith,
  ruleGroups,
  settingsOf,
  STEPS,
} from './manifests.mjs';
import { newSecrets } from '../dev/dev-env.mjs';
import { labelsIn, METRICS_OF_THE_PLATFORM, metricsIn, selectorsIn } from './promql.mjs';
import { appFolder, root } from '../workspace.mjs';

const SERVICES = ['users-service', 'master-service'];

/** Seconds for calls in flight after SHUTDOWN_DELAY_SECONDS, as in libs/platform. */
const DRAIN_SECONDS = 20;

/** The contents of a secret store. */
const productionSecrets = {
  ...newSecrets(),
  DATABASE_URL: 'postgres://db.example/fd?sslmode=verify-full',
  REDIS_URL: 'rediss://:its-password@redis.example',
  MAIL_SMTP_URL: 'smtps://fd:its-password@mail.example',
};

/** Objects by environment and step. */
const all = {};
const objectsOf = (environment) => STEPS.flatMap((step) => all[environment][step]);
const inEach = (check) => ENVIRONMENTS.forEach((environment) => check(objectsOf(environment), environment));
const nameOf = ({ kind, metadata }) => `${kind}/${metadata.name}`;
const unhashed = (name) => name.replace(/-[a-z0-9]{10}$/, '');

before(async () => {
  await build(SERVICES);
  for (const environment of ENVIRONMENTS) {
    const steps = await Promise.all(STEPS.map((step) => rendered(environment, step)));
    all[environment] = Object.fromEntries(STEPS.map((step, index) => [step, steps[index]]));
  }
});

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
      '/spec/template/spec/containers/0/livenesProbe is no field of it',
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

  it('may be reached and may connect only as a policy allows', () => {
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

const hits = ({ matchLabels = {}, matchExpressions = [] }, { labels = {} }) =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
  matchExpressions.every(({ key, values }) => values.includes(labels[key]));

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

describe('a migration', () => {
  it('runs the image of its release before the service does', () => {
    inEach((objects, environment) => {
      for (const service of SERVICES) {
        const { metadata, spec } = find(all[environment].migrations, 'Job', `${service}-migrate`);
        const [container] = spec.template.spec.containers;
        assert.deepEqual(container.command, ['node', 'dist/cli.js', 'migrate']);
        const deployed = find(objects, 'Deployment', service).spec.template.spec.containers[0];
        assert.equal(container.image, deployed.image);
        assert.equal(metadata.annotations['argocd.argoproj.io/hook'], 'PreSync');
        // the image sets NODE_ENV=production
        const mode = environment === 'development' ? [['NODE_ENV', 'development']] : [];
        assert.deepEqual(
          container.env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom.secretKeyRef.name]),
          [
            ['MIGRATIONS_DATABASE_URL', `${service}-migrations`],
            ['SERVICE_DATABASE_ROLE', service.replace('-', '_')],
            ...mode,
          ],
        );
      }
    });
  });
});

describe("an operator's command", () => {
  it('runs the image of its release once, with the keys that commands need', () => {
    inEach((objects, environment) => {
      const { spec } = find(all[environment].operator, 'Job', 'users-service-operator');
      const [container] = spec.template.spec.containers;
      assert.deepEqual(container.command, ['node', 'dist/cli.js']);
      const deployed = find(objects, 'Deployment', 'users-service').spec.template.spec.containers[0];
      assert.equal(container.image, deployed.image);
      assert.equal(spec.backoffLimit, 0);
      assert.deepEqual(
        container.env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom.secretKeyRef.name]),
        [
          ...['DATABASE_URL', 'PII_KEYS', 'INDEX_SECRET', 'AUDIT_KEYS'].map((name) => [
            name,
            'users-service',
          ]),
          // the image sets NODE_ENV=production
          ...(environment === 'development' ? [['NODE_ENV', 'development']] : []),
        ],
      );
    });
  });
});

describe('the check of the vendors', () => {
  it('has the image, settings and secrets of the service, and never runs by itself', () => {
    inEach((objects) => {
      const { spec } = find(objects, 'CronJob', 'users-service-doctor');
      assert.equal(spec.suspend, true);
      assert.equal(spec.jobTemplate.spec.backoffLimit, 0);
      const [doctor] = spec.jobTemplate.spec.template.spec.containers;
      const [service] = find(objects, 'Deployment', 'users-service').spec.template.spec.containers;
      // with a root that is read-only the report can only be printed
      assert.deepEqual(doctor.command, ['node', 'dist/cli.js', 'doctor', '--report', '-']);
      assert.equal(doctor.securityContext.readOnlyRootFilesystem, true);
      assert.deepEqual([doctor.image, doctor.envFrom], [service.image, service.envFrom]);
      const own = doctor.env.filter(({ name }) => name !== 'NODE_ENV');
      assert.deepEqual(
        own,
        service.env.filter(({ name }) => name !== 'NODE_ENV'),
      );
    });
  });
});

describe('egress of the check of the vendors', () => {
  it("equals the service's egress", () => {
    inEach((objects) => {
      const outside = (name) =>
        find(objects, 'NetworkPolicy', name).spec.egress.filter(({ to }) =>
          to?.some(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0'),
        );
      assert.equal(outside('users-service').length, 1);
      assert.deepEqual(outside('doctor'), outside('users-service'));
    });
  });

  it('reaches the sandbox in development', () => {
    const objects = objectsOf('development');
    const toSandbox = (name) =>
      find(objects, 'NetworkPolicy', name).spec.egress.filter(({ to }) =>
        to?.some(({ podSelector }) => podSelector?.matchLabels['app.kubernetes.io/name'] === 'sandbox'),
      );
    assert.equal(toSandbox('doctor').length, 1);
    assert.deepEqual(toSandbox('doctor'), toSandbox('users-service'));
    const [{ from }] = find(objects, 'NetworkPolicy', 'sandbox').spec.ingress;
    const { labels } = find(objects, 'CronJob', 'users-service-doctor').spec.jobTemplate.spec.template
      .metadata;
    const isTaken = ({ podSelector }) =>
      Object.entries(podSelector.matchLabels).every(([name, value]) => labels[name] === value);
    assert.ok(from.some(isTaken));
  });
});

describe('egress to the stores', () => {
  const PRIVATE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];
  const [POSTGRES, PGBOUNCER, REDIS, SENTINEL] = [5432, 6432, 6379, 26379];

  for (const [name, ports] of [
    ['users-service', [POSTGRES, PGBOUNCER, REDIS, SENTINEL]],
    ['master-service', [POSTGRES, PGBOUNCER, REDIS, SENTINEL]],
    ['commands', [POSTGRES, PGBOUNCER]],
    // migrations have other limits than a pooler sets
    ['migrations', [POSTGRES]],
  ])
    it(`of ${name} leads to ports ${ports.join(', ')} of private IPv4 and IPv6 networks`, () => {
      inEach((objects) => {
        const rules = find(objects, 'NetworkPolicy', name).spec.egress.filter(({ to = [] }) =>
          to.some(({ ipBlock }) => ipBlock?.cidr === PRIVATE_NETWORKS[0]),
        );
        assert.equal(rules.length, 1);
        const [rule] = rules;
        assert.deepEqual(
          rule.to.map(({ ipBlock }) => ipBlock.cidr),
          PRIVATE_NETWORKS,
        );
        assert.deepEqual(
          rule.ports.map(({ port }) => port),
          ports,
        );
      });
    });

  it("to vendors never leads to a cloud's metadata service", () => {
    inEach((objects) => {
      for (const name of ['users-service', 'doctor']) {
        const { egress } = find(objects, 'NetworkPolicy', name).spec;
        const { to } = egress.find(({ ports }) => ports.some(({ port }) => port === 443));
        assert.deepEqual(
          to.map(({ ipBlock }) => ipBlock),
          [
            { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] },
            { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::254/128', 'fd20:ce::254/128'] },
          ],
        );
      }
    });
  });
});

describe('the templates of Jobs that an operator makes', () => {
  for (const [name, service, command, secrets] of [
    [
      'users-service-key-rotation',
      'users-service',
      ['pii:rotate', '--by', 'users-service-key-rotation', '--reason', 'KEY_ROTATION'],
      ['DATABASE_URL', 'PII_KEYS', 'AUDIT_KEYS'],
    ],
    [
      'master-service-catalogue-import',
      'master-service',
      // filled by Kubernetes, whose operator sets both variables
      ['catalogue:import', 'catalogue', '--apply', '--by=$(OPERATOR)', '--reason=$(REASON)'],
      ['MIGRATIONS_DATABASE_URL'],
    ],
    ['master-service-commands', 'master-service', undefined, ['MIGRATIONS_DATABASE_URL']],
  ])
    it(`${name}: runs the image of its release, only on demand, with the secrets of its command`, () => {
      inEach((objects, environment) => {
        const { spec } = find(objects, 'CronJob', name);
        assert.deepEqual([spec.suspend, spec.jobTemplate.spec.backoffLimit], [true, 0]);
        const [container] = spec.jobTemplate.spec.template.spec.containers;
        const [deployed] = find(objects, 'Deployment', service).spec.template.spec.containers;
        assert.equal(container.image, deployed.image);
        const waits = ['node', '-e', 'setTimeout(() => undefined, 900_000)'];
        assert.deepEqual(container.command, command ? ['node', 'dist/cli.js', ...command] : waits);
        const isOwner = secrets.includes('MIGRATIONS_DATABASE_URL');
        assert.deepEqual(
          container.env.map(({ name, value, valueFrom }) => [name, valueFrom?.secretKeyRef.name ?? value]),
          [
            ...secrets.map((secret) => [secret, isOwner ? `${service}-migrations` : service]),
            ...(isOwner ? [['SERVICE_DATABASE_ROLE', 'master_service']] : []),
            // the image sets NODE_ENV=production
            ...(environment === 'development' ? [['NODE_ENV', 'development']] : []),
          ],
        );
      });
    });
});

describe('the role of the owner', () => {
  it('is in no Secret of a service or of the check of the audit trail', () => {
    inEach((objects) => {
      for (const { owner, template } of podTemplates(objects)) {
        const secrets = template.spec.containers.flatMap(({ env = [] }) =>
          env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.name ?? []),
        );
        const isOwner = template.metadata.labels['app.kubernetes.io/component'] === 'migration';
        assert.equal(
          secrets.some((name) => name.endsWith('-migrations')),
          isOwner,
          nameOf(owner),
        );
      }
    });
  });

  it('differs from the role of the services', () => {
    const env = (file) => parseEnv(readFileSync(join(root, 'docker', file), 'utf8'));
    const userOf = (url) => new URL(url).username;
    const { services } = parse(readFileSync(join(root, 'docker/compose.yaml'), 'utf8'), { merge: true });
    assert.equal(
      userOf(env('migrations.env').MIGRATIONS_DATABASE_URL),
      services.postgres.environment.POSTGRES_USER,
    );
    const roles = readFileSync(join(root, 'deploy/components/stores/roles.sh'), 'utf8');
    for (const [service, migrate] of [
      ['users-service', 'users-migrate'],
      ['master-service', 'master-migrate'],
      ['master-service', 'master-catalogue'],
      ['master-service', 'master-api-keys'],
    ]) {
      const { SERVICE_DATABASE_ROLE: role, ...rest } = services[migrate].environment;
      assert.deepEqual([rest, services[migrate].env_file], [{}, ['migrations.env']]);
      const { DATABASE_URL } = Object.assign({}, ...[services[service].env_file].flat().map(env));
      assert.equal(userOf(DATABASE_URL), role);
      assert.equal(role, service.replace('-', '_'));
      assert.match(roles, new RegExp(`^for role in .*\\b${role}\\b`, 'm'));
    }
  });
});

describe('the check of the audit trail', () => {
  it('continues from the head on its own volume, and checks everything once a day', () => {
    inEach((objects) => {
      const commands = ['head', 'whole'].map((name) => {
        const { spec } = find(objects, 'CronJob', `users-service-audit-${name}`);
        const { containers, volumes } = spec.jobTemplate.spec.template.spec;
        assert.deepEqual(volumes[0].persistentVolumeClaim, { claimName: 'users-service-audit-head' });
        assert.equal(
          containers[0].image,
          find(objects, 'Deployment', 'users-service').spec.template.spec.containers[0].image,
        );
        assert.ok(find(objects, 'PersistentVolumeClaim', 'users-service-audit-head'));
        return containers[0].command.slice(2);
      });
      const verify = ['audit', 'verify', '--head-file', '/audit-head/head'];
      assert.deepEqual(commands, [verify, [...verify, '--whole']]);
    });
  });

  it('has the only pods with this volume', () => {
    inEach((objects) => {
      for (const { owner, template } of podTemplates(objects))
        if (owner.kind !== 'CronJob')
          assert.ok(
            !(template.spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim),
            nameOf(owner),
          );
    });
  });
});

describe('the maintenance', () => {
  it('runs every day with the image and the database of the migrations', () => {
    inEach((_, environment) => {
      const { migrations } = all[environment];
      const { schedule, jobTemplate } = find(migrations, 'CronJob', 'users-service-maintenance').spec;
      assert.match(schedule, /^\d+ \d+ \* \* \*$/);
      const [container] = jobTemplate.spec.template.spec.containers;
      const [migrate] = find(migrations, 'Job', 'users-service-migrate').spec.template.spec.containers;
      assert.deepEqual(container.command, ['node', 'dist/cli.js', 'maintenance']);
      assert.equal(container.image, migrate.image);
      const given = ({ env }) =>
        env.map(({ name, value, valueFrom }) => `${name} ${value ?? valueFrom.secretKeyRef.name}`);
      assert.deepEqual(new Set(given(container)), new Set([...given(migrate), 'AUDIT_KEYS users-service']));
    });
  });
});

describe('the gateway', () => {
  it('serves the public addresses of the services, over TLS only', () => {
    inEach((objects) => {
      const { listeners } = find(objects, 'Gateway', 'deposits').spec;
      for (const service of SERVICES) {
        const listener = listeners.find(({ name }) => name === service);
        assert.equal(listener.protocol, 'HTTPS');
        const routes = ofKind(objects, 'HTTPRoute').filter(({ metadata }) =>
          metadata.name.startsWith(service),
        );
        for (const { spec: route } of routes) {
          assert.deepEqual(route.hostnames, [listener.hostname]);
          assert.deepEqual(route.parentRefs, [{ name: 'deposits', sectionName: service }]);
          assert.deepEqual(route.rules[0].backendRefs, [{ name: service, port: 80 }]);
        }
        assert.equal(routes.length, service === 'users-service' ? 2 : 1);
      }
      const policies = ofKind(objects, 'BackendTrafficPolicy').map(({ spec }) => spec);
      for (const { rateLimit } of policies)
        assert.deepEqual(
          rateLimit.global.rules.map(({ clientSelectors: [{ sourceCIDR }], limit }) => [
            sourceCIDR.value,
            limit.requests,
          ]),
          [
            ['0.0.0.0/0', 6000],
            ['::/0', 6000],
          ],
        );
      assert.deepEqual(
        policies.flatMap(({ targetRefs }) => targetRefs.map(({ name }) => name)).sort(),
        ofKind(objects, 'HTTPRoute')
          .map(({ metadata }) => metadata.name)
          .filter((name) => name !== 'https-redirect')
          .sort(),
      );
      const [{ hostnames }] = [find(objects, 'HTTPRoute', 'users-service').spec];
      assert.equal(find(objects, 'ConfigMap', 'users-service').data.JWT_ISSUER, `https://${hostnames[0]}`);
      const plain = listeners.filter(({ protocol }) => protocol !== 'HTTPS').map(({ name }) => name);
      assert.deepEqual(plain, ['http']);
      const { rules } = find(objects, 'HTTPRoute', 'https-redirect').spec;
      assert.equal(rules[0].filters[0].requestRedirect.scheme, 'https');
      assert.equal(rules[0].backendRefs, undefined);
    });
  });
});

describe("Envoy's own answers", () => {
  /** HAProxy's refusals for SERVICE by status: `401 SVCUSER2104` where a status has several codes. */
  function refusalsOf(service) {
    const config = readFileSync(join(root, 'deploy/haproxy/gateway.cfg'), 'utf8');
    const frontend = config.split(/^frontend /m).find((text) => text.includes(`default_backend ${service}`));
    const answers = frontend.matchAll(
      /^ {2}(?:http-error|http-request return) status (\d+) content-type "([^"]+)"(?: hdr (\S+) (\w+))? string '(.*?)'/gm,
    );
    return new Map(
      Array.from(answers, ([, status, contentType, name, value, body]) => [
        status === '401' ? `401 ${JSON.parse(body).error[0].errorCode}` : status,
        { status: Number(status), contentType, header: name && { set: [{ name, value }] }, body },
      ]),
    );
  }
  /** Without the headers that HAProxy sets on all answers. */
  const ofEnvoy = (status, { contentType, header, body }) => {
    assert.equal(body.type, 'Inline');
    const [cache, transport, ...own] = header.set;
    assert.deepEqual(cache, { name: 'cache-control', value: 'no-store' });
    const strict = { name: 'strict-transport-security', value: 'max-age=31536000; includeSubDomains' };
    assert.deepEqual(transport, strict);
    return { status, contentType, header: own.length > 0 ? { set: own } : undefined, body: body.inline };
  };

  it("equal HAProxy's, and replace no answer of a service", () => {
    inEach((objects) => {
      for (const service of SERVICES) {
        const refusals = refusalsOf(service);
        const { responseOverride } = find(objects, 'BackendTrafficPolicy', service).spec;
        // without it answers of the service with these statuses would be replaced too
        assert.deepEqual(new Set(responseOverride.map(({ source }) => source)), new Set(['Local']));
        const answers = responseOverride.map(({ match, response }) =>
          ofEnvoy(match.statusCodes[0].value, response),
        );
        const tokens = service === 'users-service' ? ['401 SVCUSER2104'] : [];
        const expected = [...tokens, '408', '429', '502', '503', '504'].map((key) => refusals.get(key));
        assert.deepEqual(answers, expected);
      }
    });
  });

  it('to an unknown call are the 404 of HAProxy and the service', () => {
    inEach((objects) => {
      for (const [service, name] of [
        ['users-service', 'users-service-open'],
        ['master-service', 'master-service'],
      ]) {
        const { matches, filters, backendRefs } = find(objects, 'HTTPRoute', name).spec.rules.at(-1);
        assert.deepEqual([matches, backendRefs], [[{ path: { type: 'PathPrefix', value: '/' } }], undefined]);
        const { kind, name: filter } = filters[0].extensionRef;
        const { statusCode, ...response } = find(objects, kind, filter).spec.directResponse;
        assert.deepEqual(ofEnvoy(statusCode, response), refusalsOf(service).get('404'));
      }
    });
  });
});

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
      [({ configuration }) => (configuration.wal.maxParalel = 4), /wal\/maxParalel is no field of it/],
      [({ configuration }) => (configuration.serverName = 'postgres'), /serverName is no field of it/],
      [(spec) => delete spec.configuration, /required property spec\/configuration/],
      [(spec) => (spec.retentionPolicy = '30 days'), /retentionPolicy must match pattern/],
      [(spec) => (spec.retention = '30d'), /\/spec\/retention is no field of it/],
      [
        ({ instanceSidecarConfiguration: { resources } }) => (resources.limits.memory = 'much'),
        /memory must match/,
      ],
      [({ instanceSidecarConfiguration: sidecar }) => (sidecar.cpu = 1), /\/cpu is no field of it/],
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

  it('is backed up at once by the object of the runbook, in the way of the daily backup', async () => {
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
    for (const stand of ['postgres', 'redis', 'sandbox']) {
      assert.ok(images('development').includes(stand));
      assert.ok(!images('staging').includes(stand) && !images('production').includes(stand));
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

describe('every alert', () => {
  let groups;
  before(async () => {
    groups = await ruleGroups();
  });
  const rules = () => groups.flatMap((group) => group.rules).filter(({ alert }) => alert);

  /** The source file of a page of the documentation site. */
  const runbookOf = ({ runbook_url: url }) => {
    const page = /^https:\/\/docs\.deposits\.example\/guide\/(runbooks\/[\w-]+)\.html$/.exec(url)?.[1];
    assert.ok(page, url);
    return `docs/${page}.md`;
  };

  it('has a summary, a severity and a runbook', () => {
    assert.ok(rules().length > 10);
    for (const { alert, labels, annotations, for: duration } of rules()) {
      assert.match(labels.severity, /^(critical|warning)$/, alert);
      assert.ok(annotations.summary.length > 20 && duration, alert);
      const runbook = readFileSync(join(root, runbookOf(annotations)), 'utf8');
      assert.match(runbook, new RegExp(`\`${alert}\``), `${annotations.runbook_url} does not name ${alert}`);
    }
  });

  it('has the severity of its runbook page, which the README of the runbooks defines', () => {
    const folder = join(root, 'docs/runbooks');
    const said = readdirSync(folder).flatMap((page) => {
      const named = readFileSync(join(folder, page), 'utf8').matchAll(/`(\w+)`\s\((critical|warning)\)/g);
      return Array.from(named, ([, alert, severity]) => `docs/runbooks/${page} ${alert} ${severity}`);
    });
    const graded = rules().map(
      ({ alert, labels, annotations }) => `${runbookOf(annotations)} ${alert} ${labels.severity}`,
    );
    assert.deepEqual(said.sort(), graded.sort());
    const defined = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^\| `(\w+)` +\| \w/gm);
    const severities = new Set(rules().map(({ labels }) => labels.severity));
    assert.deepEqual(new Set(Array.from(defined, ([, word]) => word)), severities);
  });

  it('is a valid expression for each namespace', () => {
    for (const { alert, expr } of rules()) {
      assert.ok(metricsIn(expr).length > 0, alert);
      // absent() has only the labels of its selector
      if (!expr.includes('absent(')) assert.match(expr, /by \(namespace\b|^deposits:/, alert);
    }
    assert.throws(() => metricsIn('sum(rate(otp_sends_total[5m])'), /no PromQL/);
  });

  it('exists for each runbook, unless the README names the runbook', () => {
    const folder = join(root, 'docs/runbooks');
    const used = new Set(rules().map(({ annotations }) => runbookOf(annotations)));
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    for (const [, name] of readme.matchAll(/\(([\w-]+\.md)\)/g)) used.add(`docs/runbooks/${name}`);
    const files = readdirSync(folder).filter((name) => name !== 'README.md');
    assert.deepEqual(files.map((name) => `docs/runbooks/${name}`).sort(), [...used].sort());
  });
});

/** Labels of each metric in docs/metrics.md, including parts of histograms. */
function documentedMetrics() {
  const page = readFileSync(join(root, 'docs/metrics.md'), 'utf8');
  const metrics = new Map(METRICS_OF_THE_PLATFORM);
  for (const [, name, labels] of page.matchAll(/^\| `(\w+)` *\|([^|]*)\|[^|]*\|$/gm)) {
    const names = [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label);
    for (const suffix of ['', '_bucket', '_count', '_sum']) metrics.set(`${name}${suffix}`, names);
  }
  return metrics;
}

/** Labels that Prometheus adds, and the bound of a bucket. */
const ADDED_LABELS = ['namespace', 'job', 'pod', 'le'];

/** Metrics and labels in EXPRESSION that no service exports. */
function unknownIn(expression, metrics) {
  const named = metricsIn(expression);
  assert.ok(named.length > 0, expression);
  const labels = [...ADDED_LABELS, ...named.flatMap((name) => metrics.get(name) ?? [])];
  return [
    ...named.filter((name) => !metrics.has(name)),
    ...labelsIn(expression).filter((label) => !labels.includes(label)),
  ];
}

/** Whether SELECTOR matches calls of ROUTE. */
function matchesRoute(selector, route) {
  const matchers = selector.matchAll(/\broute(=~|!~|!=|=)"([^"]*)"/g);
  return Array.from(matchers, ([, operator, value]) => {
    const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(route) : value === route;
    return isEqual !== operator.startsWith('!');
  }).every(Boolean);
}

describe('a Prometheus expression', () => {
  const metrics = documentedMetrics();
  const rules = () =>
    find(all.production.services, 'PrometheusRule', 'deposits').spec.groups.flatMap((group) => group.rules);
  // recorded series have only the labels of their rule
  before(() => rules().forEach(({ record }) => record && metrics.set(record, [])));
  const dashboard = () =>
    JSON.parse(find(all.production.services, 'ConfigMap', 'deposits-dashboard').data['fixed-deposits.json']);
  /** An expression of the dashboard as Grafana sends it. */
  const sent = (expression) => expression.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, 'any');

  it('of an alert uses exported metrics and labels', () => {
    for (const { alert, record, expr } of rules())
      assert.deepEqual(unknownIn(expr, metrics), [], alert ?? record);
  });

  it('of the dashboard uses exported metrics and labels', () => {
    const { panels } = dashboard();
    const asked = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    assert.ok(asked.length > 30);
    for (const { title, expr } of asked) assert.deepEqual(unknownIn(sent(expr), metrics), [], title);
    // every series is of the chosen namespace
    for (const { title, expr } of asked)
      assert.equal(expr.split('namespace="$namespace"').length - 1, metricsIn(sent(expr)).length, title);
  });

  it('does not count the calls of health checks and of Prometheus', () => {
    const asked = dashboard().panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => sent(expr)));
    const measured = [...rules().map(({ expr }) => expr), ...asked]
      .flatMap(selectorsIn)
      .filter((selector) => selector.startsWith('http_request_duration_'));
    assert.ok(measured.length > 20);
    for (const selector of measured)
      for (const route of ['/health/live', '/health/ready', '/metrics'])
        assert.ok(!matchesRoute(selector, route), `${selector} matches ${route}`);
    assert.ok(matchesRoute('http_request_duration_seconds_count{status="429"}', '/metrics'));
    assert.ok(matchesRoute('http_request_duration_seconds_count{route!~"/health/.*"}', '/metrics'));
  });

  it('is refused with an unknown metric or label', () => {
    assert.deepEqual(unknownIn('rate(otp_sends_total{reason="x"}[5m])', metrics), ['reason']);
    assert.deepEqual(unknownIn('sum by (pod) (otp_sent_total)', metrics), ['otp_sent_total']);
  });

  it('is on a dashboard that Grafana loads, with a panel for every place', () => {
    const { metadata } = find(all.production.services, 'ConfigMap', 'deposits-dashboard');
    assert.equal(metadata.labels.grafana_dashboard, '1');
    const { uid, title, schemaVersion, templating, panels } = dashboard();
    assert.ok(uid && title && schemaVersion >= 36);
    const variables = templating.list.map(({ name }) => `$${name}`);
    const ids = panels.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const taken = new Set();
    for (const { id, type, title: heading, gridPos, targets, datasource } of panels) {
      assert.ok(['row', 'timeseries', 'stat', 'bargauge'].includes(type) && heading, String(id));
      assert.ok(gridPos.x + gridPos.w <= 24, heading);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(!taken.has(`${x} ${y}`), `${heading} covers another panel`);
          taken.add(`${x} ${y}`);
        }
      if (type === 'row') continue;
      assert.equal(datasource.uid, '${datasource}', heading);
      for (const { expr, legendFormat } of targets) {
        assert.ok(legendFormat, heading);
        for (const [name] of expr.matchAll(/\$(?!__)\w+/g)) assert.ok(variables.includes(name), name);
      }
    }
  });
});

describe('docs/kubernetes.md', () => {
  const manual = () => readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');

  it('lists the keys of every Secret', () => {
    for (const service of SERVICES) {
      const { secret, optionalSecret } = settingsOf(all.production.services, service);
      const [row] = manual().match(new RegExp(`^\\| \`${service}\` .*$`, 'm'));
      const listed = [...row.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name);
      assert.deepEqual(listed.sort(), [...secret, ...optionalSecret].sort());
    }
  });
});
