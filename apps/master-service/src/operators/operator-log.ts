import { createLogger, type Operator, SafeLine } from '@fd/platform';

/**
 * Writes the log line of an act that has just succeeded or was refused, in place of an audit trail. Writes to standard error,
 * because standard output may have a new key. The fields are those of the audit trail's line.
 * @param objectId what was changed, never a secret
 */
export function logAct(
  { by, reason }: Operator,
  action: string,
  objectId: string,
  outcome: 'OK' | 'REFUSED' = 'OK',
): void {
  const fields = { by, action, outcome, reason, object_id: objectId, occurred_at: new Date().toISOString() };
  // unscrubbed: operatorOf has checked the reason
  createLogger({ service: 'master-service' }, 'info', process.stderr).info(
    new SafeLine({ msg: 'an operator acted', ...fields }),
  );
}
