import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { MasterErrors } from '@fd/errors';
import { Counter, Gauge, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { Catalogue } from './catalogue.js';
import { type ApiClient, readListedCatalogue, readState } from './catalogue.repository.js';

export interface CatalogueSettings {
  /** Seconds between two polls of the database. */
  readonly pollSeconds: number;
}

/** Injection token. */
export const CATALOGUE_SETTINGS = Symbol('catalogue settings');

interface Snapshot {
  readonly revisionId: string;
  readonly checksum: string;
  readonly catalogue: Catalogue;
  readonly clients: ReadonlyMap<string, ApiClient>;
}

/**
 * The copy of catalogue and API keys in memory that serves every request: no request waits for PostgreSQL. Polls the database
 * every few seconds for changes; while the database is down, the last copy serves without a time limit.
 */
@Injectable()
export class CatalogueSnapshot implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Catalogue');
  private snapshot: Snapshot | undefined;
  private refreshing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Why the last poll failed; undefined after one that succeeded. */
  private failure: string | undefined;
  private isClosed = false;
  private readonly revision: Gauge;
  private readonly confirmedAt: Gauge;
  private readonly failures: Counter;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CATALOGUE_SETTINGS) private readonly settings: CatalogueSettings,
    registry: Registry,
  ) {
    const registers = [registry];
    this.revision = new Gauge({
      name: 'catalogue_revision',
      help: 'Served revision of the catalogue',
      registers,
    });
    this.confirmedAt = new Gauge({
      name: 'catalogue_confirmed_timestamp_seconds',
      help: 'Last time at which the database confirmed the served catalogue',
      registers,
    });
    this.failures = new Counter({
      name: 'catalogue_refresh_failures_total',
      help: 'Failed polls of the database',
      registers,
    });
  }

  /** The data source bounds every wait of the first load, so that a missing database does not delay the start. */
  async onApplicationBootstrap(): Promise<void> {
    await this.refresh();
    this.schedule();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.refreshing;
  }

  get isLoaded(): boolean {
    return this.snapshot !== undefined;
  }

  /** @throws MasterErrors.unavailable before the first load */
  get catalogue(): Catalogue {
    if (!this.snapshot) throw MasterErrors.unavailable();
    return this.snapshot.catalogue;
  }

  /** The client of the key with this hash. A look-up by hash takes a time that reveals nothing about existing keys. */
  clientWith(keyHash: string): ApiClient | undefined {
    return this.snapshot?.clients.get(keyHash);
  }

  /** Reloads changes from the database. Never throws; parallel calls share one poll. */
  refresh(): Promise<void> {
    this.refreshing ??= this.load().finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  private async load(): Promise<void> {
    try {
      const state = await readState(this.dataSource);
      const clients = new Map(state.keys.map((client) => [client.keyHash, client]));
      // first, so that a key is revoked even while the new catalogue cannot be loaded; empty tables (a restore) revoke no key
      if (this.snapshot && state.revisionId !== null) this.snapshot = { ...this.snapshot, clients };
      // a number can return with another catalogue after a restore
      if (state.revisionId !== this.snapshot?.revisionId || state.checksum !== this.snapshot.checksum) {
        const { revision, issuers } = await readListedCatalogue(this.dataSource);
        if (revision === undefined) throw new Error('no catalogue has been imported yet');
        this.snapshot = { ...revision, catalogue: new Catalogue(issuers), clients };
        this.logger.log({ msg: 'catalogue loaded', revision: revision.revisionId, issuers: issuers.length });
      }
      this.revision.set(Number(this.snapshot.revisionId));
      this.confirmedAt.setToCurrentTime();
      if (this.failure !== undefined) this.logger.log({ msg: 'the catalogue can be read again' });
      this.failure = undefined;
    } catch (error) {
      this.failures.inc();
      const reason = (error as Error).message;
      if (reason !== this.failure && !this.isClosed) {
        const msg = this.snapshot
          ? 'the catalogue cannot be read: serving the last copy'
          : 'no catalogue yet';
        this.logger.warn({ msg, reason });
      }
      this.failure = reason;
    }
  }

  private schedule(): void {
    if (this.isClosed) return;
    // spreads the polls of replicas that started together
    const delayMs = this.settings.pollSeconds * 1_000 * (0.85 + Math.random() * 0.3);
    this.timer = setTimeout(() => {
      void this.refresh().then(() => this.schedule());
    }, delayMs);
  }
}
