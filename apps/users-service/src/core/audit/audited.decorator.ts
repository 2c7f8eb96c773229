import { SetMetadata } from '@nestjs/common';
import type { AuditAction } from './audit-actions.table.js';

export const AUDIT = Symbol('audit action of a route');

/** The action of a route, or the reason to record nothing. */
export type AuditDeclaration = AuditedRoute | { readonly unaudited: string };

interface AuditedRoute {
  readonly action: AuditAction;
  /** The action of a call with answer 202, whose work is not done yet. */
  readonly pending: AuditAction;
  /** Whether every success is recorded, because the call sends something; the limits of the route bound the number. */
  readonly isSending: boolean;
}

/**
 * Records calls of this route in the audit trail with their outcome, repeats of one session once a minute unless the
 * route sends something. The feature itself records each change of data.
 */
export const Audited = (
  action: AuditAction,
  { pending = action, isSending = false }: Partial<Omit<AuditedRoute, 'action'>> = {},
): MethodDecorator => SetMetadata<symbol, AuditDeclaration>(AUDIT, { action, pending, isSending });

/**
 * Records nothing: the route neither reads nor changes personal data.
 * @param why for the reviewer
 */
export const Unaudited = (why: string): MethodDecorator =>
  SetMetadata<symbol, AuditDeclaration>(AUDIT, { unaudited: why });
