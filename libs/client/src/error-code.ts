import { MASTER_ERROR_CODES, USERS_ERROR_CODES } from './generated/error-codes.js';

export type UsersErrorCode = (typeof USERS_ERROR_CODES)[number];
export type MasterErrorCode = (typeof MASTER_ERROR_CODES)[number];

/** All error codes of both services. */
export type ErrorCode = UsersErrorCode | MasterErrorCode;

const KNOWN: ReadonlySet<string> = new Set([...USERS_ERROR_CODES, ...MASTER_ERROR_CODES]);

export const isErrorCode = (code: string): code is ErrorCode => KNOWN.has(code);
