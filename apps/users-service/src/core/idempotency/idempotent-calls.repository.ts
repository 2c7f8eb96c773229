import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { OldRows } from '../jobs/jobs.service.js';
import { PiiCipher } from '../pii/pii-cipher.js';
import { IdempotentCall } from './idempotent-call.entity.js';
import { CLAIM_CALL, FIND_CALL, NOTE_CALL } from './idempotent-calls.queries.js';
import { differingParts, isSameRequest, type RequestDigests, type RequestPart } from './request-digests.js';

export const OLD_CALLS: OldRows = {
  name: 'idempotent calls',
  entity: IdempotentCall,
  select: (rows) => rows.where('t.expiresAt < now()'),
};

const keptAnswer = z.discriminatedUnion('kind', [
  // JSON cannot represent an absent payload
  z.object({ kind: z.literal('success'), status: z.number(), payload: z.unknown().optional() }),
  z.object({
    kind: z.literal('refusal'),
    refusals: z.array(
      z.object({ code: z.string(), field: z.string().optional(), hint: z.string().optional() }),
    ),
    params: z.record(z.string(), z.union([z.string(), z.number()])),
  }),
]);

export type KeptAnswer = z.output<typeof keptAnswer>;

type Claim =
  | { readonly outcome: 'mine'; readonly id: string }
  | { readonly outcome: 'other-call'; readonly differs: readonly RequestPart[] }
  | { readonly outcome: 'running'; readonly retryAfterSeconds: number }
  | { readonly outcome: 'answered'; readonly answer: KeptAnswer };

/**
 * Calls by idempotency key. The unique index decides who makes a call; answers are encrypted, since they hold tokens and
 * names.
 */
@Injectable()
export class IdempotentCallsRepository {
  constructor(
    @InjectRepository(IdempotentCall) private readonly rows: Repository<IdempotentCall>,
    private readonly cipher: PiiCipher,
  ) {}

  /**
   * Claims a call, or returns the outcome of the call that claimed it before.
   * @param keptSeconds for how long the answer is to be repeated
   */
  async claimCall(callIndex: Buffer, request: RequestDigests, keptSeconds: number): Promise<Claim> {
    const id = uuidv7();
    const { manager } = this.rows;
    const { fingerprint, parts } = request;
    const claimed = await CLAIM_CALL.rows(manager, { id, callIndex, fingerprint, parts, keptSeconds });
    if (claimed.length > 0) return { outcome: 'mine', id };
    const [row] = await FIND_CALL.rows(manager, { callIndex });
    // released meanwhile: the client may call again
    if (!row) return { outcome: 'running', retryAfterSeconds: 1 };
    if (!isSameRequest(row, request)) return { outcome: 'other-call', differs: differingParts(row, request) };
    if (row.answer === null) return { outcome: 'running', retryAfterSeconds: row.retryAfterSeconds };
    const answer = this.cipher.decrypt(row.answer, locationOf(row.id));
    return { outcome: 'answered', answer: keptAnswer.parse(JSON.parse(answer)) };
  }

  /** Notes a call without a key in its transaction. @returns false if it is noted already */
  async note(tx: EntityManager, callIndex: Buffer, keptSeconds: number): Promise<boolean> {
    const noted = await NOTE_CALL.rows(tx, { id: uuidv7(), callIndex, keptSeconds });
    return noted.length > 0;
  }

  async keep(id: string, answer: KeptAnswer): Promise<void> {
    const answerEncrypted = this.cipher.encrypt(JSON.stringify(answer), locationOf(id));
    await this.rows.update({ id }, { answerEncrypted });
  }

  async giveUp(id: string): Promise<void> {
    await this.rows.delete({ id });
  }
}

const locationOf = (id: string) => ({ table: 'idempotent_calls', column: 'answer', id });
