export type { AuditAction } from './audit/audit-actions.table.js';
export { AuditTrail } from './audit/audit-trail.js';
export { auditCommand, operatorTrail, type OperatorTrail } from './audit/audit.command.js';
export { AuditModule } from './audit/audit.module.js';
export { actingAs, proveCaller } from './audit/audited-call.js';
export { Audited, Unaudited } from './audit/audited.decorator.js';
export { CurrentSession, type SessionIdentity } from './caller/current-session.decorator.js';
export { MIGRATIONS } from './database/migrations.js';
export { ErrorCodesController } from './error-codes/error-codes.controller.js';
export { recordId } from './idempotency/current-call.js';
export { IdempotencyModule } from './idempotency/idempotency.module.js';
export { KeptBriefly } from './idempotency/kept-briefly.decorator.js';
export {
  CALL_COLUMNS,
  type CallState,
  DUE_AGAIN,
  type DurableCall,
  HANDED_OVER_AT,
  type ProviderAnswer,
  SETTLED,
  stateAfter,
  type Transitions,
} from './jobs/durable-call.js';
export { DurableCalls } from './jobs/durable-calls.service.js';
export { JobsModule } from './jobs/jobs.module.js';
export { Jobs } from './jobs/jobs.service.js';
export { KeyWatch } from './pii/key-watch.service.js';
export { KeyedHash } from './pii/keyed-hash.js';
export { PiiCipher } from './pii/pii-cipher.js';
export { piiCommand } from './pii/pii.command.js';
export { PiiModule } from './pii/pii.module.js';
