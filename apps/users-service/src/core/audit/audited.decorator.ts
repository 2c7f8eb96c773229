import { SetMetadata } from '@nestjs/common';
import type { AuditAction } from './audit-actions.table.js';

export const AUDIT = Symbol('what the audit trail tells of a route');

/** What a route declares: its action, or why there is nothing to tell. */
export type AuditDeclaration = { readonly action: AuditAction } | { readonly unaudited: string };

/** Calls of this route are told in the audit trail as this action, with their outcome. */
export const Audited = (action: AuditAction): MethodDecorator =>
  SetMetadata<symbol, AuditDeclaration>(AUDIT, { action });

/**
 * Calls of this route are not told: it neither reads nor changes data of a person.
 * @param why for whoever reviews the route
 */
export const Unaudited = (why: string): MethodDecorator =>
  SetMetadata<symbol, AuditDeclaration>(AUDIT, { unaudited: why });
