import { isError } from '@fd/errors';
import { QueryFailedError } from 'typeorm';
import { hasLostStatement, isOutdated } from './statement-names.js';

/** SQLSTATE of a read-only server: a standby or a former primary. */
export const READ_ONLY = '25006';
export const DEADLOCK = '40P01';
export const INSUFFICIENT_PRIVILEGE = '42501';
export const LOCK_NOT_AVAILABLE = '55P03';
const DIVISION_BY_ZERO = '22012';

/**
 * SQLSTATE classes and codes that mean "not now" rather than "wrong": connection, insufficient resources,
 * operator intervention (shutdown, timeout), errors of the disk, read-only after a failover, lock not available, the
 * two that a repeat of the transaction resolves, and failures to connect: a password during its
 * change (28), a database during its restore (3D000) or closed to connections (55000).
 */
const UNAVAILABLE_CLASSES = ['08', '28', '53', '57', '58'];
const UNAVAILABLE_CODES = [READ_ONLY, '3D000', '55000', LOCK_NOT_AVAILABLE, '40001', DEADLOCK, '25P03'];

/** Codes of Node.js for a server that cannot be reached. */
export const NETWORK_CODES = 'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH'.split(
  ' ',
);

/** Messages of the driver and of TypeORM for a missing connection, which have no code. */
const UNAVAILABLE_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|not queryable|Driver not Connected|DataSource is not set|CannotExecuteNotConnected|Cannot use a pool after|Connection is not established/i;

const UNAVAILABLE_NAMES = [
  // before TypeORM's first connection
  'CannotExecuteNotConnectedError',
  'EntityMetadataNotFoundError',
  // a connection that broke within a transaction and was removed by TypeORM
  'QueryRunnerAlreadyReleasedError',
  'QueryRunnerProviderAlreadyReleasedError',
];

interface DriverError {
  readonly code?: string;
  readonly constraint?: string;
  readonly routine?: string;
  readonly errors?: readonly unknown[];
}

/** The driver's error, which TypeORM wraps. */
const driverErrorOf = (error: unknown): DriverError =>
  error instanceof QueryFailedError
    ? (error.driverError as DriverError)
    : ((isError(error) ? error : {}) as DriverError);

/** The SQLSTATE of an error of PostgreSQL. Other errors may have a number. */
export function codeOf(error: unknown): string | undefined {
  const { code } = driverErrorOf(error);
  return typeof code === 'string' ? code : undefined;
}

/** Whether a database error means that PostgreSQL cannot serve us now, so that a repeat may help. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isError(error)) return false;
  const { code, routine, errors } = driverErrorOf(error);
  return (
    (code !== undefined && [...UNAVAILABLE_CODES, ...NETWORK_CODES].includes(code)) ||
    (code?.length === 5 && UNAVAILABLE_CLASSES.includes(code.slice(0, 2))) ||
    // the next connection prepares the statement again
    hasLostStatement({ code }) ||
    isOutdated({ routine }) ||
    errors?.some(isDatabaseUnavailable) === true ||
    (code === undefined && UNAVAILABLE_MESSAGES.test(error.message)) ||
    UNAVAILABLE_NAMES.includes(error.name)
  );
}

/**
 * Whether a statement has failed because it found no row: `SELECT 1 / count(*) FROM found`. It fails in place of an answer without rows, so
 * that COMMIT can travel with it.
 */
export const isRowMissing = (error: unknown): boolean => codeOf(error) === DIVISION_BY_ZERO;

/** Name of the violated constraint; undefined for other errors. */
export function brokenConstraint(error: unknown): string | undefined {
  return codeOf(error)?.startsWith('23') ? driverErrorOf(error).constraint : undefined;
}
