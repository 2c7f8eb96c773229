/** Seconds. An access token is short-lived, since a gateway checks it by its signature alone. */
export const ACCESS_TOKEN_SECONDS = 900;

/** From the login; refreshing does not prolong it. */
export const SESSION_SECONDS = 30 * 86_400;

/** How long a rotated refresh token still answers with its successor: a lost response must not log the user out. */
export const REUSE_GRACE_SECONDS = 30;

/** How long an ended session is kept, to answer who was logged in. */
export const KEEP_ENDED_SECONDS = 30 * 86_400;

/** Tolerance between our clocks and those of whoever checks a token. */
export const CLOCK_SKEW_SECONDS = 30;

/** Why a session ended before its time. */
export type EndReason = 'LOGOUT' | 'REVOKED' | 'TOKEN_REUSE';
