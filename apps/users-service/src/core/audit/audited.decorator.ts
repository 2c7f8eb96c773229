import { SetMetadata } from '@nestjs/common';
import type { AuditAction } from './audit-actions.table.js';

export const AUDIT = Symbol('what the audit trail records of a route');

/** What a route declares: its action, or why there is nothing to record. */
export type AuditDeclaration = { readonly action: AuditAction } | { readonly unaudited: string };

/** Calls of this route are recorded in the audit trail as this action, with their outcome. */
export const Audited = (action: AuditAction): MethodDecorator =>
  SetMetadata<symbol, AuditDeclaration>(AUDIT, { action });

/**
 * Calls of this route are not recorded: it neither reads nor changes data of a person.
 * @param why for the reviewer of the route
 */
export const Unaudited = (why: string): MethodDecorator =>
  SetMetadata<symbol, AuditDeclaration>(AUDIT, { unaudited: why });
