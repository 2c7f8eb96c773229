import { type ChildProcess, spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { Environment } from '@fd/platform';
import { eventually } from './eventually.js';

export interface RunningProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything it has logged. */
  readonly log: () => string;
  /** Ends it at once, as a machine that fails does. */
  readonly kill: () => Promise<void>;
}

/** Processes of a built service, as a container would run them. */
export class ServiceProcesses {
  private readonly children: ChildProcess[] = [];

  /**
   * @param dist folder of the built service
   * @param base settings of all of them: the stores and the outside world
   */
  constructor(
    private readonly dist: string,
    private readonly base: Environment,
  ) {
    if (!existsSync(join(dist, 'main.js'))) throw new Error(`build first: there is no ${dist}/main.js`);
  }

  environment(overrides: Environment = {}): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], ...this.base, LOG_LEVEL: 'info', ...overrides };
  }

  async start(overrides: Environment = {}): Promise<RunningProcess> {
    const port = await freePort();
    const child = spawn(process.execPath, [join(this.dist, 'main.js')], {
      env: this.environment({ PORT: String(port), ...overrides }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.children.push(child);
    let log = '';
    child.stdout.on('data', (part: Buffer) => (log += part.toString()));
    child.stderr.resume();
    const url = `http://127.0.0.1:${port}`;
    await eventually(async () => expect((await fetch(`${url}/health/ready`)).status).toBe(200));
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
  async spawnCli(overrides: Environment, ...args: string[]): Promise<{ code: number; out: string }> {
    const child = spawn(process.execPath, [join(this.dist, 'cli.js'), ...args], {
      env: this.environment(overrides),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (part: Buffer) => (out += part.toString()));
    const [code] = (await once(child, 'exit')) as [number];
    return { code, out };
  }

  async killAll(): Promise<void> {
    await Promise.all(this.children.map(kill));
  }

  private run(file: string, env: NodeJS.ProcessEnv, args: string[]): SpawnSyncReturns<string> {
    return spawnSync(process.execPath, [join(this.dist, file), ...args], { env, encoding: 'utf8' });
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
