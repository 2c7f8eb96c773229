import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { timeLimit } from '@fd/envelope';
import { z } from 'zod';
import { isPublished, isWeak, parsed, WEAK_IN_PRODUCTION, WEAK_PASSWORD_IN_PRODUCTION } from './secrets.js';
import { isDecodable, isPostgresDecodable, isPostgresEncrypted, NOT_DECODABLE } from './store-urls.js';

const int = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number(error).int(error).min(min, error).max(max, error);
};
const isUrl = (value: string, protocols: readonly string[]): boolean =>
  URL.canParse(value) && protocols.includes(new URL(value).protocol);

const url = (...protocols: string[]) => {
  const error = `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  return z.string().refine((value) => isUrl(value, protocols), error);
};

const redisUrls = parsed(
  'must be a URL that begins with redis:// or rediss://, or several of them separated by commas',
  (list) => {
    // passwords may contain commas: only a comma before another URL separates
    const urls = list.split(/,(?=\s*rediss?:\/\/)/i).map((url) => url.trim());
    return urls.every((url) => isUrl(url, ['redis:', 'rediss:'])) ? urls : undefined;
  },
)
  .refine((urls) => urls.every(isDecodable), NOT_DECODABLE)
  // ioredis reads options from it, also one that disables TLS
  .refine((urls) => urls.every((url) => !/[?#]/.test(url)), 'must have no query');

/** Allowed query parameters of a PostgreSQL URL. Others could lift the limits of statements. */
const DATABASE_QUERY = 'host port ssl sslmode sslrootcert sslcert sslkey uselibpqcompat'.split(' ');

const databaseUrl = url('postgres:', 'postgresql:')
  .refine(isPostgresDecodable, NOT_DECODABLE)
  .refine(
    (text) =>
      !URL.canParse(text) ||
      [...new URL(text).searchParams.keys()].every((name) => DATABASE_QUERY.includes(name)),
    `must have only ${DATABASE_QUERY.join(', ')} after ?`,
  );

const sentinels = parsed('must be hosts, each with a port unless it is 26379, separated by commas', (list) =>
  list.split(',').map((text) => {
    const [, host, port = '26379'] = /^(\[[\da-f:]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(text.trim())!;
    return { host: host!.replace(/^\[|\]$/g, ''), port: Number(port) };
  }),
);

const certificates = parsed('must be a file of certificates (PEM) that can be read', (file) => {
  const text = readFileSync(file, 'utf8');
  new X509Certificate(text);
  return text;
});

const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '');

const flag = () =>
  z
    .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error: 'must be true or false' })
    .default(false);

/** Common parts of settings schemas: bounded whole numbers, URLs of certain protocols, switches (off by default). */
export const setting = { int, url, flag } as const;

const partsOf = (list: string): string[] => list.split(',').flatMap((part) => part.trim() || []);

/** `true` allows any origin. */
const origins = parsed('must be * or origins such as https://app.example, separated by commas', (list) => {
  if (list.trim() === '*') return true;
  const parts = partsOf(list);
  return parts.every((origin) => new URL(origin).origin === origin) ? parts : undefined;
});

/** By the OpenTelemetry specification: values may be percent-encoded. */
const attributes = parsed('must be key=value pairs, separated by commas', (list) =>
  Object.fromEntries(
    partsOf(list).map((pair) => {
      const [, key, value] = /^([\w.-]+)\s*=(.*)$/s.exec(pair)!;
      return [key!, decodeURIComponent(value!.trim())];
    }),
  ),
);

const NO_SHARE = 'must be a number from 0 to 1';

/** Settings of every process with an HTTP port; docs/settings.md says what each of all settings is for. */
export const httpSettings = {
  NODE_ENV: z
    .enum(['development', 'test', 'production'], 'must be development, test or production')
    .default('development'),
  HOST: z.string().optional(),
  NODE_TLS_REJECT_UNAUTHORIZED: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  TRUSTED_PROXY_HOPS: int(0, 10).default(0),
  SHUTDOWN_DELAY_SECONDS: int(0, 60).optional(),
  BODY_LIMIT_BYTES: int(1_024, 1_048_576).default(65_536),
  CORS_ORIGINS: origins.optional(),
  KEEP_ALIVE_SECONDS: int(1, 600).default(75),
  MAX_CONNECTIONS: int(1, 100_000).default(2_000),
  MAX_CONNECTIONS_PER_ADDRESS: int(1, 100_000).optional(),
  CONNECTION_SILENCE_SECONDS: int(1, 600).default(30),
  MAX_REQUESTS_IN_FLIGHT: int(1, 10_000).default(100),
  MAX_EVENT_LOOP_DELAY_MS: int(10, 10_000).default(200),
  TIME_LIMIT_FACTOR: int(1, 100).default(1),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http:', 'https:').transform(withoutSlash).optional(),
  OTEL_RESOURCE_ATTRIBUTES: attributes.prefault(''),
  SERVICE_VERSION: z
    .string()
    .regex(/^[\w.+-]{1,64}$/, 'must be a version')
    .default('0.0.0'),
  GUIDE_URL: url('http:', 'https:').transform(withoutSlash).optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number(NO_SHARE).min(0, NO_SHARE).max(1, NO_SHARE).default(0.1),
  TRACE_PARENT_ACCEPTED: flag(),
} as const;

export const storeSettings = {
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: int(1, 100).default(10),
  DATABASE_POOLER: z.enum(['none', 'transaction'], 'must be none or transaction').default('none'),
  REDIS_URL: redisUrls,
  REDIS_CLUSTER: flag(),
  REDIS_SENTINELS: sentinels.optional(),
  REDIS_SENTINEL_PASSWORD: z.string().min(1).optional(),
  REDIS_CA_FILE: certificates.optional(),
  PRIVATE_NETWORK: flag(),
  /** Without braces, which would select the slot of a cluster; our keys do that themselves. */
  REDIS_KEY_PREFIX: z
    .string()
    .max(40)
    .regex(/^[^{}]*$/, 'must have no braces')
    .default('fd:'),
  RATE_LIMIT_PER_MINUTE: int(1, 1_000_000).default(3_000),
  REPLICAS: int(1, 1_000).default(1),
} as const;

/** Several nodes form one cluster: equal protocol and credentials, no database number. */
function hasFittingRedis({ REDIS_URL: urls = [], REDIS_CLUSTER: isCluster }: Given): boolean {
  if (isCluster !== true) return urls.length <= 1;
  const nodes = urls.map((url) => new URL(url));
  const ways = new Set(nodes.map(({ protocol, username, password }) => `${protocol}${username}:${password}`));
  return ways.size <= 1 && nodes.every(({ pathname }) => ['', '/', '/0'].includes(pathname));
}

type Settings = z.output<z.ZodObject<typeof httpSettings & typeof storeSettings>> & {
  readonly MIGRATIONS_DATABASE_URL: string;
};

/** Settings for rules over several of them: some may be missing or invalid, which is reported separately. */
export type Given = { readonly [Name in keyof Settings]?: Settings[Name] | undefined };

/** A setting that does not go with others, and what it must be. */
export type Problem = readonly [name: string, message: string];

/**
 * The schema with a check of settings together. It runs even if single settings are invalid, to report all problems at once.
 * @param problemsOf gets settings of which some may be missing or invalid
 */
export const checkedTogether = <S extends z.ZodType>(
  schema: S,
  problemsOf: (given: Partial<z.output<S>>) => Iterable<Problem>,
): S =>
  schema.superRefine(
    (given, context) => {
      for (const [name, message] of problemsOf(given))
        context.addIssue({ code: 'custom', path: [name], message });
    },
    { when: () => true },
  );

/** The password in a URL; empty without one. */
export function passwordIn(url: string): string {
  if (!URL.canParse(url)) return '';
  const { password } = new URL(url);
  return isDecodable(password) ? decodeURIComponent(password) : password;
}

/** Problems of a password in production. @param weak the message for a weak one */
export function* passwordProblems(name: string, password: string, weak = WEAK_PASSWORD_IN_PRODUCTION) {
  if (isPublished(password)) yield [name, PUBLISHED_IN_PRODUCTION] as const;
  if (isWeak(password)) yield [name, weak] as const;
}

export const PUBLISHED_IN_PRODUCTION = 'is or has a published example, which is refused in production';

const withoutTls = (name: string, way: string): Problem => [
  name,
  `must use TLS in production (${way}), unless PRIVATE_NETWORK=true says that the network is private`,
];

export function* databaseProblems(given: Given): Iterable<Problem> {
  if (given.NODE_ENV !== 'production') return;
  for (const name of ['DATABASE_URL', 'MIGRATIONS_DATABASE_URL'] as const) {
    const { [name]: url } = given;
    if (url === undefined) continue;
    if (!given.PRIVATE_NETWORK && !isPostgresEncrypted(url)) yield withoutTls(name, 'sslmode=verify-full');
    // certificates need no password
    if (passwordIn(url)) yield* passwordProblems(name, passwordIn(url));
  }
  if (given.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    yield ['NODE_TLS_REJECT_UNAUTHORIZED', 'must not be 0 in production: any certificate would be trusted'];
}

export function* commonProblems(given: Given): Iterable<Problem> {
  const { REDIS_SENTINELS, REDIS_SENTINEL_PASSWORD, MAX_CONNECTIONS_PER_ADDRESS = 1 } = given;
  yield* databaseProblems(given);
  if (!hasFittingRedis(given))
    yield [
      'REDIS_URL',
      'must be one URL, or with REDIS_CLUSTER=true those of nodes with the same protocol, user and password and no database number',
    ];
  if (given.REDIS_CLUSTER && REDIS_SENTINELS)
    yield ['REDIS_SENTINELS', 'must not be set with REDIS_CLUSTER=true'];
  if (REDIS_SENTINEL_PASSWORD !== undefined && REDIS_SENTINELS === undefined)
    yield ['REDIS_SENTINELS', 'must be set with REDIS_SENTINEL_PASSWORD'];
  if (MAX_CONNECTIONS_PER_ADDRESS > (given.MAX_CONNECTIONS ?? Infinity))
    yield ['MAX_CONNECTIONS_PER_ADDRESS', 'must not be more than MAX_CONNECTIONS'];
  if (given.NODE_ENV === 'production') yield* productionProblems(given);
}

function* productionProblems(given: Given): Iterable<Problem> {
  const { REDIS_URL: redis = [], REDIS_SENTINELS, CORS_ORIGINS } = given;
  // as ioredis compares it: only in lower case
  if (!given.PRIVATE_NETWORK && redis.some((url) => !url.startsWith('rediss://')))
    yield withoutTls('REDIS_URL', 'rediss://');
  // everyone in the network could change counters of tries
  for (const url of redis) yield* passwordProblems('REDIS_URL', passwordIn(url));
  if (REDIS_SENTINELS !== undefined) {
    const { REDIS_SENTINEL_PASSWORD: password = '' } = given;
    yield* passwordProblems('REDIS_SENTINEL_PASSWORD', password, WEAK_IN_PRODUCTION);
  }
  if ((given.TIME_LIMIT_FACTOR ?? 1) !== 1) yield ['TIME_LIMIT_FACTOR', 'is refused in production'];
  if (CORS_ORIGINS === true) yield ['CORS_ORIGINS', 'must name its origins in production: * is refused'];
  else if (CORS_ORIGINS?.some((origin) => origin.startsWith('http:')))
    yield ['CORS_ORIGINS', 'must be https in production'];
}

type HttpSettings = z.output<z.ZodObject<typeof httpSettings>> & { readonly PORT: number };
type StoreSettings = z.output<z.ZodObject<typeof storeSettings>>;

export type HttpConfig = Readonly<ReturnType<typeof httpConfig>>;
type StoreConfig = ReturnType<typeof storeConfig>;
export interface DatabaseConfig {
  readonly url: string;
  readonly poolSize: number;
  /** Behind a transaction pooler, where the role has the limits. */
  readonly isPooled?: boolean;
  /** Whether the service refuses a role with more rights than it needs. */
  readonly isRoleChecked?: boolean;
}
export type RedisConfig = Readonly<StoreConfig['redis']>;
export type RateLimitConfig = Readonly<StoreConfig['rateLimit']>;

export function httpConfig(settings: HttpSettings) {
  const isProduction = settings.NODE_ENV === 'production';
  return {
    isProduction,
    // on a developer's machine no one else can reach it
    host: settings.HOST ?? (isProduction ? '0.0.0.0' : '127.0.0.1'),
    port: settings.PORT,
    logLevel: settings.LOG_LEVEL,
    process: processOf(settings),
    trustedProxyHops: settings.TRUSTED_PROXY_HOPS,
    shutdownDelaySeconds: settings.SHUTDOWN_DELAY_SECONDS ?? (isProduction ? 5 : 0),
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    keepAliveSeconds: settings.KEEP_ALIVE_SECONDS,
    maxConnections: settings.MAX_CONNECTIONS,
    /** Undefined behind a proxy, which holds the connections of all clients. */
    maxConnectionsPerAddress:
      settings.TRUSTED_PROXY_HOPS > 0
        ? undefined
        : (settings.MAX_CONNECTIONS_PER_ADDRESS ?? Math.ceil(settings.MAX_CONNECTIONS / 5)),
    connectionSilenceSeconds: timeLimit(settings.CONNECTION_SILENCE_SECONDS),
    load: {
      maxRequestsInFlight: settings.MAX_REQUESTS_IN_FLIGHT,
      maxEventLoopDelayMs: timeLimit(settings.MAX_EVENT_LOOP_DELAY_MS),
    },
    guideUrl: settings.GUIDE_URL,
    tracing: tracingConfig(settings),
    /** `true` allows any, an empty list none. */
    corsOrigins: settings.CORS_ORIGINS ?? (isProduction ? [] : true),
  };
}

/** Identity of this process in logs, metrics and traces. */
function processOf({ SERVICE_VERSION: version, OTEL_RESOURCE_ATTRIBUTES: given }: HttpSettings) {
  // in a pod the name of the host is the pod's
  const pod = given['k8s.pod.name'] ?? hostname();
  return { version, pod, attributes: { 'service.version': version, 'k8s.pod.name': pod, ...given } };
}

function tracingConfig(settings: HttpSettings) {
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { OTEL_TRACES_SAMPLER_ARG: ratio, TRACE_PARENT_ACCEPTED: isParentAccepted } = settings;
  return { endpoint, ratio, isParentAccepted };
}

export function storeConfig(settings: StoreSettings & Pick<HttpSettings, 'NODE_ENV'>) {
  return {
    database: {
      url: settings.DATABASE_URL,
      poolSize: settings.DATABASE_POOL_SIZE,
      isPooled: settings.DATABASE_POOLER === 'transaction',
      isRoleChecked: settings.NODE_ENV === 'production',
    },
    redis: {
      urls: settings.REDIS_URL,
      isCluster: settings.REDIS_CLUSTER,
      sentinels: settings.REDIS_SENTINELS,
      sentinelPassword: settings.REDIS_SENTINEL_PASSWORD,
      /** CA certificates (PEM) of Redis; undefined: Node.js's own. */
      ca: settings.REDIS_CA_FILE,
      keyPrefix: settings.REDIS_KEY_PREFIX,
    },
    rateLimit: { perMinute: settings.RATE_LIMIT_PER_MINUTE, replicas: settings.REPLICAS },
  };
}
