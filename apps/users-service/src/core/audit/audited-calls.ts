import { type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { beforeAnswer, type Outcome } from '@fd/envelope';
import { AppError, GeneralErrors, reasonOf } from '@fd/errors';
import type { Request, Response } from 'express';
import { Registry } from 'prom-client';
import { validate as isUuid } from 'uuid';
import { counterFromZero, Database, type KnownCounter } from '@fd/platform';
import { JourneyConfig } from '../../config/index.js';
import { type AuditEntry, AuditTrail, beginCall, isRecorded, userActor } from './audit-trail.js';
import type { AuditAction } from './audit-actions.table.js';
import { AUDIT, type AuditDeclaration } from './audited.decorator.js';

/** A call of a route, for the record. */
interface AuditedCall extends AuditEntry {
  /** The action if the answer is 202. */
  readonly pending: AuditAction;
  /** Whether every success is recorded. */
  readonly isSending: boolean;
}

/**
 * Records every call that reads or changes personal data. If the feature has not recorded it in its own transaction,
 * the call is recorded before the answer is sent; without a record the call fails. Unchanged repeats and refusals of a
 * session are recorded once a minute.
 */
@Injectable()
export class AuditedCalls {
  private readonly logger = new Logger(AuditedCalls.name);
  private readonly unrecorded: KnownCounter<{ readonly outcome: 'ok' | 'refused' }>;

  constructor(
    private readonly trail: AuditTrail,
    private readonly config: JourneyConfig,
    private readonly reflector: Reflector,
    private readonly database: Database,
    registry: Registry,
  ) {
    this.unrecorded = counterFromZero({
      name: 'audit_calls_unrecorded_total',
      help: 'Calls that could not be recorded in the audit trail, by outcome: ok (answered 503 instead), refused (answered)',
      labelNames: ['outcome'],
      series: [{ outcome: 'ok' }, { outcome: 'refused' }],
      registers: [registry],
    });
  }

  /** @throws Error for a route that declares nothing: undeclared routes fail closed */
  begin(context: ExecutionContext): void {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { session, params } = request;
    // a public route identifies the caller itself
    if (!session) return beginCall('unknown');
    const declaration = this.declarationOf(context);
    beginCall(userActor(session.userId), session.sessionId);
    if ('unaudited' in declaration) return;
    const call = { ...declaration, subject: session.userId, ...this.namedIn(params) };
    const response = http.getResponse<Response>();
    beforeAnswer(request, (outcome) => this.end(call, outcome, response));
  }

  private declarationOf(context: ExecutionContext): AuditDeclaration {
    const declared = this.reflector.get<AuditDeclaration | undefined>(AUDIT, context.getHandler());
    if (declared) return declared;
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    throw new Error(`${route} declares nothing for the audit trail`);
  }

  /** @throws GeneralErrors.unavailable: an unrecorded success is not answered */
  private async end(begun: AuditedCall, ended: Outcome, response: Response): Promise<void> {
    const { pending, isSending, ...call } = begun;
    if ('thrown' in ended) {
      const refusal = ended.thrown instanceof AppError ? ended.thrown : undefined;
      const outcome = refusal && refusal.httpStatus < 500 ? 'REFUSED' : 'FAILED';
      // a refusal contains no data, so it may be sent without a record
      await this.record({ ...call, outcome, code: refusal?.code ?? null }, 'refused');
      return;
    }
    const action = response.statusCode === 202 ? pending : call.action;
    if (isRecorded(action)) {
      if (!isSending) this.trail.keepRepeatable({ ...call, action });
      return;
    }
    const isRepeated = response.getHeader('idempotent-replayed') !== undefined;
    const entry = { ...call, action, outcome: isRepeated ? 'REPEATED' : 'OK' } as const;
    const failure = await this.record(entry, 'ok', isSending && !isRepeated);
    if (failure) throw GeneralErrors.unavailable(failure);
  }

  /** @returns the reason of a failed record, or undefined */
  private async record(
    entry: AuditEntry,
    outcome: 'ok' | 'refused',
    isEachRecorded = false,
  ): Promise<{ readonly cause: unknown } | undefined> {
    try {
      if (!isEachRecorded && this.trail.isKnown(entry)) return undefined;
      await this.trail.record(this.database, entry);
      if (!isEachRecorded) this.trail.keepRepeatable(entry);
      return undefined;
    } catch (cause) {
      this.unrecorded.inc({ outcome });
      const { action } = entry;
      const reason = reasonOf(cause);
      this.logger.warn({ msg: 'a call was not recorded in the audit trail', action, outcome, reason });
      return { cause };
    }
  }

  /** Issuer and id in the path; ignores values that are not an issuer or a UUID of ours. */
  private namedIn(params: Readonly<Record<string, unknown>>): Pick<AuditEntry, 'issuer' | 'object'> {
    const { issuer_slug: slug, ...ids } = params;
    const issuer = this.config.issuers.find((known) => known.slug === slug)?.slug;
    const object = Object.values(ids).find((id): id is string => isUuid(id));
    return { ...(issuer ? { issuer } : {}), ...(object ? { object } : {}) };
  }
}
