import { isError } from '@fd/errors';
import { QueryFailedError } from 'typeorm';
import { isNotKept, isOutdated } from './statement-names.js';

/** Said by a server that takes no writes: a standby, or a primary that has become one. */
export const READ_ONLY = '25006';

/**
 * SQLSTATE classes and codes that mean "not now" rather than "wrong": connection, insufficient resources,
 * operator intervention (shutdown, timeout), errors of the disk, read-only after a failover, lock not available, the
 * two that a repeat of the transaction resolves, and whatever keeps us from connecting: a password that is being
 * changed (28), a database that is being restored (3D000) or lets nobody in (55000).
 */
const UNAVAILABLE_CLASSES = ['08', '28', '53', '57', '58'];
const UNAVAILABLE_CODES = [READ_ONLY, '3D000', '55000', '55P03', '40001', '40P01', '25P03'];

const NETWORK_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
];

/** Messages of the driver and of TypeORM for a connection that is not there, which carry no code. */
const UNAVAILABLE_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|not queryable|Driver not Connected|DataSource is not set|CannotExecuteNotConnected|Cannot use a pool after|Connection is not established/i;

/** What TypeORM throws before its first connection, when it has not read the entities yet. */
const NOT_CONNECTED_YET = ['CannotExecuteNotConnectedError', 'EntityMetadataNotFoundError'];

/** What TypeORM throws when a connection broke between two statements of a transaction: it has taken it away itself. */
const TAKEN_AWAY = ['QueryRunnerAlreadyReleasedError', 'QueryRunnerProviderAlreadyReleasedError'];

/** Whether a database error means that PostgreSQL cannot serve us now, so that a repeat may help. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isError(error)) return false;
  const driverError: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const code = codeOf(driverError) ?? codeOf(error);
  if (code !== undefined && isSqlState(code)) {
    if (UNAVAILABLE_CLASSES.includes(code.slice(0, 2)) || UNAVAILABLE_CODES.includes(code)) return true;
    // the next connection takes the statement anew
    return isNotKept({ code }) || isOutdated(driverError as { routine?: string });
  }
  if (code !== undefined && NETWORK_CODES.includes(code)) return true;
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isDatabaseUnavailable);
  return (
    UNAVAILABLE_MESSAGES.test(error.message) || [...NOT_CONNECTED_YET, ...TAKEN_AWAY].includes(error.name)
  );
}

/** What statements of a transaction are refused with once one has failed: all of them, and those that were not read before. */
const BEHIND_A_FAILURE = ['25P02', '26000'];

/** Whether a statement may have failed for no other reason than that one before it in its transaction had. */
export function isBehindFailure(error: unknown): boolean {
  return error instanceof QueryFailedError && BEHIND_A_FAILURE.includes(codeOf(error.driverError) ?? '');
}

/** Name of the constraint that an insert or update broke, if that is what went wrong. */
export function brokenConstraint(error: unknown): string | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  const { code, constraint } = error.driverError as { code?: string; constraint?: string };
  return code?.startsWith('23') ? constraint : undefined;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && /[0-9]/.test(code);
