import type { JsonWebKey } from 'node:crypto';
import { join } from 'node:path';
import type { Environment } from '@fd/platform';
import {
  createTestDatabase,
  freePort,
  GENEROUS_LIMITS,
  type RunningProcess,
  ServiceProcesses as Processes,
  type TestDatabase,
  testRedis,
} from '@fd/testing';
import { Gateway } from './gateway.config.js';
import { jwksText } from './settings.js';
import { ServiceProcesses } from './service-process.config.js';
import { startService, type TestService } from './users-app.js';

export const CATALOGUE_KEY = 'key-of-the-gateway-test';

/** The only origin that CORS allows to read responses. */
export const ORIGIN = 'https://app.deposits.example';

const MASTER = join(import.meta.dirname, '../../../master-service');

/** A replica that can be stopped and restarted on the same port. */
export class Replica {
  private constructor(
    private readonly processes: Processes,
    private readonly settings: Environment,
    private current: RunningProcess,
  ) {}

  static async start(processes: Processes, settings: Environment): Promise<Replica> {
    const fixed = { ...settings, PORT: String(await freePort()) };
    return new Replica(processes, fixed, await processes.start(fixed));
  }

  get url(): string {
    return this.current.url;
  }

  log = (): string => this.current.log();

  kill = (): Promise<void> => this.current.kill();

  /** Terminates the process as a deployment does, and starts its successor on the same port. @returns its exit code */
  async replace(): Promise<number | null> {
    const exitCode = await this.current.terminate();
    this.current = await this.processes.start(this.settings);
    return exitCode;
  }
}

/** Two replicas of each built service behind a gateway, configured for it. */
export class BehindGateway {
  private constructor(
    readonly service: TestService,
    private readonly catalogue: TestDatabase,
    private readonly processes: readonly Processes[],
    readonly users: readonly Replica[],
    readonly master: readonly Replica[],
    /** Private keys for access tokens; the first one signs. */
    readonly keys: readonly (JsonWebKey & { readonly kid: string })[],
  ) {}

  static async start(): Promise<BehindGateway> {
    const jwks = jwksText('first', 'next');
    const service = await startService({ JWT_KEYS: jwks });
    const catalogue = await createTestDatabase();
    const [users, master] = [new ServiceProcesses(service.environment), masterProcesses(catalogue)];
    prepare(master);
    const settings = {
      ...GENEROUS_LIMITS,
      TRUSTED_PROXY_HOPS: '1',
      REPLICAS: '2',
      CORS_ORIGINS: ORIGIN,
      // longer than two health probes of the gateway, also on a busy machine
      SHUTDOWN_DELAY_SECONDS: '5',
    };
    const two = (processes: Processes): Promise<Replica[]> =>
      Promise.all([Replica.start(processes, settings), Replica.start(processes, settings)]);
    const replicas = [await two(users), await two(master)] as const;
    const { keys } = JSON.parse(jwks) as { keys: (JsonWebKey & { kid: string })[] };
    return new BehindGateway(service, catalogue, [users, master], ...replicas, keys);
  }

  get issuer(): string {
    return this.service.environment['JWT_ISSUER']!;
  }

  /**
   * @param overrides of the gateway's settings
   * @param users replaces the replicas of this object
   * @param hasShippedChecks as in the plan of a gateway
   */
  async gateway(
    overrides: Environment & { readonly CALLS_PER_MINUTE?: string } = {},
    users: readonly string[] = this.users.map(({ url }) => url),
    hasShippedChecks = false,
  ): Promise<Gateway> {
    return Gateway.start({
      users,
      hasShippedChecks,
      master: this.master.map(({ url }) => url),
      jwks: { keys: this.keys.slice(0, 1) },
      environment: {
        JWT_ISSUER: this.issuer,
        CORS_ORIGINS: `https://other.deposits.example,${ORIGIN}`,
        CALLS_PER_MINUTE: '1000000',
        ...overrides,
      },
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((processes) => processes.killAll()));
    await this.service.close();
    await this.catalogue.drop();
  }
}

function masterProcesses(catalogue: TestDatabase): Processes {
  const redis = testRedis();
  return new Processes(join(MASTER, 'dist'), {
    NODE_ENV: 'test',
    DATABASE_URL: catalogue.url,
    REDIS_URL: redis.url,
    REDIS_KEY_PREFIX: redis.keyPrefix,
    MAX_EVENT_LOOP_DELAY_MS: '10000',
  });
}

/** Starts a catalogue and registers a client that may read it. */
function prepare(master: Processes): void {
  const BY = ['--by', 'a-test', '--reason', 'TEST'];
  for (const command of [
    ['migrate'],
    ['catalogue:import', join(MASTER, 'catalogue'), '--apply', ...BY],
    ['api-keys', 'create', '--client', 'tests', '--key', CATALOGUE_KEY, ...BY],
  ]) {
    const { status, stderr } = master.cli(...command);
    if (status !== 0) throw new Error(`${command[0]}: ${stderr}`);
  }
}
