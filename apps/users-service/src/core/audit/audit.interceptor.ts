import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AppError, GeneralErrors, isError } from '@fd/errors';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Request, Response } from 'express';
import { Counter, Registry } from 'prom-client';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { DataSource } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { JourneyConfig } from '../../config/index.js';
import type { AuditAction } from './audit-actions.table.js';
import { type AuditEntry, AuditTrail } from './audit-trail.js';
import { actingAs, isRecorded, userActor } from './audited-call.js';
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
    @InjectDataSource() private readonly dataSource: DataSource,
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
    const declaration = this.declarationOf(context);
    if ('unaudited' in declaration) {
      return from(actingAs(userActor(session.userId), handle, session.sessionId));
    }
    const call = { action: declaration.action, subject: session.userId, ...this.namedIn(params) };
    const response = http.getResponse<Response>();
    return from(
      actingAs(userActor(session.userId), () => this.recorded(call, response, handle), session.sessionId),
    );
  }

  /** @throws Error for a route that declares nothing: undeclared routes fail closed */
  private declarationOf(context: ExecutionContext): AuditDeclaration {
    const declared = this.reflector.get<AuditDeclaration | undefined>(AUDIT, context.getHandler());
    if (!declared) {
      throw new Error(
        `${context.getClass().name}.${context.getHandler().name} declares nothing for the audit trail`,
      );
    }
    return declared;
  }

  private async recorded(
    call: AuditEntry,
    response: Response,
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    let payload: unknown;
    try {
      payload = await handle();
    } catch (error) {
      await this.recordRefusal(call, error);
      throw error;
    }
    if (!isRecorded(call.action)) await this.recordSuccess(call, response);
    return payload;
  }

  /** @throws GeneralErrors.unavailable: an unrecorded success is not answered */
  private async recordSuccess(call: AuditEntry, response: Response): Promise<void> {
    const isRepeated = response.getHeader('idempotent-replayed') !== undefined;
    try {
      await this.trail.record(this.dataSource.manager, { ...call, outcome: isRepeated ? 'REPEATED' : 'OK' });
    } catch (error) {
      this.noteUnrecorded(call.action, 'ok', error);
      throw GeneralErrors.unavailable({ cause: error });
    }
  }

  /** Nothing goes out with a refusal, so it goes out in any case. */
  private async recordRefusal(call: AuditEntry, error: unknown): Promise<void> {
    const refusal = error instanceof AppError && error.httpStatus < 500 ? 'REFUSED' : 'FAILED';
    const code = error instanceof AppError ? (error.code ?? null) : null;
    try {
      await this.trail.record(this.dataSource.manager, { ...call, outcome: refusal, code });
    } catch (failure) {
      this.noteUnrecorded(call.action, 'refused', failure);
    }
  }

  private noteUnrecorded(action: AuditAction, outcome: 'ok' | 'refused', error: unknown): void {
    this.unrecorded.inc({ outcome });
    const reason = isError(error) ? error.message : typeof error;
    this.logger.warn({ msg: 'a call was not recorded in the audit trail', action, outcome, reason });
  }

  /** What the path names. What a client made up is no issuer, and no id of ours. */
  private namedIn(params: Readonly<Record<string, unknown>>): Pick<AuditEntry, 'issuer' | 'object'> {
    const { issuer_slug: slug, ...ids } = params;
    const issuer = this.config.issuers.find((known) => known.slug === slug)?.slug;
    const object = Object.values(ids).find((id): id is string => isUuid(id));
    return { ...(issuer ? { issuer } : {}), ...(object ? { object } : {}) };
  }
}
