import { type ChildProcess, spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import type { Environment } from '@fd/platform';
import { eventually } from '@fd/testing';

const DIST = resolve(__dirname, '../../dist');

export interface RunningProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything it has logged. */
  readonly log: () => string;
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
    await eventually(async () => expect((await fetch(`${started.url}/health/ready`)).status).toBe(200));
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
    let log = '';
    child.stdout.on('data', (part: Buffer) => (log += part.toString()));
    child.stderr.resume();
    const url = `http://127.0.0.1:${port}`;
    return { child, url, log: () => log, kill: () => kill(child) };
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
