// Validates Kubernetes objects with the schemas of their kinds.

/** Packages with the kinds of API groups; all others are Kubernetes' own. */
const PACKAGES = {
  'cert-manager.io': '@kubernetes-models/cert-manager',
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'gateway.envoyproxy.io': '@kubernetes-models/envoy-gateway',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

/** Fields that the packages lack: new in Envoy Gateway 1.8. deploy/manifests.system.mjs checks their values. */
const NEWER_FIELDS = { BackendTrafficPolicy: /^\/spec\/responseOverride\/\d+\/source$/ };

/** A proxy of VALUE that adds the path of each accessed field to SEEN. */
function watched(value, seen, path = '') {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      const isOwn = Object.hasOwn(target, key);
      const at = `${path}/${String(key)}`;
      if (isOwn) seen.add(at);
      return isOwn ? watched(target[key], seen, at) : Reflect.get(target, key);
    },
  });
}

function* pathsOf(value, path = '') {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield `${path}/${key}`;
    yield* pathsOf(inner, `${path}/${key}`);
  }
}

/**
 * ObjectStore of CloudNativePG's Barman Cloud plugin, which no package has: its configuration and retention are those of a
 * Cluster's backup, its sidecar has the resources of a container.
 */
async function problemsOfObjectStore({ metadata, spec }) {
  const { configuration, retentionPolicy, instanceSidecarConfiguration: sidecar, ...unknown } = spec;
  const backup = { barmanObjectStore: configuration, retentionPolicy };
  const cluster = { instances: 1, storage: { size: '1Gi' }, backup };
  const containers = [{ name: 'sidecar', ...sidecar }];
  return [
    ...Object.keys(unknown).map((name) => `/spec/${name} is an unknown field`),
    ...(await problemsOf({ apiVersion: 'postgresql.cnpg.io/v1', kind: 'Cluster', metadata, spec: cluster })),
    ...(await problemsOf({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } })),
  ];
}

/**
 * Returns the errors of OBJECT as sentences. The schemas ignore unknown fields, such as misspelt ones; fields that they never
 * access are therefore errors too.
 */
export async function problemsOf(object) {
  const { apiVersion, kind } = object;
  if (kind === 'ObjectStore') return problemsOfObjectStore(object);
  const models = await import(`${PACKAGES[apiVersion.split('/')[0]] ?? 'kubernetes-models'}/${apiVersion}`);
  if (!models[kind]) throw new Error(`${apiVersion} has no ${kind}`);
  const seen = new Set();
  try {
    models[kind].prototype.validate.call(watched(object, seen));
  } catch (error) {
    return [error.message];
  }
  const isKnown = (path) => seen.has(path) || NEWER_FIELDS[kind]?.test(path);
  return [...pathsOf(object)].filter((path) => !isKnown(path)).map((path) => `${path} is an unknown field`);
}
