import { type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { addToRequestScope, beforeAnswer, EarlyAnswer, type Outcome } from '@fd/envelope';
import { AppError, type ErrorCode, errorOf, GeneralErrors, IdempotencyErrors, isError } from '@fd/errors';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Clock, RateLimit } from '@fd/platform';
import { CallsOfUsers } from '../caller/calls-of-users.js';
import { KeyedHash } from '../pii/pii-cipher.js';
import { POLL_AFTER_SECONDS } from '../jobs/durable-call.js';
import { KEPT_BRIEFLY, OF_SESSION } from './idempotent-call.js';
import { IdempotentCallsRepository, type KeptAnswer } from './idempotent-calls.repository.js';
import { digestsOf, type RequestPart } from './request-digests.js';

const MAX_KEY_LENGTH = 255;
/** Retention of answers; shorter for answers with credentials. */
const KEPT_SECONDS = 86_400;
const KEPT_BRIEFLY_SECONDS = 60;

/** Share of the calls a minute that one address may make with a key and without a session, since each writes a record. */
const ANONYMOUS_SHARE = 0.1;

/**
 * Calls with a key that a user may make in a day at each replica, each a row with an answer of up to 5 KB: a journey
 * takes fifty.
 */
const MAX_OF_USER_PER_DAY = 1_000;

/** Anonymous callers are keyed by phone or refresh token, else by the address. */
const ANONYMOUS_FIELDS = ['phone', 'refresh_token'] as const;

/**
 * `Idempotency-Key` on every POST: the first answer is repeated for 24 hours. Answers that a repeat may improve (5xx,
 * 429) are not kept, nor refusals of calls without a session, which anyone could use to fill the table. Runs inside the
 * deadline, so that the answer of a call that ends after a 503 is kept, too.
 */
@Injectable()
export class IdempotentCalls {
  private readonly logger = new Logger(IdempotentCalls.name);
  private readonly ofUsers = new CallsOfUsers(MAX_OF_USER_PER_DAY);

  constructor(
    private readonly calls: IdempotentCallsRepository,
    private readonly hash: KeyedHash,
    private readonly reflector: Reflector,
    private readonly rateLimit: RateLimit,
    private readonly clock: Clock,
  ) {}

  /** Claims the call of a key. @throws the kept answer, the refusal of a key in use, or the refusal of too many keyed calls */
  async begin(context: ExecutionContext): Promise<void> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const key = request.headers['idempotency-key'];
    if (request.method !== 'POST' || typeof key !== 'string' || key === '') return;
    // webhooks: no answer before the check of the signature, and a separate table for repeats
    if (request.bodyBytes !== undefined) return;
    if (key.length > MAX_KEY_LENGTH) throw GeneralErrors.fieldInvalid({ field: 'Idempotency-Key' });
    await this.requireRoom(request);
    const has = (mark: symbol) => this.reflector.get<true | undefined>(mark, context.getHandler()) === true;
    const response = http.getResponse<Response>();
    const callIndex = this.hash.digest(
      'idempotent_calls.key',
      `${callerOf(request, has(OF_SESSION))}\u0000${key}`,
    );
    const claim = await this.calls.claimCall(
      callIndex,
      digestsOf(request, this.hash),
      has(KEPT_BRIEFLY) ? KEPT_BRIEFLY_SECONDS : KEPT_SECONDS,
    );
    switch (claim.outcome) {
      case 'running':
        throw IdempotencyErrors.callRunning({ retryAfterSeconds: claim.retryAfterSeconds });
      case 'other-call':
        throw IdempotencyErrors.keyReused({ hint: differenceIn(claim.differs) });
      case 'answered':
        response.setHeader('idempotent-replayed', 'true');
        throw answerOf(claim.answer, response);
      case 'mine':
        if (request.session) this.ofUsers.count(request.session.userId, this.clock.now().getTime());
        addToRequestScope({ callIndex: callIndex.toString('hex') });
        beforeAnswer(request, (outcome) => this.end(claim.id, outcome, { request, response }));
    }
  }

  /** Limits keyed calls, since each writes a record. @throws AppError the 429 */
  private async requireRoom(request: Request): Promise<void> {
    if (!request.session) return this.rateLimit.countShare('keyed', request, ANONYMOUS_SHARE);
    const retryAfterSeconds = this.ofUsers.secondsUntilNext(
      request.session.userId,
      this.clock.now().getTime(),
    );
    if (retryAfterSeconds > 0) throw GeneralErrors.tooManyRequests({ retryAfterSeconds });
  }

  /** Stores the answer. A successful call is answered even if its answer cannot be stored. */
  private async end(
    id: string,
    outcome: Outcome,
    { request, response }: { request: Request; response: Response },
  ): Promise<void> {
    const kept =
      'thrown' in outcome
        ? keptRefusal(outcome.thrown, request)
        : ({ kind: 'success', status: response.statusCode, payload: outcome.payload } as const);
    try {
      await (kept ? this.calls.keep(id, kept) : this.calls.giveUp(id));
    } catch (error) {
      this.logger.warn({ msg: 'an answer was not kept', reason: isError(error) ? error.name : typeof error });
    }
  }
}

function callerOf({ session, path, body, ip }: Request, isOfSession: boolean): string {
  if (session) return isOfSession ? `session:${session.sessionId}` : `user:${session.userId}`;
  const given = body as Partial<Record<string, unknown>>;
  const known = ANONYMOUS_FIELDS.map((field) => given[field]).find((value) => typeof value === 'string');
  return `${path}:${known ?? ip ?? 'unknown'}`;
}

/** What differs, and what to do. Not the fields: their names are the client's, and may be personal data. */
function differenceIn(parts: readonly RequestPart[]): string {
  const what = parts.length > 0 ? new Intl.ListFormat('en').format(parts) : 'request';
  const differ = parts.length > 1 ? 'differ' : 'differs';
  return `The ${what} ${differ} from the first call with this Idempotency-Key. Repeat that call unchanged, or use a new key.`;
}

function keptRefusal(error: unknown, { session }: Request): KeptAnswer | undefined {
  if (!session || !(error instanceof AppError) || error.httpStatus >= 500 || error.httpStatus === 429)
    return undefined;
  const refusals = error.refusals.map(({ error: { code }, field, hint }) => ({ code, field, hint }));
  return { kind: 'refusal', refusals, params: { ...error.params } };
}

function answerOf(answer: KeptAnswer, response: Response): AppError | EarlyAnswer {
  if (answer.kind === 'refusal') {
    const refusals = answer.refusals.map(({ code, ...where }) => ({
      error: errorOf(code as ErrorCode),
      ...where,
    }));
    return new AppError(refusals, { params: answer.params });
  }
  response.status(answer.status);
  if (answer.status === 202) response.setHeader('retry-after', POLL_AFTER_SECONDS);
  return new EarlyAnswer(answer.payload);
}
