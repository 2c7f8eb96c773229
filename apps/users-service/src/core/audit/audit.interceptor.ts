import {
  type CallHandler,
  type ExecutionContext,
  Inject,
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
import { USERS_CONFIG, type UsersConfig } from '../../config/index.js';
import type { AuditAction } from './audit-actions.table.js';
import { type AuditEntry, AuditTrail } from './audit-trail.js';
import { actingAs, isRecorded, userActor } from './audited-call.js';
import { AUDIT, type AuditDeclaration } from './audited.decorator.js';

/**
 * Tells every call that reads or changes data of a person. What a feature has recorded in the transaction of a change
 * is told already; all else is told before the answer leaves, and without that there is no answer.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor<unknown, unknown> {
  private readonly logger = new Logger(AuditInterceptor.name);
  private readonly untold: Counter<'outcome'>;

  constructor(
    private readonly trail: AuditTrail,
    @Inject(USERS_CONFIG) private readonly config: UsersConfig,
    private readonly reflector: Reflector,
    @InjectDataSource() private readonly dataSource: DataSource,
    registry: Registry,
  ) {
    this.untold = new Counter({
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
      actingAs(userActor(session.userId), () => this.told(call, response, handle), session.sessionId),
    );
  }

  /** @throws Error for a route that declares nothing: what nobody has thought of must not go out untold */
  private declarationOf(context: ExecutionContext): AuditDeclaration {
    const declared = this.reflector.get<AuditDeclaration | undefined>(AUDIT, context.getHandler());
    if (!declared) {
      throw new Error(
        `${context.getClass().name}.${context.getHandler().name} declares nothing for the audit trail`,
      );
    }
    return declared;
  }

  private async told(call: AuditEntry, response: Response, handle: () => Promise<unknown>): Promise<unknown> {
    let payload: unknown;
    try {
      payload = await handle();
    } catch (error) {
      await this.tellRefusal(call, error);
      throw error;
    }
    if (!isRecorded(call.action)) await this.tell(call, response);
    return payload;
  }

  /** @throws GeneralErrors.unavailable: what cannot be told is not answered */
  private async tell(call: AuditEntry, response: Response): Promise<void> {
    const isRepeated = response.getHeader('idempotent-replayed') !== undefined;
    try {
      await this.trail.record(this.dataSource.manager, { ...call, outcome: isRepeated ? 'REPEATED' : 'OK' });
    } catch (error) {
      this.noteUntold(call.action, 'ok', error);
      throw GeneralErrors.unavailable({ cause: error });
    }
  }

  /** Nothing goes out with a refusal, so it goes out in any case. */
  private async tellRefusal(call: AuditEntry, error: unknown): Promise<void> {
    const refusal = error instanceof AppError && error.httpStatus < 500 ? 'REFUSED' : 'FAILED';
    const code = error instanceof AppError ? (error.code ?? null) : null;
    try {
      await this.trail.record(this.dataSource.manager, { ...call, outcome: refusal, code });
    } catch (failure) {
      this.noteUntold(call.action, 'refused', failure);
    }
  }

  private noteUntold(action: AuditAction, outcome: 'ok' | 'refused', error: unknown): void {
    this.untold.inc({ outcome });
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
