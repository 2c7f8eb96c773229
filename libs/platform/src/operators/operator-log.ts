import { createLogger, SafeLine } from '../logging/logger.js';
import type { Operator } from './operator-options.js';

/**
 * Writes the log line of an act that has just succeeded or was refused, for a service without an audit trail. Writes to standard error,
 * because standard output may have a new key. The fields are those of the audit trail's line.
 * @param objectId what was changed, never a secret
 */
export function logAct(
  service: string,
  { by, reason }: Operator,
  action: string,
  objectId: string,
  outcome: 'OK' | 'REFUSED' = 'OK',
): void {
  const fields = { by, action, outcome, reason, object_id: objectId, occurred_at: new Date().toISOString() };
  // unscrubbed: operatorOf has checked the reason
  createLogger({ service }, 'info', process.stderr).info(
    new SafeLine({ msg: 'an operator acted', ...fields }),
  );
}
