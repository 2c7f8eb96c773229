import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';

/** Statements of ours are far fewer. If one were put together anew for each call, PostgreSQL would keep them all. */
const MOST_NAMES = 500;

/** Errors of a connection that a pooler shares with other clients. */
const UNKNOWN_NAME = '26000';
const NAME_TAKEN = '42P05';

/**
 * Names by which each connection to PostgreSQL keeps statements, so that it reads and plans each of them once (measured: 100
 * instead of 350 us of PostgreSQL for a query of three tables). A name follows from the text, so that it can never stand for another statement.
 */
export class StatementNames {
  private readonly logger = new Logger(StatementNames.name);
  private readonly names = new Map<string, string>();
  private areKept = true;

  /** @returns undefined for a statement that is not to be kept */
  of(text: string): string | undefined {
    if (!this.areKept) return undefined;
    const known = this.names.get(text);
    if (known !== undefined || this.names.size === MOST_NAMES) return known;
    const name = createHash('sha256').update(text).digest('base64url');
    this.names.set(text, name);
    return name;
  }

  /** Keeps none any more, as deploy/README.md promises behind a pooler that shares connections. */
  giveUp(): void {
    if (this.areKept) this.logger.warn({ msg: 'statements are not kept: a pooler shares our connections' });
    this.areKept = false;
  }
}

/**
 * Whether a connection has lost a prepared statement.
 * @param hasRun whether the connection has run it before: behind one that has failed it may not have been read yet
 */
export const isNotKept = ({ code }: { code?: string | undefined }, hasRun = true): boolean =>
  code === NAME_TAKEN || (code === UNKNOWN_NAME && hasRun);

/**
 * Whether a migration has given other types to the columns of a kept statement: a new connection knows the new types. Where
 * PostgreSQL refuses that; the error has no code of its own.
 */
export const isOutdated = ({ routine }: { routine?: string | undefined }): boolean =>
  routine === 'RevalidateCachedQuery';
