import { type ChildProcess, spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Environment } from '@fd/platform';
import { eventually } from '../eventually.js';
import { freePort } from './free-port.js';

/** Module to preload (`NODE_OPTIONS`), with which a process's clock is CLOCK_AHEAD_MS ahead of the machine's. */
export const SHIFTED_CLOCK = pathToFileURL(join(import.meta.dirname, 'shifted-clock.mjs')).href;

/** A busy machine takes long to compile a service's modules. */
const START_LIMIT_MS = 180_000;

/** Compiled modules of services, which the processes of a run share. It is removed with the run's temporary files. */
const COMPILED = join(tmpdir(), 'fd-compiled');

const OUTSIDE = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILED };

/** Time limit of processes that should exit; afterwards they are killed and have no exit status. */
const END_LIMIT_MS = 60_000;

export interface RunningProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Its log so far. */
  readonly log: () => string;
  /** Its other output. */
  readonly errors: () => string;
  /** Kills it, like a failing machine. */
  readonly kill: () => Promise<void>;
  /** Ends it with SIGTERM, as a deployment does. Resolves with its exit code, or null if a signal ended it. */
  readonly terminate: () => Promise<number | null>;
}

/** Processes of a built service, run as in a container. */
export class ServiceProcesses {
  private readonly children: ChildProcess[] = [];
  /**
   * Folder of their logs. Reading pipes would disturb measurements by the test. It is removed with the run's temporary files.
   */
  private readonly folder = mkdtempSync(join(tmpdir(), 'fd-processes-'));

  /**
   * @param dist folder of the built service
   * @param base settings of all processes: the stores and the external services
   */
  constructor(
    private readonly dist: string,
    private readonly base: Environment,
  ) {
    if (!existsSync(join(dist, 'main.js'))) throw new Error(`build first: there is no main.js in ${dist}`);
  }

  environment(overrides: Environment = {}): NodeJS.ProcessEnv {
    return { ...OUTSIDE, ...this.base, LOG_LEVEL: 'info', ...overrides };
  }

  /** Starts a process on the given or a free port. Resolves when it is ready. */
  async start(overrides: Environment = {}): Promise<RunningProcess> {
    const started = await this.launch(overrides);
    const { child, url, errors } = started;
    const isReady = async (): Promise<void> =>
      hasEnded(child) ? undefined : expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    await eventually(isReady, START_LIMIT_MS);
    if (hasEnded(child)) throw new Error(`the service ended instead of starting: ${errors()}`);
    return started;
  }

  /** Starts a process that may never be ready. */
  async launch(overrides: Environment = {}): Promise<RunningProcess> {
    const port = overrides['PORT'] ?? String(await freePort());
    const files = ['log', 'errors'].map((name) => join(this.folder, `${this.children.length}.${name}`));
    const [log, errors] = files.map((file) => openSync(file, 'w'));
    const child = spawn(process.execPath, [join(this.dist, 'main.js')], {
      env: this.environment({ ...overrides, PORT: port }),
      stdio: ['ignore', log!, errors!],
    });
    closeSync(log!);
    closeSync(errors!);
    this.children.push(child);
    return {
      child,
      url: `http://127.0.0.1:${port}`,
      log: () => readFileSync(files[0]!, 'utf8'),
      errors: () => readFileSync(files[1]!, 'utf8'),
      kill: () => kill(child),
      terminate: () => terminate(child),
    };
  }

  /** Runs a command to its end. */
  cli(...args: string[]): SpawnSyncReturns<string> {
    return this.run('cli.js', this.environment(), args);
  }

  /** Runs the service with only these settings until it ends by itself. */
  main(environment: Environment): SpawnSyncReturns<string> {
    return this.run('main.js', { ...OUTSIDE, ...environment }, []);
  }

  /** Starts a command without waiting; its output and exit code follow. */
  async spawnCli(
    overrides: Environment,
    ...args: string[]
  ): Promise<{ code: number; out: string; err: string }> {
    const child = spawn(process.execPath, [join(this.dist, 'cli.js'), ...args], {
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
    // this process is blocked meanwhile, with the time limits of its tests
    const limit = { timeout: END_LIMIT_MS, killSignal: 'SIGKILL' } as const;
    return spawnSync(process.execPath, [join(this.dist, file), ...args], { env, encoding: 'utf8', ...limit });
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function kill(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function terminate(child: ChildProcess): Promise<number | null> {
  if (hasEnded(child)) return child.exitCode;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = (await gone) as [number | null];
  return code;
}
