import { type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AppError, GeneralErrors, reasonOf } from '@fd/errors';
import type { Request, Response } from 'express';
import { Registry } from 'prom-client';
import { validate as isUuid } from 'uuid';
import { counterFromZero, type KnownCounter } from '@fd/platform';
import { EntityManager } from 'typeorm';
import { JourneyConfig } from '../../config/index.js';
import { type AuditEntry, AuditTrail, isRecorded } from './audit-trail.js';
import type { AuditAction } from './audit-actions.table.js';

export const AUDIT = Symbol('audit action of a route');

/** The action of a route, or the reason to record nothing. */
export type AuditDeclaration = AuditedRoute | { readonly unaudited: string };

export interface AuditedRoute {
  readonly action: AuditAction;
  /** The action of a call with answer 202, whose work is not done yet. */
  readonly pending: AuditAction;
  /** Whether every success is recorded, because the call sends something; the limits of the route bound the number. */
  readonly isSending: boolean;
}

type AuditedCall = AuditEntry & AuditedRoute;

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
    private readonly manager: EntityManager,
    registry: Registry,
  ) {
    this.unrecorded = counterFromZero(registry, {
      name: 'audit_calls_unrecorded_total',
      help: 'Calls that could not be recorded in the audit trail, by outcome: ok (answered 503 instead), refused (answered)',
      series: [{ outcome: 'ok' }, { outcome: 'refused' }],
    });
  }

  callOf(context: ExecutionContext, userId: string): AuditedCall {
    const declared = this.reflector.get<AuditedRoute>(AUDIT, context.getHandler());
    const { params } = context.switchToHttp().getRequest<Request>();
    return { ...declared, subject: userId, ...this.namedIn(params) };
  }

  /** A refusal contains no data, so it may be sent without a record. */
  async recordFailure({ pending: _, isSending: __, ...call }: AuditedCall, thrown: unknown): Promise<void> {
    const refusal = thrown instanceof AppError ? thrown : undefined;
    const outcome = refusal && refusal.httpStatus < 500 ? 'REFUSED' : 'FAILED';
    await this.record({ ...call, outcome, code: refusal?.code ?? null }, 'refused');
  }

  /** @throws GeneralErrors.unavailable: an unrecorded success is not answered */
  async recordSuccess({ pending, isSending, ...call }: AuditedCall, response: Response): Promise<void> {
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
      await this.trail.record(this.manager, entry);
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
