import { AuditCheckpoint } from './audit/audit-checkpoint.entity.js';
import { SealedAuditEvent, UnsealedAuditEvent } from './audit/audit-event.entity.js';
import { IdempotentCall } from './idempotency/idempotent-call.entity.js';
import { KeyInUse } from './pii/key-in-use.entity.js';

export const CORE_ENTITIES = [
  AuditCheckpoint,
  IdempotentCall,
  KeyInUse,
  SealedAuditEvent,
  UnsealedAuditEvent,
];
