import { type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { addToRequestStore } from '@fd/envelope';
import { AppError, type ErrorCode, errorOf, GeneralErrors, IdempotencyErrors, isError } from '@fd/errors';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import { AddressLimit, Clock } from '@fd/platform';
import { CallsOfUsers } from '../caller/calls-of-users.js';
import { countedAs } from '../caller/current-session.decorator.js';
import { KeyedHash } from '../pii/pii-cipher.js';
import { POLL_AFTER_SECONDS } from '../jobs/durable-call.js';
import type { IdempotentCallStore } from './record-id.js';
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

/** Calls without a key that are noted for a user in a day at each replica; further ones count as repeats. */
const MAX_NOTED_PER_DAY = 100;

export const IDEMPOTENT_ROUTE = Reflector.createDecorator<IdempotentRoute>();

export interface IdempotentRoute {
  /**
   * The route acts on the caller's session, or returns a link whose return address its partner must allow: the same key in another
   * session of the user is a different call and must not get the first answer.
   */
  readonly isOfSession: boolean;
  /**
   * The answer has credentials: kept long enough for a client that lost it, and no longer, because a kept answer would extend the
   * validity of a used code or token.
   */
  readonly isKeptBriefly: boolean;
}

/** Anonymous callers are keyed by phone or refresh token, else by the address. */
const ANONYMOUS_FIELDS = ['phone', 'refresh_token'] as const;

/**
 * Calls with an `Idempotency-Key`: its first answer is repeated for 24 hours. Answers that a repeat may
 * improve (5xx, 429) are not kept, nor refusals of calls without a session, which anyone could use to fill the table. The answer of
 * a call that ends after its deadline is kept, too.
 */
@Injectable()
export class IdempotentCalls {
  private readonly logger = new Logger(IdempotentCalls.name);
  private readonly ofUsers = new CallsOfUsers(MAX_OF_USER_PER_DAY);
  private readonly notedOfUsers = new CallsOfUsers(MAX_NOTED_PER_DAY);

  constructor(
    private readonly calls: IdempotentCallsRepository,
    private readonly hash: KeyedHash,
    private readonly reflector: Reflector,
    private readonly addressLimit: AddressLimit,
    private readonly clock: Clock,
  ) {}

  /**
   * Claims the call of a key.
   * @returns its id, or the repeated answer
   * @throws the kept refusal, the refusal of a key in use, or the refusal of too many keyed calls
   */
  async claim(
    context: ExecutionContext,
    key: string,
  ): Promise<{ readonly id: string } | { readonly payload: unknown }> {
    if (key.length > MAX_KEY_LENGTH) throw GeneralErrors.fieldInvalid({ field: 'Idempotency-Key' });
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!request.user) await this.addressLimit.countShare('keyed', request, ANONYMOUS_SHARE);
    const { isOfSession, isKeptBriefly } = this.reflector.get(IDEMPOTENT_ROUTE, context.getHandler());
    const callIndex = this.hash.digest(
      'idempotent_calls.key',
      `${callerOf(request, isOfSession)}\u0000${key}`,
    );
    const claim = await this.calls.claimCall(
      callIndex,
      digestsOf(request, this.hash),
      isKeptBriefly ? KEPT_BRIEFLY_SECONDS : KEPT_SECONDS,
    );
    switch (claim.outcome) {
      case 'running':
        throw IdempotencyErrors.callRunning({ retryAfterSeconds: claim.retryAfterSeconds });
      case 'other-call':
        throw IdempotencyErrors.keyReused({ hint: differenceIn(claim.differs) });
      case 'answered':
        return { payload: repeat(claim.answer, http.getResponse<Response>()) };
      case 'mine':
        await this.countNew(claim.id, request);
        addToRequestStore<IdempotentCallStore>({ callIndex: callIndex.toString('hex') });
        return { id: claim.id };
    }
  }

  /**
   * Whether a call is made for the first time within the time in which a repeated key would get the first answer; noted in the transaction of
   * its effect. For calls of which nothing else is stored, since a client may repeat them without a key.
   * @param call what tells it from others
   */
  async isFirst(tx: EntityManager, userId: string, call: string): Promise<boolean> {
    const nowMs = this.clock.now().getTime();
    if (this.notedOfUsers.secondsUntilNext(userId, nowMs) > 0) return false;
    const callIndex = this.hash.digest('idempotent_calls.call', `${userId} ${call}`);
    const isFirst = await this.calls.note(tx, callIndex, KEPT_SECONDS);
    if (isFirst) this.notedOfUsers.count(userId, nowMs);
    return isFirst;
  }

  /**
   * Stores the answer; releases the key for a repeat without one that a repeat would get. A successful call is answered even if its answer
   * cannot be stored.
   */
  async keep(id: string, answer: KeptAnswer | undefined): Promise<void> {
    try {
      await (answer ? this.calls.keep(id, answer) : this.calls.giveUp(id));
    } catch (error) {
      this.logger.warn({ msg: 'an answer was not kept', reason: isError(error) ? error.name : typeof error });
    }
  }

  /** Limits the records of a user; a repeat of an earlier call writes none. @throws AppError the 429 */
  private async countNew(id: string, { user }: Request): Promise<void> {
    if (!user) return;
    const [caller, nowMs] = [countedAs(user), this.clock.now().getTime()];
    const retryAfterSeconds = this.ofUsers.secondsUntilNext(caller, nowMs);
    if (retryAfterSeconds > 0) {
      await this.calls.giveUp(id);
      throw GeneralErrors.tooManyRequests({ retryAfterSeconds });
    }
    this.ofUsers.count(caller, nowMs);
  }
}

function callerOf({ user, path, body, ip }: Request, isOfSession: boolean): string {
  if (user) return isOfSession ? `session:${user.sessionId}` : `user:${user.userId}`;
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

/** The part of a refusal that a repeat gets too. */
export function keptRefusal(error: unknown, { user }: Request): KeptAnswer | undefined {
  if (!user || !(error instanceof AppError) || error.httpStatus >= 500 || error.httpStatus === 429)
    return undefined;
  const refusals = error.refusals.map(({ error: { code }, field, hint }) => ({ code, field, hint }));
  return { kind: 'refusal', refusals, params: { ...error.params } };
}

/** The payload of a kept answer, with its status and headers. @throws AppError the kept refusal */
function repeat(answer: KeptAnswer, response: Response): unknown {
  response.setHeader('idempotent-replayed', 'true');
  if (answer.kind === 'refusal') {
    const refusals = answer.refusals.map(({ code, ...where }) => ({
      error: errorOf(code as ErrorCode),
      ...where,
    }));
    throw new AppError(refusals, { params: answer.params });
  }
  response.status(answer.status);
  if (answer.status === 202) response.setHeader('retry-after', POLL_AFTER_SECONDS);
  return answer.payload;
}
