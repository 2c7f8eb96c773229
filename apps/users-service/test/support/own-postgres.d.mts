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

/** Has it archive its WAL each second, once it is started again. */
export function archiveWal(home: string, url: string): Promise<void>;

/** Copies its data while it serves. @returns how many bytes */
export function takeBackup(home: string, url: string): Promise<number>;

/**
 * Loses the data of one that is stopped, and has it replay the backup and the archive up to a moment when it starts.
 * @param time ISO 8601
 * @returns segments in the archive, of 16 MB each
 */
export function restoreTo(home: string, time: string): Promise<number>;
