import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DynamicModule,
  Injectable,
  Inject,
  Logger,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions, type EntitySchema, type MixedList } from 'typeorm';
import { Registry } from 'prom-client';
import type { DatabaseConfig } from '../config/common-settings.js';
import { StoreCalls } from '../observability/store-calls.js';
import { BoundedClient } from './bounded-client.js';
import { measurePool } from './pool-metrics.js';
import { StatementNames } from './statement-names.js';

export interface DatabaseDefinition {
  /** Schema that holds the service's tables and its table of migrations. */
  readonly schema: string;
  readonly entities: MixedList<new () => object> | EntitySchema[];
  readonly migrations: readonly (new () => object)[];
}

/** Milliseconds after which each stage of a query gives up: a request must be answered within two seconds. */
export const DATABASE_LIMITS = {
  acquireMs: 800,
  statementMs: 1_000,
  lockMs: 500,
  idleInTransactionMs: 5_000,
} as const;

/**
 * TypeORM options for serving requests: every wait is bounded, nothing is synchronised, nothing migrated.
 * @param calls told of every statement
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
    synchronize: false,
    logging: false,
    poolSize: config.poolSize,
    extra: {
      Client: BoundedClient,
      calls,
      names: new StatementNames(),
      application_name: `fd-${schema}`,
      connectionTimeoutMillis: DATABASE_LIMITS.acquireMs,
      query_timeout: DATABASE_LIMITS.statementMs,
      statement_timeout: DATABASE_LIMITS.statementMs,
      lock_timeout: DATABASE_LIMITS.lockMs,
      idle_in_transaction_session_timeout: DATABASE_LIMITS.idleInTransactionMs,
      keepAlive: true,
    },
    poolErrorHandler: () => undefined, // an idle connection that breaks is replaced; whoever uses one is told
  };
}

const CONNECTION = Symbol('database connection');
const GOODBYE_MS = 2_000;

/** Connects in the background and again until it works, so that a service starts without its database. */
@Injectable()
export class DatabaseConnector implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(DatabaseConnector.name);
  private retry: NodeJS.Timeout | undefined;
  private isClosing = false;

  constructor(
    @Inject(CONNECTION) private readonly dataSource: DataSource,
    registry: Registry,
  ) {
    measurePool(dataSource, registry);
  }

  async onModuleInit(): Promise<void> {
    await this.connect();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    clearTimeout(this.retry);
    if (!this.dataSource.isInitialized) return;
    // a server that has vanished does not say goodbye
    const patience = sleep(GOODBYE_MS, undefined, { ref: false });
    await Promise.race([this.dataSource.destroy(), patience]);
  }

  private async connect(): Promise<void> {
    try {
      await this.dataSource.initialize();
    } catch (error) {
      this.logger.warn({ msg: 'PostgreSQL is not available yet', reason: (error as Error).message });
      if (!this.isClosing) this.retry = setTimeout(() => void this.connect(), 1_000);
    }
  }
}

/** The service's data source, for `@InjectRepository` and `@InjectDataSource`. */
@Module({})
export class DatabaseModule {
  static forRoot(config: DatabaseConfig, definition: DatabaseDefinition): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [StoreCalls],
          useFactory: (calls: StoreCalls) => ({
            ...dataSourceOptions(config, definition, calls),
            manualInitialization: true,
          }),
          dataSourceFactory: (options) => Promise.resolve(new DataSource(options!)),
        }),
      ],
      providers: [{ provide: CONNECTION, useExisting: DataSource }, DatabaseConnector],
    };
  }
}
