import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import type { AuditAction } from './audit-actions.table.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { AUDIT, type AuditDeclaration, type AuditedRoute } from './audited-calls.js';

/**
 * Records calls of this route in the audit trail with their outcome, repeats of one session once a minute unless the
 * route sends something. The feature itself records each change of data.
 */
export const Audited = (
  action: AuditAction,
  { pending = action, isSending = false }: Partial<Omit<AuditedRoute, 'action'>> = {},
): MethodDecorator =>
  applyDecorators(
    SetMetadata<symbol, AuditDeclaration>(AUDIT, { action, pending, isSending }),
    UseInterceptors(AuditInterceptor),
  );

/** Records nothing: the route neither reads nor changes personal data. @param why for the reviewer */
export const Unaudited = (why: string): MethodDecorator =>
  SetMetadata<symbol, AuditDeclaration>(AUDIT, { unaudited: why });
