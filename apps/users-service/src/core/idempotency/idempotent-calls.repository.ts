import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { DEADLINE_MS, timeLimit } from '@fd/envelope';
import { Database } from '@fd/platform';
import type { OldRows } from '../jobs/jobs.service.js';
import { PiiCipher } from '../pii/pii-cipher.js';
import { differingParts, isSameRequest, type RequestDigests, type RequestPart } from './request-digests.js';

/**
 * Age at which an unanswered call is considered dead, so that the next one may replace it. The claim starts after the
 * request, so its deadline has passed by then.
 */
const HELD_SECONDS = DEADLINE_MS / 1_000 + timeLimit(1);

export const OLD_CALLS: OldRows = {
  name: 'idempotent calls',
  table: 'idempotent_calls',
  where: 'expires_at < now()',
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

/** The stored answer of a call. */
export type KeptAnswer = z.output<typeof keptAnswer>;

type Claim =
  | { readonly outcome: 'mine'; readonly id: string }
  | { readonly outcome: 'other-call'; readonly differs: readonly RequestPart[] }
  | { readonly outcome: 'running'; readonly retryAfterSeconds: number }
  | { readonly outcome: 'answered'; readonly answer: KeptAnswer };

/** The call that holds a key. */
interface FormerCall extends RequestDigests {
  readonly id: string;
  readonly answer: string | null;
  /** Seconds until its claim can be taken over. */
  readonly retryAfterSeconds: number;
}

/**
 * Calls by idempotency key. The unique index decides who makes a call; answers are encrypted, since they hold tokens and
 * names.
 */
@Injectable()
export class IdempotentCallsRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
  ) {}

  /**
   * Claims a call, or returns the outcome of the call that claimed it before.
   * @param keptSeconds for how long the answer is to be repeated
   */
  async claimCall(callIndex: Buffer, request: RequestDigests, keptSeconds: number): Promise<Claim> {
    const id = uuidv7();
    const claimed = await this.database.query<{ id: string }[]>(
      `INSERT INTO onboarding.idempotent_calls AS c (id, call_index, fingerprint, part_digests, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
       ON CONFLICT (call_index) DO UPDATE
         SET id = excluded.id, fingerprint = excluded.fingerprint, part_digests = excluded.part_digests,
             started_at = now(), expires_at = excluded.expires_at, answer_encrypted = NULL
       WHERE c.expires_at < now()
          OR (c.answer_encrypted IS NULL
              AND (c.part_digests = excluded.part_digests OR c.fingerprint = excluded.fingerprint)
              AND c.started_at < now() - make_interval(secs => $6))
       RETURNING id`,
      [id, callIndex, request.fingerprint, request.parts, keptSeconds, HELD_SECONDS],
    );
    if (claimed.length > 0) return { outcome: 'mine', id };
    const [row] = await this.database.query<FormerCall[]>(
      `SELECT id, fingerprint, part_digests AS parts, answer_encrypted AS answer,
              greatest(1, ceil(extract(epoch FROM started_at - now()) + $2))::int AS "retryAfterSeconds"
         FROM onboarding.idempotent_calls WHERE call_index = $1`,
      [callIndex, HELD_SECONDS],
    );
    // released meanwhile: the client may call again
    if (!row) return { outcome: 'running', retryAfterSeconds: 1 };
    if (!isSameRequest(row, request)) return { outcome: 'other-call', differs: differingParts(row, request) };
    if (row.answer === null) return { outcome: 'running', retryAfterSeconds: row.retryAfterSeconds };
    const answer = this.cipher.decrypt(row.answer, locationOf(row.id));
    return { outcome: 'answered', answer: keptAnswer.parse(JSON.parse(answer)) };
  }

  async keep(id: string, answer: KeptAnswer): Promise<void> {
    const sealed = this.cipher.encrypt(JSON.stringify(answer), locationOf(id));
    const update = 'UPDATE onboarding.idempotent_calls SET answer_encrypted = $2 WHERE id = $1';
    await this.database.query(update, [id, sealed]);
  }

  /** Releases the key for a repeat of the call. */
  async giveUp(id: string): Promise<void> {
    await this.database.query('DELETE FROM onboarding.idempotent_calls WHERE id = $1', [id]);
  }
}

const locationOf = (id: string) => ({ table: 'idempotent_calls', column: 'answer', id });
