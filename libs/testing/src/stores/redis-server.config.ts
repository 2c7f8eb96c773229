import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from '../eventually.js';
import { freePort } from '../processes/free-port.js';

/** What still runs ends with the process of the tests, however that comes about. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Files in PEM: what a server proves itself by, and who has signed that. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

interface RedisKind {
  readonly isSentinel?: boolean;
  /** Undefined: it is spoken to in clear. */
  readonly tls?: TlsFiles | undefined;
}

/** A Redis process of a test's own, on 127.0.0.1, which it may kill, freeze, empty and make follow another. */
export class RedisServer {
  private child: ChildProcess | undefined;
  private readonly folder = mkdtempSync(join(tmpdir(), 'redis-'));

  private constructor(
    readonly port: number,
    private readonly options: readonly string[],
    private readonly kind: RedisKind = {},
  ) {}

  /** @param settings lines of its file, which it rewrites */
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

  /** @param options of the server program, such as `--maxmemory 2mb` */
  static async start(...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options);
    await server.start();
    return server;
  }

  /** @param options as of `start` */
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

  /** Starts the program (again), and waits until it answers. Nothing is kept of what it held before. */
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

  /** Ends it at once, as a machine that fails does. */
  async kill(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** It does nothing any more, and closes nothing. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** Over a connection of its own. */
  async command(name: string, ...args: (string | number)[]): Promise<unknown> {
    const tls = this.kind.tls && { tls: { ca: readFileSync(this.kind.tls.ca), rejectUnauthorized: false } };
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null, ...tls });
    client.on('error', () => undefined); // told by connect() too
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

/** Milliseconds after which nodes of a cluster, or sentinels, call one of them failed. */
const NODE_TIMEOUT_MS = 1_000;
const SLOTS = 16_384;

/** A Redis Cluster of three primaries, on request each with a replica. */
export class RedisCluster {
  private constructor(
    readonly primaries: readonly RedisServer[],
    readonly replicas: readonly RedisServer[],
  ) {}

  static async start({ hasReplicas = false } = {}): Promise<RedisCluster> {
    const primaries = await Promise.all([1, 2, 3].map(startNode));
    const replicas = hasReplicas ? await Promise.all([1, 2, 3].map(startNode)) : [];
    const cluster = new RedisCluster(primaries, replicas);
    await cluster.join();
    return cluster;
  }

  /** Of the first node, which is where a client begins. */
  get url(): string {
    return this.primaries[0]!.url;
  }

  /** Waits until all nodes agree that all slots are served. */
  async settle(nodes: readonly RedisServer[] = this.nodes): Promise<void> {
    await eventually(async () => {
      for (const node of nodes) {
        expect(await node.command('CLUSTER', 'INFO')).toMatch(/cluster_state:ok[^]*cluster_slots_ok:16384/);
      }
    });
  }

  /** The primary that serves a key. */
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

async function startNode(): Promise<RedisServer> {
  return RedisServer.start(
    ...['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())],
    ...['--cluster-node-timeout', String(NODE_TIMEOUT_MS)],
    // one that is back has nothing to hand over, and is to take part at once
    ...['--cluster-replica-validity-factor', '0', '--repl-diskless-sync-delay', '0'],
  );
}

/** Three sentinels, two of which decide that a primary has failed. Also the password of a sentinel. */
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
        // each knows the replica and the two others
        expect(await sentinel.command('SENTINEL', 'REPLICAS', name)).toHaveLength(1);
        expect(await sentinel.command('SENTINEL', 'SENTINELS', name)).toHaveLength(2);
      }
    });
    return started;
  }

  /** As the setting REDIS_SENTINELS has them. */
  get hosts(): string {
    return this.sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  }

  async stop(): Promise<void> {
    await Promise.all(this.sentinels.map((sentinel) => sentinel.stop()));
  }
}
