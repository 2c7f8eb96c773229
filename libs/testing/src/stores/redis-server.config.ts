import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from '../eventually.js';
import { freePort } from '../processes/free-port.js';

/** Servers end with the test process, even if it is killed. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** PEM files: a server's certificate and key, and the authority's certificate. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

interface RedisKind {
  readonly isSentinel?: boolean;
  /** Undefined: without TLS. */
  readonly tls?: TlsFiles | undefined;
}

/** A Redis process for one test, on 127.0.0.1, which the test may kill, freeze, empty and make a replica. */
export class RedisServer {
  private child: ChildProcess | undefined;
  private readonly folder = mkdtempSync(join(tmpdir(), 'redis-'));

  private constructor(
    readonly port: number,
    private readonly options: readonly string[],
    private readonly kind: RedisKind = {},
  ) {}

  /** @param settings lines of its configuration file, which it rewrites */
  static async startSentinel(
    settings: readonly string[],
    password: string,
    tls?: TlsFiles,
  ): Promise<RedisServer> {
    const kind = { isSentinel: true, tls };
    const server = new RedisServer(await freePort(), ['--requirepass', password], kind);
    writeFileSync(server.sentinelFile, settings.map((line) => `${line}\n`).join(''));
    await server.start();
    return server;
  }

  /** @param options command-line options, such as `--maxmemory 2mb` */
  static async start(...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options);
    await server.start();
    return server;
  }

  /** @param options as in `start` */
  static async startWithTls(tls: TlsFiles, ...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options, { tls });
    await server.start();
    return server;
  }

  get url(): string {
    const at = this.options.indexOf('--requirepass');
    const password = at < 0 ? '' : `:${this.options[at + 1]}@`;
    return `${this.kind.tls ? 'rediss' : 'redis'}://${password}127.0.0.1:${this.port}`;
  }

  private get sentinelFile(): string {
    return join(this.folder, 'sentinel.conf');
  }

  /** Starts the program (again) without former data, and waits until it answers. */
  async start(): Promise<void> {
    const program = process.env['FD_TEST_REDIS_PROGRAM'];
    if (!program) throw new Error('FD_TEST_REDIS_PROGRAM is not set: run the tests with npm test or nx test');
    const { isSentinel, tls } = this.kind;
    const kind = isSentinel ? [this.sentinelFile, '--sentinel'] : ['--save', '', '--appendonly', 'no'];
    const port = tls ? tlsOptions(tls, this.port) : ['--port', String(this.port)];
    const place = [...port, '--bind', '127.0.0.1', '--dir', this.folder];
    const child = spawn(program, [...kind, ...place, ...this.options], { stdio: 'ignore' });
    running.add(child);
    child.once('exit', () => running.delete(child));
    this.child = child;
    await eventually(async () => expect(await this.command('PING')).toBe('PONG'));
  }

  /** Kills it, like a failing machine. */
  async kill(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Stops it without closing connections. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** Uses a separate connection. */
  async command(name: string, ...args: (string | number)[]): Promise<unknown> {
    const tls = this.kind.tls && { tls: { ca: readFileSync(this.kind.tls.ca), rejectUnauthorized: false } };
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null, ...tls });
    client.on('error', () => undefined); // connect() reports it too
    await client.connect();
    try {
      return await client.call(name, ...args.map(String));
    } finally {
      client.disconnect();
    }
  }

  async follow(primary: RedisServer): Promise<void> {
    await this.command('REPLICAOF', '127.0.0.1', primary.port);
    await eventually(async () =>
      expect(await this.command('INFO', 'replication')).toContain('master_link_status:up'),
    );
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const tlsOptions = ({ certificate, key, ca }: TlsFiles, port: number): string[] => [
  ...['--port', '0', '--tls-port', String(port), '--tls-replication', 'yes', '--tls-auth-clients', 'no'],
  ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', ca],
];

/** Milliseconds after which sentinels consider a node failed. */
const NODE_TIMEOUT_MS = 1_000;
/** The same for the nodes of a cluster: a busy machine fails none, and a test calls before a replica takes over. */
const FAIL_OVER_MS = 5_000;
/** The same where no replica could take over: a busy machine must not fail a node. */
const LONG_NODE_TIMEOUT_MS = 60_000;
const SLOTS = 16_384;

/** A Redis Cluster of three primaries, optionally each with a replica. */
export class RedisCluster {
  private constructor(
    readonly primaries: readonly RedisServer[],
    readonly replicas: readonly RedisServer[],
  ) {}

  static async start({ hasReplicas = false } = {}): Promise<RedisCluster> {
    const timeoutMs = hasReplicas ? FAIL_OVER_MS : LONG_NODE_TIMEOUT_MS;
    const start = () => Promise.all([1, 2, 3].map(() => startNode(timeoutMs)));
    const primaries = await start();
    const replicas = hasReplicas ? await start() : [];
    const cluster = new RedisCluster(primaries, replicas);
    await cluster.join();
    return cluster;
  }

  /** URL of the first node, where a client begins. */
  get url(): string {
    return this.primaries[0]!.url;
  }

  /** Waits until all nodes report that all slots are served. */
  async settle(nodes: readonly RedisServer[] = this.nodes): Promise<void> {
    await eventually(async () => {
      for (const node of nodes) {
        const info = await node.command('CLUSTER', 'INFO');
        expect(info).toContain('cluster_state:ok');
        expect(info).toContain('cluster_slots_ok:16384');
      }
    });
  }

  /** The primary of a key. */
  async primaryOf(key: string): Promise<RedisServer> {
    const slot = Number(await this.primaries[0]!.command('CLUSTER', 'KEYSLOT', key));
    return this.primaries[Math.floor(slot / share(this.primaries.length))]!;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  private get nodes(): RedisServer[] {
    return [...this.primaries, ...this.replicas];
  }

  private async join(): Promise<void> {
    const [first, ...others] = this.nodes;
    const size = share(this.primaries.length);
    for (const [i, node] of this.primaries.entries()) {
      const last = i === this.primaries.length - 1 ? SLOTS - 1 : (i + 1) * size - 1;
      await node.command('CLUSTER', 'ADDSLOTSRANGE', i * size, last);
    }
    for (const [i, node] of this.nodes.entries()) await node.command('CLUSTER', 'SET-CONFIG-EPOCH', i + 1);
    for (const node of others) {
      const busPort = Number(((await node.command('CONFIG', 'GET', 'cluster-port')) as string[])[1]);
      await first!.command('CLUSTER', 'MEET', '127.0.0.1', node.port, busPort);
    }
    await this.settle();
    for (const [i, replica] of this.replicas.entries()) {
      const id = await this.primaries[i]!.command('CLUSTER', 'MYID');
      await eventually(() => replica.command('CLUSTER', 'REPLICATE', String(id)));
      await eventually(async () =>
        expect(await replica.command('INFO', 'replication')).toContain('master_link_status:up'),
      );
    }
  }
}

const share = (primaries: number): number => Math.ceil(SLOTS / primaries);

async function startNode(timeoutMs: number): Promise<RedisServer> {
  return RedisServer.start(
    ...['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())],
    ...['--cluster-node-timeout', String(timeoutMs)],
    // a restarted node has no data to hand over, and may join at once
    ...['--cluster-replica-validity-factor', '0', '--repl-diskless-sync-delay', '0'],
  );
}

/** Three sentinels with a password and a quorum of two. */
export class RedisSentinels {
  static readonly PRIMARY = 'deposits';
  static readonly PASSWORD = 'of-the-sentinels';

  private constructor(private readonly sentinels: readonly RedisServer[]) {}

  /** @param password of the primary and its replicas */
  static async start(primary: RedisServer, password: string, tls: TlsFiles): Promise<RedisSentinels> {
    const name = RedisSentinels.PRIMARY;
    const settings = [
      `sentinel monitor ${name} 127.0.0.1 ${primary.port} 2`,
      `sentinel auth-pass ${name} ${password}`,
      `sentinel down-after-milliseconds ${name} ${NODE_TIMEOUT_MS}`,
      `sentinel failover-timeout ${name} 3000`,
      `sentinel sentinel-pass ${RedisSentinels.PASSWORD}`,
    ];
    const sentinels = await Promise.all(
      [1, 2, 3].map(() => RedisServer.startSentinel(settings, RedisSentinels.PASSWORD, tls)),
    );
    const started = new RedisSentinels(sentinels);
    await eventually(async () => {
      for (const sentinel of sentinels) {
        // each has found the replica and the two others
        expect(await sentinel.command('SENTINEL', 'REPLICAS', name)).toHaveLength(1);
        expect(await sentinel.command('SENTINEL', 'SENTINELS', name)).toHaveLength(2);
      }
    });
    return started;
  }

  /** In the format of REDIS_SENTINELS. */
  get hosts(): string {
    return this.sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  }

  async stop(): Promise<void> {
    await Promise.all(this.sentinels.map((sentinel) => sentinel.stop()));
  }
}
