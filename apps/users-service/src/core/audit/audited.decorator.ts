import { SetMetadata } from '@nestjs/common';
import type { AuditAction } from './audit-actions.table.js';

export const AUDIT = Symbol('what the audit trail records of a route');

/** What a route declares: its action, or why there is nothing to record. */
export type AuditDeclaration =
  { readonly action: AuditAction; readonly pending: AuditAction } | { readonly unaudited: string };

/**
 * Calls of this route are recorded in the audit trail as this action, with their outcome.
 * @param pending the action of a call that is answered with 202, where it has not been done yet
 */
export const Audited = (action: AuditAction, pending = action): MethodDecorator =>
  SetMetadata<symbol, AuditDeclaration>(AUDIT, { action, pending });

/**
 * Calls of this route are not recorded: it neither reads nor changes data of a person.
 * @param why for the reviewer of the route
 */
export const Unaudited = (why: string): MethodDecorator =>
  SetMetadata<symbol, AuditDeclaration>(AUDIT, { unaudited: why });
