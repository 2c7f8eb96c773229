import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AppError, GeneralErrors, isError } from '@fd/errors';
import type { Request, Response } from 'express';
import { Counter, Registry } from 'prom-client';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { validate as isUuid } from 'uuid';
import { Database } from '@fd/platform';
import { JourneyConfig } from '../../config/index.js';
import { actingAs, type AuditEntry, AuditTrail, isRecorded, userActor } from './audit-trail.js';
import { AUDIT, type AuditDeclaration } from './audited.decorator.js';

/**
 * Records every call that reads or changes data of a person. A feature may have recorded it in the transaction of its
 * change; every other call is recorded before the answer leaves, and without the record there is no answer.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor<unknown, unknown> {
  private readonly logger = new Logger(AuditInterceptor.name);
  private readonly unrecorded: Counter<'outcome'>;

  constructor(
    private readonly trail: AuditTrail,
    private readonly config: JourneyConfig,
    private readonly reflector: Reflector,
    private readonly database: Database,
    registry: Registry,
  ) {
    this.unrecorded = new Counter({
      name: 'audit_calls_untold_total',
      help: 'Calls that could not be recorded in the audit trail: ok (answered 503 instead), refused (answered)',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const http = context.switchToHttp();
    const { session, params } = http.getRequest<Request>();
    const handle = (): Promise<unknown> => lastValueFrom(next.handle(), { defaultValue: undefined });
    // who calls a public route is known by what the route finds out
    if (!session) return from(actingAs('unknown', handle));
    const actor = userActor(session.userId);
    const declaration = this.declarationOf(context);
    if ('unaudited' in declaration) return from(actingAs(actor, handle, session.sessionId));
    const call = { action: declaration.action, subject: session.userId, ...this.namedIn(params) };
    const response = http.getResponse<Response>();
    return from(actingAs(actor, () => this.recorded(call, response, handle), session.sessionId));
  }

  /** @throws Error for a route that declares nothing: undeclared routes fail closed */
  private declarationOf(context: ExecutionContext): AuditDeclaration {
    const declared = this.reflector.get<AuditDeclaration | undefined>(AUDIT, context.getHandler());
    if (declared) return declared;
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    throw new Error(`${route} declares nothing for the audit trail`);
  }

  /** @throws GeneralErrors.unavailable: an unrecorded success is not answered */
  private async recorded(
    call: AuditEntry,
    response: Response,
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    let payload: unknown;
    try {
      payload = await handle();
    } catch (error) {
      const refusal = error instanceof AppError ? error : undefined;
      const outcome = refusal && refusal.httpStatus < 500 ? 'REFUSED' : 'FAILED';
      // a refusal holds no data, so it is answered in any case
      await this.record({ ...call, outcome, code: refusal?.code ?? null }, 'refused');
      throw error;
    }
    if (isRecorded(call.action)) return payload;
    const isRepeated = response.getHeader('idempotent-replayed') !== undefined;
    const failure = await this.record({ ...call, outcome: isRepeated ? 'REPEATED' : 'OK' }, 'ok');
    if (failure) throw GeneralErrors.unavailable(failure);
    return payload;
  }

  /** @returns why it could not be recorded, or undefined */
  private async record(
    entry: AuditEntry,
    outcome: 'ok' | 'refused',
  ): Promise<{ readonly cause: unknown } | undefined> {
    try {
      await this.trail.record(this.database, entry);
      return undefined;
    } catch (cause) {
      this.unrecorded.inc({ outcome });
      const reason = isError(cause) ? cause.message : typeof cause;
      const { action } = entry;
      this.logger.warn({ msg: 'a call was not recorded in the audit trail', action, outcome, reason });
      return { cause };
    }
  }

  /** What the path names. What a client made up is no issuer, and no id of ours. */
  private namedIn(params: Readonly<Record<string, unknown>>): Pick<AuditEntry, 'issuer' | 'object'> {
    const { issuer_slug: slug, ...ids } = params;
    const issuer = this.config.issuers.find((known) => known.slug === slug)?.slug;
    const object = Object.values(ids).find((id): id is string => isUuid(id));
    return { ...(issuer ? { issuer } : {}), ...(object ? { object } : {}) };
  }
}
