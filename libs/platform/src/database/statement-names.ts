import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';

/** Above the number of our statements; protects PostgreSQL from a statement whose text varies by call. */
const MAX_NAMES = 500;

/** Errors of a connection that a pooler shares with other clients. */
const UNKNOWN_NAME = '26000';
const NAME_TAKEN = '42P05';

/**
 * Names of prepared statements, which PostgreSQL parses and plans once for each connection (measured: 100 instead of 350
 * us for a query of three tables). A name is derived from the text, so that it is unique.
 */
export class StatementNames {
  private readonly logger = new Logger(StatementNames.name);
  private readonly names = new Map<string, string>();
  private arePrepared = true;

  /** @returns undefined for a statement that must not be prepared */
  nameFor(text: string): string | undefined {
    if (!this.arePrepared) return undefined;
    const known = this.names.get(text);
    if (known !== undefined || this.names.size === MAX_NAMES) return known;
    const name = createHash('sha256').update(text).digest('base64url');
    this.names.set(text, name);
    return name;
  }

  /** Stops preparing statements, as docs/deployment.md documents for poolers without support for them. */
  disable(): void {
    if (this.arePrepared)
      this.logger.warn({ msg: 'statements are not prepared: a pooler shares our connections' });
    this.arePrepared = false;
  }
}

/**
 * Whether a connection has lost a prepared statement.
 * @param hasRun whether the connection has run it before: after a failed statement it may not have been parsed yet
 */
export const hasLostStatement = ({ code }: { code?: string | undefined }, hasRun = true): boolean =>
  code === NAME_TAKEN || (code === UNKNOWN_NAME && hasRun);

/**
 * Whether a migration has changed the column types of a prepared statement: a new connection knows the new types.
 * PostgreSQL's error has no specific code.
 */
export const isOutdated = ({ routine }: { routine?: string | undefined }): boolean =>
  routine === 'RevalidateCachedQuery';
