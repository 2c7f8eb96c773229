import { type ChildProcess, spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@fd/platform';

/** A machine that runs other tests at the same time takes its time. */
const START_MS = 60_000;

const DIST = resolve(__dirname, '../../dist');

export interface RunningProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything it has logged. */
  readonly log: () => string;
  /** What it has written elsewhere than into its log. */
  readonly errors: () => string;
  /** Ends it at once, as a machine that fails does. */
  readonly kill: () => Promise<void>;
}

/** Processes of the built service, as a container would run them. */
export class ServiceProcesses {
  private readonly children: ChildProcess[] = [];

  /** @param base settings of all of them: the stores and the outside world */
  constructor(private readonly base: Environment) {
    if (!existsSync(join(DIST, 'main.js'))) throw new Error('build first: nx build users-service');
  }

  environment(overrides: Environment = {}): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], ...this.base, LOG_LEVEL: 'info', ...overrides };
  }

  /** Starts one and waits until it is ready. */
  async start(overrides: Environment = {}): Promise<RunningProcess> {
    const started = await this.launch(overrides);
    const isReady = async () =>
      (await fetch(`${started.url}/health/ready`).catch(() => undefined))?.status === 200;
    for (const limit = Date.now() + START_MS; !(await isReady()); await sleep(50)) {
      if (started.child.exitCode !== null || Date.now() > limit)
        throw new Error(`the service did not start:\n${started.errors()}`);
    }
    return started;
  }

  /** Starts one that may never be ready. */
  async launch(overrides: Environment = {}): Promise<RunningProcess> {
    const port = await freePort();
    const child = spawn(process.execPath, [join(DIST, 'main.js')], {
      env: this.environment({ PORT: String(port), ...overrides }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.children.push(child);
    let [log, errors] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (log += part.toString()));
    child.stderr.on('data', (part: Buffer) => (errors += part.toString()));
    const url = `http://127.0.0.1:${port}`;
    return { child, url, log: () => log, errors: () => errors, kill: () => kill(child) };
  }

  /** Runs one command to its end. */
  cli(...args: string[]): SpawnSyncReturns<string> {
    return this.run('cli.js', this.environment(), args);
  }

  /** Runs the service with exactly these settings until it ends by itself. */
  main(environment: Environment): SpawnSyncReturns<string> {
    return this.run('main.js', { PATH: process.env['PATH'], ...environment }, []);
  }

  /** Starts one command and lets it run; its output and exit code follow. */
  async spawnCli(
    overrides: Environment,
    ...args: string[]
  ): Promise<{ code: number; out: string; err: string }> {
    const child = spawn(process.execPath, [join(DIST, 'cli.js'), ...args], {
      env: this.environment(overrides),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (out += part.toString()));
    child.stderr.on('data', (part: Buffer) => (err += part.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return { code, out, err };
  }

  async killAll(): Promise<void> {
    await Promise.all(this.children.map(kill));
  }

  private run(file: string, env: NodeJS.ProcessEnv, args: string[]): SpawnSyncReturns<string> {
    return spawnSync(process.execPath, [join(DIST, file), ...args], { env, encoding: 'utf8' });
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
