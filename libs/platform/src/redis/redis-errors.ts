import { isError } from '@fd/errors';

/** Error replies that mean "not now": loading, failing over, a replica, out of memory or of disk. */
const UNAVAILABLE_REPLY =
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|MISCONF|NOREPLICAS|OOM|BUSY|UNBLOCKED)\b/;

const UNAVAILABLE_MESSAGES =
  /Command timed out|Connection is closed|connection close|Stream isn't writeable|Reached the max retries|connect ETIMEDOUT|Connection is in subscriber mode/i;

/** What the client of a cluster says while it has no node to ask, or is sent from one to the other. */
const CLUSTER_MESSAGES =
  /Cluster isn't ready|Cluster is ended|None of startup nodes is available|Failed to refresh slots cache|Too many Cluster redirections/i;

const NETWORK_CODES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'];

/** Whether an error of the Redis client means that Redis cannot serve us now. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!isError(error)) return false;
  const code: unknown = 'code' in error ? error.code : undefined;
  return (
    (typeof code === 'string' && NETWORK_CODES.includes(code)) ||
    error.name === 'MaxRetriesPerRequestError' ||
    UNAVAILABLE_MESSAGES.test(error.message) ||
    CLUSTER_MESSAGES.test(error.message) ||
    (error.name === 'ReplyError' && UNAVAILABLE_REPLY.test(error.message))
  );
}
