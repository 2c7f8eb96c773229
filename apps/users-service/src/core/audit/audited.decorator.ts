import { SetMetadata } from '@nestjs/common';
import type { AuditAction } from './audit-actions.table.js';

export const AUDIT = Symbol('what the audit trail records of a route');

/** What a route declares: its action, or why there is nothing to record. */
export type AuditDeclaration = AuditedRoute | { readonly unaudited: string };

interface AuditedRoute {
  readonly action: AuditAction;
  /** The action of a call that is answered with 202, where it has not been done yet. */
  readonly pending: AuditAction;
  /** Whether every success is recorded, since it sends something: the limits of the route bound how many there are. */
  readonly isSending: boolean;
}

/**
 * Calls of this route are recorded in the audit trail as this action, with their outcome: repeats by one session once a minute,
 * unless the route is one that sends. What changes data is recorded by the feature, each time.
 */
export const Audited = (
  action: AuditAction,
  { pending = action, isSending = false }: Partial<Omit<AuditedRoute, 'action'>> = {},
): MethodDecorator => SetMetadata<symbol, AuditDeclaration>(AUDIT, { action, pending, isSending });

/**
 * Calls of this route are not recorded: it neither reads nor changes data of a person.
 * @param why for the reviewer of the route
 */
export const Unaudited = (why: string): MethodDecorator =>
  SetMetadata<symbol, AuditDeclaration>(AUDIT, { unaudited: why });
