/** A PostgreSQL that one test has for itself. */
export interface OwnPostgres {
  readonly home: string;
  readonly url: (database: string) => string;
  start(): Promise<void>;
  /** @param options isCrash: as if its machine had failed */
  stop(options?: { isCrash?: boolean }): Promise<boolean>;
  release(): Promise<void>;
}

/** @param options standbyOf: one that has been stopped; the new one is its standby and has to be started */
export function throwawayPostgres(title: string, options?: { standbyOf?: OwnPostgres }): Promise<OwnPostgres>;
