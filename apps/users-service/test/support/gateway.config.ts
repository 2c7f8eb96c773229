import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '@fd/platform';
import { eventually, freePort } from '@fd/testing';
import { haproxyProgram } from './machine-programs.mjs';
import { jwksText } from './settings.js';

const SHIPPED = join(import.meta.dirname, '../../../../deploy/haproxy');

interface GatewayPlan {
  /** URLs of the replicas. */
  readonly users: readonly string[];
  readonly master: readonly string[];
  /** The JWKS for checking tokens: its URL, or the object itself. */
  readonly jwks: string | object;
  /** Settings of the gateway. */
  readonly environment: Environment;
  /** Whether a replica fails that does not answer a check within a second, as in production; else a busy machine fails none. */
  readonly hasShippedChecks?: boolean;
}

/** An answer of 500 or more in the gateway's log. */
interface LoggedError {
  readonly status: number;
  /** HAProxy's two letters for who ended the call, and in which phase. */
  readonly ended: string;
}

/** HAProxy with the shipped configuration; only the addresses of the replicas come from the test. */
export class Gateway {
  private output = '';

  private constructor(
    private readonly folder: string,
    private readonly child: ChildProcess,
    readonly usersPort: number,
    readonly masterPort: number,
  ) {
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (part: Buffer) => (this.output += part.toString()));
  }

  static async start({ users, master, jwks, environment, hasShippedChecks }: GatewayPlan): Promise<Gateway> {
    const folder = mkdtempSync(join(tmpdir(), 'fd-gateway-'));
    const replicas = join(folder, 'replicas.cfg');
    const check = hasShippedChecks ? '' : '  timeout check 20s\n';
    writeFileSync(
      replicas,
      backend('users-service', users, check) + backend('master-service', master, check),
    );
    writeKeys(folder, jwks);
    const [usersPort, masterPort] = [await freePort(), await freePort()];
    const program = await haproxyProgram();
    const child = spawn(program, ['-W', '-db', '-f', join(SHIPPED, 'gateway.cfg'), '-f', replicas], {
      env: {
        GATEWAY_KEYS: folder,
        USERS_BIND: `127.0.0.1:${usersPort}`,
        MASTER_BIND: `127.0.0.1:${masterPort}`,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const gateway = new Gateway(folder, child, usersPort, masterPort);
    await eventually(() => gateway.listens());
    return gateway;
  }

  get usersUrl(): string {
    return `http://127.0.0.1:${this.usersPort}`;
  }

  get masterUrl(): string {
    return `http://127.0.0.1:${this.masterPort}`;
  }

  /** Returns the log so far. */
  log = (): string => this.output;

  /** Returns the logged answers of 500 or more, its own and the replicas', after LENGTH characters of the log. */
  errorsSince(length: number): LoggedError[] {
    return this.output
      .slice(length)
      .split('\n')
      .filter((line) => /"status":5\d\d,/.test(line))
      .map((line) => JSON.parse(line) as LoggedError);
  }

  /** Replaces the keys as an operator does: rewrites the files, then reloads HAProxy. */
  reloadKeys(jwks: string | object): void {
    writeKeys(this.folder, jwks);
    this.child.kill('SIGUSR2');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await gone;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async listens(): Promise<void> {
    if (this.child.exitCode !== null) throw new Error(`the gateway has ended: ${this.output}`);
    await Promise.all([this.usersUrl, this.masterUrl].map((url) => fetch(`${url}/health/live`)));
  }
}

/** Returns HAProxy's check of the shipped configuration with REPLICAS, a file of the workspace, as its backends. */
export async function configured(replicas: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'fd-gateway-'));
  try {
    writeKeys(folder, JSON.parse(jwksText('any')) as object);
    const files = ['-f', join(SHIPPED, 'gateway.cfg'), '-f', join(SHIPPED, '../..', replicas)];
    const { stdout, stderr } = spawnSync(await haproxyProgram(), ['-c', ...files], {
      env: { GATEWAY_KEYS: folder, JWT_ISSUER: 'http://localhost:3001', CORS_ORIGINS: '*' },
      encoding: 'utf8',
    });
    return stdout + stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function backend(name: string, urls: readonly string[], check: string): string {
  const servers = urls.map((url, index) => `  server replica${index + 1} ${new URL(url).host}\n`);
  return `backend ${name}\n${check}${servers.join('')}\n`;
}

/** Runs the shipped keys tool. */
function writeKeys(folder: string, jwks: string | object): void {
  const file = join(folder, 'jwks.json');
  if (typeof jwks === 'object') writeFileSync(file, JSON.stringify(jwks));
  const place = typeof jwks === 'string' ? jwks : file;
  execFileSync(process.execPath, [join(SHIPPED, 'keys.mjs'), '--jwks', place, '--out', folder], {
    stdio: 'pipe',
  });
}
