export type { AuditAction } from './audit/audit-actions.table.js';
export {
  actingAs,
  AuditTrail,
  beginCall,
  proveCaller,
  type AuditEntry,
  userActor,
} from './audit/audit-trail.js';
export { type EventSubject, issuersOfAction, subjectsBetween } from './audit/audit-reader.js';
export { auditCommand } from './audit/audit.command.js';
export { hasInput, idOf, type OperatorInput, operatorInput } from './audit/operator-input.js';
export { type AsOperator, type OperatorTools, operatorTools, refusedAs } from './audit/operator-tools.js';
export { Audited, Unaudited } from './audit/audited.decorator.js';
export { noteCallersPartner, partnerOfCaller } from './caller/callers-partner.js';
export { CallsOfUsers } from './caller/calls-of-users.js';
export { FollowedClock } from './clock/followed-clock.js';
export { countedAs, CurrentSession, type SessionIdentity } from './caller/current-session.decorator.js';
export { BeforeConfirmation, allows, WithoutSharing } from './caller/restricted-sessions.decorator.js';
export { ProviderCallLimit } from './caller/provider-call-limit.js';
export { CORE_ENTITIES, CoreModule } from './core.module.js';
export { WaitingCallers, waitMs } from './jobs/waiting-callers.js';
export { deleteSelected } from './jobs/delete-selected.js';
export { maintenanceCommand } from './database/maintenance.command.js';
export * as migrations from './database/migrations.js';
export { DECLARATIONS_KEPT_YEARS } from './database/partitioned-tables.js';
export { Partitions } from './database/partitions.js';
export { ErrorCodesController } from './error-codes/error-codes.controller.js';
export { recordId } from './idempotency/record-id.js';
export { IdempotentCalls } from './idempotency/idempotent-calls.js';
export { Idempotent } from './idempotency/idempotent.decorator.js';
export { callKind } from './jobs/call-kind.js';
export { CallClock } from './jobs/call-row.js';
export {
  type CallState,
  DUE,
  DUE_AGAIN,
  type DurableCall,
  HANDED_OVER_AT,
  LEASE_SECONDS,
  POLL_AFTER_SECONDS,
  type ProviderAnswer,
  RELEASED,
  REOPENED,
  SETTLED,
  settledWith,
  stateAfter,
  type Transitions,
} from './jobs/durable-call.js';
export { DurableCalls } from './jobs/durable-calls.service.js';
export { Jobs, type OldRows } from './jobs/jobs.service.js';
export { callsCommand } from './open-calls/calls.command.js';
export { callLine, OpenCalls } from './open-calls/open-calls.repository.js';
export { KeyWatch } from './pii/key-watch.service.js';
export { KeyedHash, PiiCipher } from './pii/pii-cipher.js';
export { piiCommand } from './pii/pii.command.js';
export { CORE_USER_DATA } from './user-data.table.js';
export { PROOF, type UserRow, type UserTable, withheld } from './user-data/user-table.js';
