import {
  type DynamicModule,
  Injectable,
  Logger,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { timeLimit } from '@fd/envelope';
import type { Pool } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Gauge, Registry } from 'prom-client';
import type { DatabaseConfig } from '../config/common-settings.js';
import { ConfigError } from '../config/load-config.js';
import { StoreCalls } from '../observability/store-calls.js';
import { BoundedClient } from './bounded-client.js';
import { excessRights, type TableRight } from './grants.js';
import { SchemaNaming } from './schema-naming.js';
import { ServiceDataSource } from './service-data-source.js';
import { StatementNames } from './statement-names.js';

export interface DatabaseDefinition {
  readonly schema: string;
  readonly entities: readonly (new () => object)[];
  readonly migrations: readonly (new () => object)[];
  /** Rights of the service's role on all other tables; by default it reads and writes rows. */
  readonly rights?: readonly TableRight[];
  /** Tables on which the service's role has fewer rights. */
  readonly restricted?: Readonly<Record<string, readonly TableRight[]>>;
  /** Functions of the schema that run with the owner's rights, for the service's role. */
  readonly ownerFunctions?: readonly string[];
  /** Runs as the owner after the migrations. @returns a problem, with which `migrate` fails at its end */
  readonly afterMigrations?: (dataSource: DataSource) => Promise<string | undefined>;
}

/** A request must be answered within two seconds, whatever it waits for. */
const STATEMENT_MS = timeLimit(1_000);

/** Server-side limits in milliseconds. */
const LIMITS = {
  statement_timeout: STATEMENT_MS,
  lock_timeout: timeLimit(500),
  idle_in_transaction_session_timeout: timeLimit(5_000),
} as const;

/**
 * TypeORM options for serving requests: every wait has a limit; no synchronisation, no migrations.
 * @param calls observes every statement
 */
export function dataSourceOptions(
  config: DatabaseConfig,
  { schema, entities, migrations }: DatabaseDefinition,
  calls?: StoreCalls,
): DataSourceOptions {
  return {
    type: 'postgres',
    url: config.url,
    schema,
    entities: entities as never,
    migrations: migrations as never,
    migrationsTableName: 'migrations',
    namingStrategy: new SchemaNaming(),
    synchronize: false,
    logging: false,
    poolSize: config.poolSize,
    extra: {
      Client: BoundedClient,
      calls,
      names: new StatementNames(),
      application_name: `fd-${schema}`,
      // also the longest wait for a free connection
      connectionTimeoutMillis: timeLimit(800),
      answerLimitMs: STATEMENT_MS,
      ...(!config.isPooled && LIMITS),
      keepAlive: true,
    },
    poolErrorHandler: () => undefined, // the pool replaces a broken idle connection; a broken busy one fails its caller
  };
}

/** Connects in the background and retries, so that a service starts without its database. */
@Injectable()
class DatabaseConnector implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(DatabaseConnector.name);
  private retry: NodeJS.Timeout | undefined;
  private isClosing = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly config: DatabaseConfig,
    private readonly definition: DatabaseDefinition,
    registry: Registry,
  ) {
    measurePool(dataSource, registry);
  }

  /** @throws ConfigError if the role has no limits or too many rights: the service must not start */
  async onModuleInit(): Promise<void> {
    const error = await this.connect();
    if (error instanceof ConfigError) throw error;
  }

  /** @returns the reason of a failed connection, which is retried */
  private async connect(): Promise<unknown> {
    try {
      if (this.config.isRoleChecked) await requireOwnRights(this.config, this.definition);
      await this.dataSource.initialize();
      if (this.config.isPooled) await requireLimits(this.dataSource);
      return undefined;
    } catch (error) {
      if (this.dataSource.isInitialized) await this.dataSource.destroy();
      this.logger.warn({ msg: 'PostgreSQL is not available yet', reason: (error as Error).message });
      if (!this.isClosing) this.retry = setTimeout(() => void this.connect(), 1_000);
      return error;
    }
  }

  /** TypeOrmModule closes the connections. */
  onApplicationShutdown(): void {
    this.isClosing = true;
    clearTimeout(this.retry);
  }
}

/** Behind a pooler the role must have the limits: otherwise abandoned statements would run on. */
async function requireLimits(dataSource: DataSource): Promise<void> {
  const limits: { name: keyof typeof LIMITS; ms: number }[] = await dataSource.query(
    'SELECT name, setting::int AS ms FROM pg_settings WHERE name = ANY($1) ORDER BY name',
    [Object.keys(LIMITS)],
  );
  const unbounded = limits.filter(({ name, ms }) => ms === 0 || ms > LIMITS[name]);
  if (unbounded.length === 0) return;
  throw new ConfigError(
    unbounded.map(
      ({ name }) =>
        `DATABASE_URL: names a role without a ${name} of ${LIMITS[name]} ms or less, which DATABASE_POOLER=transaction needs (ALTER ROLE ... SET ${name} = ${LIMITS[name]})`,
    ),
  );
}

const MAX_NAMED = 12;

/**
 * Compares the rights of the role with those of the definition, on a connection of its own: a replica that started without its
 * database must not serve before this check.
 * @throws ConfigError
 */
async function requireOwnRights(config: DatabaseConfig, definition: DatabaseDefinition): Promise<void> {
  const dataSource = await new ServiceDataSource(dataSourceOptions(config, definition)).initialize();
  try {
    const excess = await excessRights(dataSource, definition, Object.keys(LIMITS));
    if (excess.length === 0) return;
    const more = excess.length > MAX_NAMED ? ` and ${excess.length - MAX_NAMED} more` : '';
    throw new ConfigError([
      `DATABASE_URL: names a role with more rights or settings than the service needs, which is refused in production: ${excess.slice(0, MAX_NAMED).join('; ')}${more}. Use a role whose rights \`migrate\` has granted (SERVICE_DATABASE_ROLE), and revoke the others; ALTER ROLE ... RESET removes a setting`,
    ]);
  } finally {
    await dataSource.destroy();
  }
}

/** Measures connections, and callers that wait for one. A caller that waits for 800 ms gets 503. */
function measurePool({ driver }: DataSource, registry: Registry): void {
  // undefined before the first connection
  const pool = (): Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'> =>
    (driver as unknown as { master?: Pool }).master ?? { totalCount: 0, idleCount: 0, waitingCount: 0 };
  const registers = [registry];
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections of this replica to PostgreSQL by state: busy, or idle',
    labelNames: ['state'],
    registers,
    collect() {
      const { totalCount, idleCount } = pool();
      this.set({ state: 'busy' }, totalCount - idleCount);
      this.set({ state: 'idle' }, idleCount);
    },
  });
  new Gauge({
    name: 'database_pool_waiting',
    help: 'Callers that wait for a connection to PostgreSQL',
    registers,
    collect() {
      this.set(pool().waitingCount);
    },
  });
}

/** TypeORM's data source and its connections, for `TypeOrmModule.forFeature` of the modules that own tables. */
@Module({})
export class DatabaseModule {
  static forRoot(config: DatabaseConfig, definition: DatabaseDefinition): DynamicModule {
    const connector = (dataSource: DataSource, registry: Registry) =>
      new DatabaseConnector(dataSource, config, definition, registry);
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [StoreCalls],
          useFactory: (calls: StoreCalls) => ({
            ...dataSourceOptions(config, definition, calls),
            // DatabaseConnector connects, so that a service starts without its database
            manualInitialization: true,
          }),
          dataSourceFactory: (options) => Promise.resolve(new ServiceDataSource(options!)),
        }),
      ],
      providers: [{ provide: DatabaseConnector, inject: [DataSource, Registry], useFactory: connector }],
    };
  }
}
