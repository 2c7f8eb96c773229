import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.js';
import { freePort } from '../processes/free-port.js';
import { pgbouncerProgram } from './pgbouncer-program.mjs';
import { administer } from './test-stores.config.js';

/** PgBouncer in transaction mode: each transaction may use any connection to PostgreSQL. */
export class PgBouncer {
  /** Size of its pool of PostgreSQL connections, independent of the number of clients. */
  static readonly POOL_SIZE = 4;

  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    readonly url: string,
  ) {}

  /** @param postgres URL of a database; its user and password are valid on both sides */
  static async start(postgres: string): Promise<PgBouncer> {
    const { hostname, port: serverPort, username, password, pathname } = new URL(postgres);
    const folder = mkdtempSync(join(tmpdir(), 'fd-pgbouncer-'));
    const port = await freePort();
    writeFileSync(join(folder, 'users.txt'), `"${username}" "${password}"\n`);
    writeFileSync(
      join(folder, 'pgbouncer.ini'),
      `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = ${PgBouncer.POOL_SIZE}
server_login_retry = 1
`,
    );
    const url = new URL(`postgres://127.0.0.1:${port}${pathname}`);
    [url.username, url.password] = [username, password];
    const bouncer = new PgBouncer(folder, url.href);
    await bouncer.run();
    return bouncer;
  }

  /** Starts the program (again), and waits until it connects clients to PostgreSQL. */
  async run(): Promise<void> {
    // PgBouncer does not run as root and reads its files as another user
    chmodSync(this.folder, 0o755);
    const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    const settings = join(this.folder, 'pgbouncer.ini');
    this.child = spawn(await pgbouncerProgram(), [...asOther, settings], { stdio: 'ignore' });
    await eventually(() => administer(this.url, 'SELECT 1'));
  }

  /** Kills it, like a failing machine. */
  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
