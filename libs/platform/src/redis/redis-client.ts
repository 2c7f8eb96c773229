import { createHash } from 'node:crypto';
import { atLimit, timeLimit } from '@fd/envelope';
import { isError } from '@fd/errors';
import { Cluster, type Command, type CommonRedisOptions, Redis, type RedisOptions } from 'ioredis';
import type { RedisConfig } from '../config/common-settings.js';
import { NETWORK_CODES } from '../database/database-errors.js';
import type { StoreCalls } from '../observability/store-calls.js';

/** One server (or a primary behind one address), or a cluster. Both take the same commands. */
export type RedisClient = Redis | Cluster;

const COMMAND_MS = timeLimit(200);
const CONNECT_MS = timeLimit(1_000);
const TOTAL_SLOTS = 16_384;
/** Then the client drops the node until the cluster reports it again; without any node it returns to the configured ones. */
const MAX_NODE_ATTEMPTS = 5;

/** Error replies that mean "not now": loading, failing over, a replica, out of memory or of disk. */
const UNAVAILABLE_REPLY =
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|MISCONF|NOREPLICAS|OOM|BUSY|UNBLOCKED)\b/;

/** Messages of the client without a code: for one server, then for a cluster without usable nodes or with a redirection loop. */
const UNAVAILABLE_MESSAGES = [
  /Command timed out|Connection is closed|connection close|Stream isn't writeable|Reached the max retries|connect ETIMEDOUT|Connection is in subscriber mode/i,
  /Cluster isn't ready|Cluster is ended|None of startup nodes is available|Failed to refresh slots cache|Too many Cluster redirections/i,
];

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
    const note = (error?: unknown): void => {
      cancel();
      end(error === undefined || isUnknownScript(error) ? 'ok' : 'failed');
    };
    const result = send(command, ...rest);
    (command as unknown as { promise: Promise<unknown> }).promise.then(() => note(), note);
    return result;
  };
  return client;
}

/** Whether an error of the Redis client means that Redis cannot serve us now. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!isError(error)) return false;
  return (
    NETWORK_CODES.includes((error as NodeJS.ErrnoException).code ?? '') ||
    error.name === 'MaxRetriesPerRequestError' ||
    UNAVAILABLE_MESSAGES.some((message) => message.test(error.message)) ||
    (error.name === 'ReplyError' && UNAVAILABLE_REPLY.test(error.message))
  );
}

type Arguments = readonly (string | number)[];

/**
 * A Lua script. Calls send its digest, which saves Redis reading and hashing the text each time. A server that does not
 * know the script (new, restarted, or after a failover) then gets its text.
 */
export class RedisScript {
  private readonly digest: string;

  constructor(private readonly text: string) {
    // Redis identifies scripts by SHA-1
    this.digest = createHash('sha1').update(text).digest('hex');
  }

  /** @param keys all in one slot */
  async run(redis: RedisClient, keys: readonly string[], args: Arguments): Promise<unknown> {
    try {
      return await redis.evalsha(this.digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return this.runAsText(redis, keys, args);
    }
  }

  /** For scripts that must run even if the NOSCRIPT answer comes too late. */
  async runAsText(redis: RedisClient, keys: readonly string[], args: Arguments): Promise<unknown> {
    return redis.eval(this.text, keys.length, ...keys, ...args);
  }
}

/** Not a failure: run() then sends the script's text. */
const isUnknownScript = (error: unknown): boolean => isError(error) && error.message.startsWith('NOSCRIPT');
