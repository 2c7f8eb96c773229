// Rules that hold for every object of deploy/ in every environment.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { read, readJson } from '../tools/files.mjs';
import { build } from '../tools/build/build.mjs';
import { newSecrets } from '../tools/dev/dev-env.mjs';
import { appFolder } from '../tools/workspace.mjs';
import { problemsOf } from '../tools/deployment/manifest-schemas.mjs';
import {
  ENVIRONMENTS,
  find,
  nameOf,
  ofKind,
  podTemplates,
  rendered,
  selects,
  SERVICES,
  settingsOf,
  unhashed,
} from '../tools/deployment/manifests.mjs';

/** Seconds for calls in flight after SHUTDOWN_DELAY_SECONDS, as in libs/platform. */
const DRAIN_SECONDS = 20;

const all = Object.fromEntries(
  await Promise.all(ENVIRONMENTS.map(async (environment) => [environment, await rendered(environment)])),
);
const inEach = (check) => ENVIRONMENTS.forEach((environment) => check(all[environment], environment));
const eachService = (check) => inEach((objects) => SERVICES.forEach((service) => check(objects, service)));

/** Asserts each of RULES, a predicate by title, for everything in LISTED(OBJECTS). */
function assertRules(rules, listed) {
  for (const [title, isKept] of Object.entries(rules))
    it(title, () =>
      inEach((objects, environment) => {
        for (const one of listed(objects))
          assert.ok(isKept(one, objects, environment), `${environment} ${nameOf(one.owner ?? one)}`);
      }),
    );
}

/** The fields that name another object, and what they name; Secrets are an operator's. */
const REFERENCES = {
  scaleTargetRef: (target) => target,
  targetRefs: (target) => target,
  extensionRef: (target) => target,
  parentRefs: ({ name }) => ({ kind: 'Gateway', name }),
  backendRefs: ({ name }) => ({ kind: 'Service', name }),
  configMapRef: ({ name }) => ({ kind: 'ConfigMap', name }),
  serviceAccountName: (name) => ({ kind: 'ServiceAccount', name }),
  claimName: (name) => ({ kind: 'PersistentVolumeClaim', name }),
};

function referencesOf(object) {
  const found = [];
  JSON.stringify(object, (key, value) => {
    if (Object.hasOwn(REFERENCES, key)) found.push(...[value].flat().map(REFERENCES[key]));
    return value;
  });
  return found;
}

/** Addresses of a cloud's metadata service, which no policy of all addresses may contain. */
const METADATA = {
  '0.0.0.0/0': ['169.254.0.0/16'],
  '::/0': ['fe80::/10', 'fd00:ec2::254/128', 'fd20:ce::254/128'],
};

/** Sources or targets of the RULES of a network policy. */
const peers = (rules = [], side) => rules.flatMap((rule) => rule[side] ?? []);

const SECRET_NAME = /KEY|SECRET|PASSWORD|TOKEN|DATABASE_URL|REDIS_URL|SMTP_URL|OVERRIDES/;

describe('every object', () => {
  it('matches the schema of its kind', async () => {
    for (const environment of ENVIRONMENTS)
      for (const object of all[environment])
        assert.deepEqual(await problemsOf(object), [], `${environment} ${nameOf(object)}`);
  });

  it('is rejected by its schema with a wrong type or an unknown field', async () => {
    const object = structuredClone(find(all.production, 'Deployment', 'users-service'));
    object.spec.template.spec.containers[0].livenesProbe = {};
    assert.match((await problemsOf(object))[0], /containers\/0\/livenesProbe is an unknown field/);
    object.spec.replicas = 'three';
    assert.match((await problemsOf(object))[0], /replicas must be integer/);
  });

  assertRules(
    {
      'is in the namespace of its environment': ({ kind, metadata }, _, environment) =>
        (kind === 'Namespace' ? metadata.name : metadata.namespace) === `fd-${environment}`,
      'is no Secret': ({ kind }) => kind !== 'Secret',
      'contains no secret if it is a ConfigMap': ({ kind, data }) =>
        kind !== 'ConfigMap' ||
        Object.entries(data).every(([name, value]) => !SECRET_NAME.test(name) && !/:\/\/[^/]*@/.test(value)),
      'denies by default if it is the policy of all pods': ({ kind, spec }) =>
        kind !== 'NetworkPolicy' ||
        Object.keys(spec.podSelector).length > 0 ||
        (spec.policyTypes.length === 2 && !spec.ingress && !spec.egress),
      "allows no connection to a cloud's metadata service": ({ spec }) =>
        peers(spec?.egress, 'to').every(
          ({ ipBlock }) => METADATA[ipBlock?.cidr]?.every((range) => ipBlock.except?.includes(range)) ?? true,
        ),
      'rejects unrestricted pods if it is a namespace': ({ kind, metadata }) =>
        kind !== 'Namespace' || metadata.labels['pod-security.kubernetes.io/enforce'] === 'restricted',
      'refers to existing objects': (object, objects) =>
        referencesOf(object).every(({ kind, name }) =>
          objects.some((other) => other.kind === kind && other.metadata.name === name),
        ),
    },
    (objects) => objects,
  );
});

describe('every pod', () => {
  const everyContainer = (rule) => (pod) => pod.spec.containers.every(rule);
  assertRules(
    {
      'gets no token of the API server': ({ spec }) => spec.automountServiceAccountToken === false,
      'runs as a user other than root, with the default seccomp profile': ({ spec }) =>
        spec.securityContext.runAsNonRoot &&
        spec.securityContext.runAsUser > 0 &&
        spec.securityContext.seccompProfile.type === 'RuntimeDefault',
      'has a read-only root and no capabilities': everyContainer(
        ({ securityContext: context }) =>
          context.readOnlyRootFilesystem &&
          context.allowPrivilegeEscalation === false &&
          context.capabilities.drop[0] === 'ALL' &&
          !context.capabilities.add &&
          !context.privileged,
      ),
      'requests processor time and memory, and limits memory': everyContainer(
        ({ resources: { requests, limits } }) => requests.cpu && requests.memory && limits.memory,
      ),
      'runs an image with a fixed version': everyContainer(
        ({ image }) =>
          /:[\w.-]+(@sha256:[0-9a-f]{64})?$|@sha256:[0-9a-f]{64}$/.test(image) && !/:latest$/.test(image),
      ),
      // namespaces enforce the other rules of restricted pods; an operator's input exists for one run only
      'mounts no Secret that has to exist, and nothing of its node': ({ spec }) =>
        (spec.volumes ?? []).every(
          ({ emptyDir, configMap, persistentVolumeClaim, secret }) =>
            emptyDir ?? configMap ?? persistentVolumeClaim ?? secret?.optional,
        ),
      'is probed if it serves': ({ owner, spec }) =>
        /Job$/.test(owner.kind) || spec.containers.every(({ readinessProbe }) => readinessProbe),
      'is selected by a network policy of its own': ({ metadata }, objects) =>
        ofKind(objects, 'NetworkPolicy').some(
          ({ spec }) => Object.keys(spec.podSelector).length > 0 && selects(spec.podSelector, metadata),
        ),
      'has the credentials of the owner of the database only if it migrates': ({ metadata, spec }) =>
        JSON.stringify(spec).includes('-migrations"') ===
        (metadata.labels['app.kubernetes.io/component'] === 'migration'),
      'runs the same release as its service': ({ spec: { containers } }, objects) =>
        SERVICES.every((service) => {
          const [deployed] = find(objects, 'Deployment', service).spec.template.spec.containers;
          return containers.every(({ image }) => image === deployed.image || !image.includes(`/${service}`));
        }),
    },
    podTemplates,
  );
});

describe('every Job', () => {
  assertRules(
    {
      'ends by itself and is not restarted': (owner) => {
        const { activeDeadlineSeconds, template } = (owner.spec.jobTemplate ?? owner).spec;
        return activeDeadlineSeconds > 0 && template.spec.restartPolicy === 'Never';
      },
      'never overlaps with itself if it has a schedule': ({ kind, spec }) =>
        kind === 'Job' || spec.concurrencyPolicy === 'Forbid',
      'is not repeated if an operator starts it': ({ kind, spec }) =>
        kind === 'Job' || !spec.suspend || spec.jobTemplate.spec.backoffLimit === 0,
    },
    (objects) => ofKind(objects, 'Job', 'CronJob'),
  );

  it('is on one node with the others that mount its volume', () => {
    inEach((objects, environment) => {
      const claimOf = ({ spec }) =>
        spec.volumes?.find((volume) => volume.persistentVolumeClaim)?.persistentVolumeClaim.claimName;
      const mounting = podTemplates(objects).filter(claimOf);
      assert.equal(mounting.length, 2);
      for (const pod of mounting) {
        const [required] = pod.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution;
        assert.equal(required.topologyKey, 'kubernetes.io/hostname');
        const beside = podTemplates(objects).filter(({ metadata }) =>
          selects(required.labelSelector, metadata),
        );
        assert.deepEqual(beside, mounting, environment);
      }
    });
  });

  it('checks the whole audit trail after maintenance, and lets an operator check it for as long', () => {
    inEach((objects) => {
      const job = (name) => {
        const { schedule, timeZone, jobTemplate } = find(objects, 'CronJob', name).spec;
        const [minute, hour] = schedule.split(' ').map(Number);
        assert.equal(timeZone, 'Etc/UTC');
        return { start: 3600 * hour + 60 * minute, seconds: jobTemplate.spec.activeDeadlineSeconds };
      };
      const [maintenance, check] = ['maintenance', 'audit-whole'].map((name) => job(`users-service-${name}`));
      assert.ok(check.start > maintenance.start + maintenance.seconds);
      const operator = find(objects, 'Job', 'users-service-operator').spec;
      assert.equal(operator.activeDeadlineSeconds, check.seconds);
    });
  });

  it('gives the check of the vendors the settings and secrets of the service', () => {
    inEach((objects) => {
      const { spec } = find(objects, 'CronJob', 'users-service-doctor').spec.jobTemplate.spec.template;
      const [service] = find(objects, 'Deployment', 'users-service').spec.template.spec.containers;
      const own = spec.containers[0].env.filter(({ name }) => name !== 'NODE_ENV');
      assert.deepEqual([spec.containers[0].envFrom, own], [service.envFrom, service.env]);
    });
  });
});

it('every selector selects a pod, and that of a Service or disruption budget only pods of its own name', () => {
  const selectors = {
    Service: ({ selector }) => ({ matchLabels: selector }),
    PodDisruptionBudget: ({ selector }) => selector,
    NetworkPolicy: ({ podSelector }) => podSelector,
  };
  inEach((objects, environment) => {
    for (const { kind, metadata, spec } of ofKind(objects, ...Object.keys(selectors))) {
      const selected = podTemplates(objects).filter((pod) => selects(selectors[kind](spec), pod.metadata));
      const names = selected.map(({ owner }) => owner.metadata.name);
      assert.ok(names.length > 0, `${environment} ${kind}/${metadata.name}`);
      if (kind !== 'NetworkPolicy') assert.deepEqual(names, [metadata.name]);
    }
  });
});

it('every pod that migrates, serves or runs commands reaches PostgreSQL in development', () => {
  const objects = all.development;
  const policyOf = (name) => find(objects, 'NetworkPolicy', name).spec;
  const [{ from }] = policyOf('postgres').ingress;
  const isLetOut = (pod) => selects(policyOf('stores-for-clients').podSelector, pod.metadata);
  for (const pod of podTemplates(objects).filter(({ spec }) => JSON.stringify(spec).includes('DATABASE_URL')))
    // the check of the vendors only reads the setting
    if (pod.metadata.labels['app.kubernetes.io/component'] !== 'doctor')
      assert.ok(isLetOut(pod) && selects(from[0].podSelector, pod.metadata), nameOf(pod.owner));
});

it('a pod is let in by each pod that it is let out to', () => {
  inEach((objects, environment) => {
    const policies = ofKind(objects, 'NetworkPolicy').map(({ spec }) => spec);
    const pods = podTemplates(objects).map(({ metadata }) => metadata);
    const accept = (source) => (target) =>
      policies.some(
        ({ podSelector, ingress }) =>
          selects(podSelector, target) &&
          peers(ingress, 'from').some((from) => from.podSelector && selects(from.podSelector, source)),
      );
    for (const { podSelector, egress } of policies)
      for (const { podSelector: peer } of peers(egress, 'to').filter((to) => to.podSelector))
        for (const source of pods.filter((pod) => selects(podSelector, pod))) {
          const targets = pods.filter((pod) => selects(peer, pod));
          assert.ok(targets.some(accept(source)), `${environment}: ${JSON.stringify(source.labels)}`);
        }
  });
});

describe('every service', () => {
  it('has probes of its own port', () => {
    eachService((objects, service) => {
      const [container] = find(objects, 'Deployment', service).spec.template.spec.containers;
      const [port] = container.ports;
      assert.equal(String(port.containerPort), find(objects, 'ConfigMap', service).data.PORT);
      assert.equal(find(objects, 'Service', service).spec.ports[0].targetPort, port.name);
      for (const [probe, path] of Object.entries({ startup: 'live', liveness: 'live', readiness: 'ready' }))
        assert.deepEqual(container[`${probe}Probe`].httpGet, { path: `/health/${path}`, port: port.name });
    });
  });

  it('serves throughout a roll-out: starts a new replica first and drains the old one', () => {
    eachService((objects, service) => {
      const { strategy, template } = find(objects, 'Deployment', service).spec;
      assert.equal(strategy.rollingUpdate.maxUnavailable, 0);
      assert.equal(find(objects, 'PodDisruptionBudget', service).spec.maxUnavailable, 1);
      const { SHUTDOWN_DELAY_SECONDS, KEEP_ALIVE_SECONDS } = find(objects, 'ConfigMap', service).data;
      const delay = Number(SHUTDOWN_DELAY_SECONDS);
      assert.ok(template.spec.terminationGracePeriodSeconds >= delay + DRAIN_SECONDS + 5);
      // the replica leaves the rotation before it stops serving
      const { periodSeconds, failureThreshold } = template.spec.containers[0].readinessProbe;
      assert.ok(delay >= periodSeconds * failureThreshold);
      const { timeout } = find(objects, 'BackendTrafficPolicy', service).spec;
      assert.ok(Number.parseInt(timeout.http.connectionIdleTimeout, 10) < Number(KEEP_ALIVE_SECONDS));
    });
  });

  it('divides its limits by the maximum of replicas', () => {
    eachService((objects, service) => {
      const { maxReplicas } = find(objects, 'HorizontalPodAutoscaler', service).spec;
      assert.equal(find(objects, 'ConfigMap', service).data.REPLICAS, String(maxReplicas));
    });
  });
});

describe('the settings of every service', () => {
  before(() => build(SERVICES));

  const secretsOfProduction = {
    ...newSecrets(),
    DATABASE_URL: 'postgres://db.example/fd?sslmode=verify-full',
    REDIS_URL: 'rediss://:its-own-password@redis.example',
    MAIL_SMTP_URL: 'smtps://fd:its-own-password@mail.example',
  };

  it('are known, given once, and accepted by the service', async () => {
    const config = (service, file) => import(join(appFolder(service), 'dist/config', file));
    const { USERS_SETTINGS, usersConfig } = await config('users-service', 'users-config.js');
    const { MASTER_SETTINGS, masterConfig } = await config('master-service', 'master-config.js');
    const known = { 'users-service': USERS_SETTINGS, 'master-service': MASTER_SETTINGS };
    const accept = { 'users-service': usersConfig, 'master-service': masterConfig };
    const examples = parseEnv(read('docker/example.env'));
    inEach((objects, environment) => {
      for (const service of SERVICES) {
        const { given, secret, optionalSecret } = settingsOf(objects, service);
        const names = [...Object.keys(given), ...secret, ...optionalSecret];
        assert.deepEqual(new Set(names).size, names.length, `${environment} ${service}: given twice`);
        assert.deepEqual(
          names.filter((name) => !known[service].includes(name)),
          [],
        );
        const offered = environment === 'development' ? examples : secretsOfProduction;
        const chosen = [...secret, ...optionalSecret.filter((name) => offered[name] !== undefined)];
        const secrets = Object.fromEntries(chosen.map((name) => [name, offered[name]]));
        const { http } = accept[service]({ ...given, ...secrets });
        // only the gateway writes the caller's address
        assert.deepEqual([http.isProduction, http.trustedProxyHops], [environment !== 'development', 1]);
      }
    });
  });

  it('of master-service in development are all in docker/master.env', () => {
    const { secret } = settingsOf(all.development, 'master-service');
    const given = parseEnv(read('docker/master.env'));
    assert.deepEqual(
      secret.filter((name) => given[name] === undefined),
      [],
    );
  });

  it('come from Secrets and keys that docs/kubernetes.md lists', () => {
    const rows = [...read('docs/kubernetes.md').matchAll(/^\| (`[\w-]+-service.*?) *\|.*?\|(.*?)\|/gm)];
    const words = (text) => text.match(/(?<=`)[\w-]+(?=`)/g) ?? [];
    const listed = rows.flatMap(([, names, keys]) =>
      words(names).flatMap((name) =>
        words(keys).flatMap((key) => (/^[A-Z]/.test(key) ? `${name} ${key}` : [])),
      ),
    );
    const containers = podTemplates(all.production).flatMap(({ spec }) => spec.containers);
    const used = containers
      .flatMap(({ env = [] }) => env.filter(({ valueFrom }) => valueFrom?.secretKeyRef))
      .map(({ name, valueFrom: { secretKeyRef } }) => {
        assert.equal(secretKeyRef.key, name);
        return `${secretKeyRef.name} ${name}`;
      });
    assert.deepEqual([...new Set(listed)].sort(), [...new Set(used)].sort());
  });
});

describe('the partners, providers and issuers', () => {
  before(() => build(['users-service']));

  /** Adds ranges like 10.0.0.0/8 to a list. */
  const listOf = (ranges) => {
    const list = new BlockList();
    for (const range of ranges) {
      const [address, bits] = range.split('/');
      list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
    }
    return list;
  };

  it('are reached at the addresses that the service takes for public, and at no others', async () => {
    const { isPublicAddress } = await import(
      join(appFolder('users-service'), 'dist/events/delivery/event-sender.js')
    );
    const ipaddr = createRequire(join(appFolder('users-service'), 'package.json'))('ipaddr.js');
    /** The ends of a range, and the addresses beside it. */
    const edgesOf = (kind, range) => {
      const ends = ['networkAddressFromCIDR', 'broadcastAddressFromCIDR'].map((end) => kind[end](range));
      return ends.flatMap((end, index) => {
        const number = BigInt(`0x${Buffer.from(end.toByteArray()).toString('hex')}`);
        const size = end.toByteArray().length;
        const beside = (number + (index === 0 ? -1n : 1n)) & ((1n << BigInt(8 * size)) - 1n);
        const bytes = Buffer.from(beside.toString(16).padStart(2 * size, '0'), 'hex');
        return [end.toString(), ipaddr.fromByteArray([...bytes]).toString()];
      });
    };
    const special = [ipaddr.IPv4, ipaddr.IPv6].flatMap((kind) =>
      Object.values(kind.prototype.SpecialRanges)
        .flatMap((ranges) => (Array.isArray(ranges[0]) ? ranges : [ranges]))
        .flatMap(([address, bits]) => edgesOf(kind, `${address.toString()}/${bits}`)),
    );
    const unassigned = edgesOf(ipaddr.IPv6, '2000::/3');
    inEach((objects, environment) => {
      for (const name of ['users-service', 'doctor']) {
        const { egress } = find(objects, 'NetworkPolicy', name).spec;
        const blocks = peers(
          egress.filter(({ ports }) => ports.some(({ port }) => port === 443)),
          'to',
        ).map(({ ipBlock: { cidr, except } }) => ({ within: listOf([cidr]), except, not: listOf(except) }));
        const excepted = blocks.flatMap(({ except }) =>
          except.flatMap((range) => edgesOf(range.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4, range)),
        );
        for (const address of [...special, ...unassigned, ...excepted, '8.8.8.8', '2606:4700::1111']) {
          const kind = address.includes(':') ? 'ipv6' : 'ipv4';
          const isReached = blocks.some(
            ({ within, not }) => within.check(address, kind) && !not.check(address, kind),
          );
          assert.equal(isReached, isPublicAddress(address), `${environment} ${name} ${address}`);
        }
      }
    });
  });
});

describe('the environments', () => {
  it('differ between staging and production only in addresses, sizes, settings and release', () => {
    const SIZES = ['minReplicas', 'maxReplicas', 'hostname', 'hostnames', 'image', 'namespace'];
    const comparable = (environment) =>
      JSON.parse(
        JSON.stringify(all[environment], (key, value) => {
          if (SIZES.includes(key)) return undefined;
          if (key === 'data') return Object.keys(value);
          return key === 'name' ? unhashed(value).replace(`fd-${environment}`, 'fd') : value;
        }),
      );
    assert.deepEqual(comparable('staging'), comparable('production'));
  });

  it('include stores, the sandbox and calls from any page only in development', () => {
    inEach((objects, environment) => {
      const isDevelopment = environment === 'development';
      const names = podTemplates(objects).flatMap(({ spec }) => spec.containers.map(({ name }) => name));
      for (const name of ['postgres', 'redis', 'sandbox']) assert.equal(names.includes(name), isDevelopment);
      for (const service of SERVICES)
        assert.equal(settingsOf(objects, service).given.CORS_ORIGINS === '*', isDevelopment);
    });
  });
});

describe('the gateway', () => {
  it('serves the addresses of the services over TLS only, and limits each route', () => {
    inEach((objects) => {
      const { listeners } = find(objects, 'Gateway', 'deposits').spec;
      const limited = ofKind(objects, 'BackendTrafficPolicy').flatMap(({ spec }) =>
        spec.rateLimit ? spec.targetRefs.map(({ name }) => name) : [],
      );
      for (const { metadata, spec } of ofKind(objects, 'HTTPRoute')) {
        const { protocol, hostname } = listeners.find(({ name }) => name === spec.parentRefs[0].sectionName);
        const isServed = spec.rules.some(({ backendRefs }) => backendRefs);
        assert.deepEqual(
          [protocol, spec.hostnames, limited.includes(metadata.name)],
          isServed ? ['HTTPS', [hostname], true] : ['HTTP', undefined, false],
          metadata.name,
        );
      }
      const [hostname] = find(objects, 'HTTPRoute', 'users-service').spec.hostnames;
      assert.equal(find(objects, 'ConfigMap', 'users-service').data.JWT_ISSUER, `https://${hostname}`);
    });
  });

  it('routes every call of the API, preflights without a token, and nothing for operators', () => {
    for (const service of SERVICES) {
      const routes = ofKind(all.production, 'HTTPRoute').filter(({ metadata }) =>
        metadata.name.startsWith(service),
      );
      const matches = routes.flatMap(({ spec }) => spec.rules[0].matches);
      const isRouted = (path) =>
        matches.some(
          ({ path: { type, value } }) => path === value || (type !== 'Exact' && path.startsWith(`${value}/`)),
        );
      const { paths } = readJson(`docs/openapi/${service}.json`);
      for (const path of [...Object.keys(paths), '/openapi.json', '/docs', '/metrics', '/health/ready'])
        assert.equal(isRouted(path), !/^\/(health|metrics)/.test(path), path);
    }
    const matchesOf = (name) => find(all.production, 'HTTPRoute', name).spec.rules[0].matches;
    const preflights = matchesOf('users-service-open').filter(({ method }) => method === 'OPTIONS');
    const paths = (matches) => matches.map(({ path }) => path);
    assert.deepEqual(paths(preflights), paths(matchesOf('users-service')));
  });

  it("answers by itself like HAProxy, and limits connections to HAProxy's number", () => {
    const config = read('deploy/haproxy/gateway.cfg');
    const frontends = config.split(/^frontend /m);
    inEach((objects) => {
      for (const service of SERVICES) {
        const frontend = frontends.find((text) => text.includes(`default_backend ${service}\n`));
        const { responseOverride } = find(objects, 'BackendTrafficPolicy', service).spec;
        // without it, answers of the service with these statuses would be replaced
        for (const { source } of responseOverride) assert.equal(source, 'Local');
        const unknown = find(objects, 'HTTPRouteFilter', `${service}-unknown-call`).spec.directResponse;
        const answers = responseOverride.map(({ match, response }) => [match.statusCodes[0].value, response]);
        for (const [status, { contentType, header, body }] of [...answers, [unknown.statusCode, unknown]]) {
          // HAProxy sets the first two on all answers
          const own = header.set.slice(2).map(({ name, value }) => ` hdr ${name} ${value}`);
          const text = `status ${status} content-type "${contentType}"${own.join('')} string '${body.inline}'`;
          assert.ok(frontend.includes(text), `${service}: ${text}`);
        }
      }
      const { connection } = find(objects, 'ClientTrafficPolicy', 'deposits').spec;
      assert.equal(String(connection.connectionLimit.value), /^ +maxconn (\d+)$/m.exec(config)[1]);
    });
  });
});
