import { SealedAuditEvent, UnsealedAuditEvent } from './audit/audit-event.entity.js';
import { IdempotentCall } from './idempotency/idempotent-call.entity.js';
import { PROOF, type UserTable } from './user-data/user-table.js';

export const CORE_USER_DATA: readonly UserTable[] = [
  {
    entity: SealedAuditEvent,
    holds: 'actions on data of the person, with their actors',
    ofUser: (rows) => rows.where('t.subjectUserId = :userId'),
    hidden: ['proof', 'hash'],
    kept: `${PROOF}; 400 days`,
  },
  {
    entity: UnsealedAuditEvent,
    holds: 'audit events of the last seconds, not yet sealed',
    ofUser: (rows) => rows.where('t.subjectUserId = :userId'),
    hidden: ['proof'],
    kept: `${PROOF}; sealed within seconds`,
  },
  {
    entity: IdempotentCall,
    holds: 'answers to calls with an Idempotency-Key, and keyed hashes of refused bank accounts and names',
    ofUser: null,
    leftOut: 'found by a keyed hash of the call, not by user; copies of exported data',
    kept: 'not found by user; each is deleted within 24 hours',
  },
];
