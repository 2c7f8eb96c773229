import { atLimit, timeLimit } from '@fd/envelope';
import { Cluster, type Command, type CommonRedisOptions, Redis, type RedisOptions } from 'ioredis';
import type { RedisConfig } from '../config/common-settings.js';
import type { StoreCalls } from '../observability/store-calls.js';
import { isUnknownScript } from './redis-script.js';

/** One server (or a primary behind one address), or a cluster. Both take the same commands. */
export type RedisClient = Redis | Cluster;

const COMMAND_MS = timeLimit(200);
const CONNECT_MS = timeLimit(1_000);
const TOTAL_SLOTS = 16_384;
/** Then the client drops the node until the cluster reports it again; without any node it returns to the configured ones. */
const MAX_NODE_ATTEMPTS = 5;

const reconnectDelay = (attempt: number): number => Math.min(attempt * 100, 2_000);

const CONNECTION: Partial<CommonRedisOptions> = {
  connectTimeout: CONNECT_MS,
  // silence on a connection with open commands: a vanished host closes nothing. Longer than the deadline of a request, since a
  // process that was paused drops a working connection after this time, and fails all calls until it has another one
  socketTimeout: timeLimit(2_000),
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // Redis before 7.2 does not know CLIENT SETINFO: each connection would count a failed command
  disableClientInfo: true,
  // a former primary keeps its connections: only a new one reaches the new primary at the same address
  reconnectOnError: ({ message }) => message.startsWith('READONLY'),
};

/**
 * A client with little cost for requests while Redis is slow or away: commands are not queued or repeated, and time out
 * after 200 ms. It reconnects for ever, at most two seconds apart.
 */
export const redisClient = (config: RedisConfig, calls: StoreCalls): RedisClient =>
  bounded(clientOf(config), calls);

function clientOf(config: RedisConfig): RedisClient {
  const { urls, isCluster, keyPrefix } = config;
  const common = { keyPrefix, lazyConnect: true, enableOfflineQueue: false };
  const access = accessOf(config);
  if (!isCluster) {
    const options = { ...CONNECTION, ...access, ...common, retryStrategy: reconnectDelay };
    if (!config.sentinels) return new Redis(urls[0]!, options);
    const { hostname: name, pathname } = new URL(urls[0]!);
    return new Redis({ ...options, ...sentinelsOf(config, access), name, db: Number(pathname.slice(1)) });
  }
  return new Cluster([...urls], {
    ...common,
    clusterRetryStrategy: reconnectDelay,
    clusterNodeRetryStrategy: (attempt) => (attempt > MAX_NODE_ATTEMPTS ? null : reconnectDelay(attempt)),
    // a command to a dead node fails at once instead of waiting for its successor
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: COMMAND_MS / 4,
    // a command that follows moving slots is still bound by its 200 ms
    maxRedirections: 4,
    // interval at which failovers and moved slots are noticed without traffic
    slotsRefreshInterval: 2_000,
    // keeps host names, for certificates and for nodes that return with another address
    dnsLookup: (name, done) => done(null, name),
    redisOptions: { ...CONNECTION, ...access },
  });
}

/** Credentials and TLS of every node, also of those discovered by a cluster or sentinels. */
function accessOf({ urls, ca }: RedisConfig): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  const { protocol, username, password } = new URL(urls[0]!);
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: { ...(ca !== undefined && { ca }) } }),
  };
}

function sentinelsOf(
  { sentinels, sentinelPassword }: RedisConfig,
  { tls }: Pick<RedisOptions, 'tls'>,
): Partial<RedisOptions> {
  return {
    sentinels: sentinels?.map((address) => ({ ...address })),
    sentinelRetryStrategy: reconnectDelay,
    sentinelCommandTimeout: CONNECT_MS,
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(tls && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
    // a disconnected primary sends nothing: the sentinels report its successor
    failoverDetector: true,
  };
}

/** Resolves when all of Redis can be used. @throws if it is down, or any slot of a cluster is */
export async function checkRedis(redis: RedisClient): Promise<void> {
  if (!(redis instanceof Cluster)) return void (await redis.ping());
  const [info] = await Promise.all([
    redis.cluster('INFO'),
    ...redis.nodes('master').map((node) => node.ping()),
  ]);
  if (!String(info).includes(`cluster_slots_ok:${TOTAL_SLOTS}`)) throw new Error('slots are not served');
}

/**
 * Ends every command of CLIENT after 200 ms, and measures it by its name. Replaces the client's `commandTimeout`, which also
 * fails commands whose answers came while the process was blocked or paused: see `atLimit`.
 */
function bounded(client: RedisClient, calls: StoreCalls): RedisClient {
  const send = client.sendCommand.bind(client) as (...args: unknown[]) => unknown;
  client.sendCommand = (command: Command, ...rest: unknown[]): unknown => {
    const end = calls.begin('redis', command.name);
    const cancel = atLimit(() => command.reject(new Error('Command timed out')), COMMAND_MS);
    const result = send(command, ...rest);
    (command as unknown as { promise: Promise<unknown> }).promise.then(
      () => {
        cancel();
        end('ok');
      },
      (error: unknown) => {
        cancel();
        end(isUnknownScript(error) ? 'ok' : 'failed');
      },
    );
    return result;
  };
  return client;
}
