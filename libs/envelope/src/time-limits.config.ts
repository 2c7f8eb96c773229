/**
 * Multiplies all limits of waiting: for stores, providers, leases and the request itself, and the time that is reserved before
 * such a limit for what comes after it. A setting of tests, which busy machines delay; production refuses any other value than 1.
 */
const FACTOR = Number(process.env['TIME_LIMIT_FACTOR'] ?? 1);

/**
 * A limit of waiting, in its own unit. Each such limit of the services is declared with it, except those of an ending process,
 * which are much longer than a request.
 */
export const timeLimit = (limit: number): number => limit * FACTOR;
