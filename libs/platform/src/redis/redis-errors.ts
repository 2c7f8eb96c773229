import { isError } from '@fd/errors';
import { NETWORK_CODES } from '../database/database-errors.js';

/** Error replies that mean "not now": loading, failing over, a replica, out of memory or of disk. */
const UNAVAILABLE_REPLY =
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|MISCONF|NOREPLICAS|OOM|BUSY|UNBLOCKED)\b/;

/** Messages of the client without a code: for one server, then for a cluster without usable nodes or with a redirection loop. */
const UNAVAILABLE_MESSAGES = [
  /Command timed out|Connection is closed|connection close|Stream isn't writeable|Reached the max retries|connect ETIMEDOUT|Connection is in subscriber mode/i,
  /Cluster isn't ready|Cluster is ended|None of startup nodes is available|Failed to refresh slots cache|Too many Cluster redirections/i,
];

/** Whether an error of the Redis client means that Redis cannot serve us now. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!isError(error)) return false;
  return (
    NETWORK_CODES.includes((error as NodeJS.ErrnoException).code ?? '') ||
    error.name === 'MaxRetriesPerRequestError' ||
    UNAVAILABLE_MESSAGES.some((message) => message.test(error.message)) ||
    (error.name === 'ReplyError' && UNAVAILABLE_REPLY.test(error.message))
  );
}
