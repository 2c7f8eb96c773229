/** For how long events are kept; the table refuses to let them go earlier. The law asks for a year. */
export const AUDIT_RETENTION_DAYS = 400;

/** Events that are sealed in one transaction: few enough to stay within the limits of a query. */
export const SEAL_BATCH = 500;

/** An event that waits for longer has been held back: the sealer needs seconds. */
export const MAX_UNSEALED_SECONDS = 300;

/** How often a sealing replica logs the head, with which a shortened chain is compared. */
export const HEAD_LOG_SECONDS = 300;
