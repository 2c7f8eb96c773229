import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock, isRedisUnavailable, REDIS, type RedisClient, type RedisScript } from '@fd/platform';
import { type OtpPolicy } from './otp.policy.js';
import { CHECK_CODE, COUNT_SEND, PAUSE, UNDO_CHECK } from './otp.scripts.js';

export type CountedSend =
  | { readonly outcome: 'paused' | 'exhausted'; readonly waitMs: number }
  | {
      readonly outcome: 'counted';
      /** Sends in the window before this one. */
      readonly used: number;
      readonly left: number;
      /** Until the next send is accepted. */
      readonly waitMs: number;
      readonly nonce: string;
      readonly expiresAtMs: number;
      /** Until the code expires. */
      readonly leftMs: number;
    };

export type CheckedCode =
  | { readonly outcome: 'paused' | 'dead'; readonly waitMs: number }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'wrong'; readonly triesLeft: number; readonly atMs: number }
  | { readonly outcome: 'right'; readonly expiresAtMs: number; readonly atMs: number };

export interface NewCode {
  readonly nonce: string;
  readonly fingerprint: string;
  readonly lifeMs: number;
  /** Secrets under which a code can be made anew; a code of another one is not sent again. */
  readonly secretIds: readonly string[];
}

type Reply = (string | number)[];

/** For how long a check is taken back while Redis does not answer, and after which pauses, of which each is twice the one before. */
const UNDO_MS = 30_000;
const FIRST_UNDO_PAUSE_MS = 20;
const LONGEST_UNDO_PAUSE_MS = 1_000;

/** Codes, sends and wrong checks of each subject in Redis. */
@Injectable()
export class OtpStore {
  private readonly logger = new Logger(OtpStore.name);

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly clock: Clock,
  ) {}

  async countSend(key: string, sendId: string, code: NewCode, policy: OtpPolicy): Promise<CountedSend> {
    const reply = await this.run(
      COUNT_SEND,
      [name(key, 'code'), name(key, 'sends'), name(key, 'pause')],
      [
        sendId,
        code.nonce,
        code.fingerprint,
        code.lifeMs,
        policy.renewSeconds * 1_000,
        policy.sendWindowSeconds * 1_000,
        policy.maxSends,
        policy.maxSendsPerDay,
        code.secretIds.join(','),
      ],
    );
    const [outcome, first, left, waitMs, nonce, expires, leftMs] = reply;
    if (outcome === 'paused' || outcome === 'exhausted') return { outcome, waitMs: Number(first) };
    return {
      outcome: 'counted',
      used: Number(first),
      left: Number(left),
      waitMs: Number(waitMs),
      nonce: String(nonce),
      expiresAtMs: Number(expires),
      leftMs: Number(leftMs),
    };
  }

  /** Takes a send back that reached nobody. */
  async uncountSend(key: string, sendId: string): Promise<void> {
    await this.redis.zrem(name(key, 'sends'), sendId);
  }

  /**
   * @param fingerprints of the code, one under each secret that it may have been made with
   * @throws the error of Redis. What it may still do once it wakes up is undone: nobody acts on the answer.
   */
  async check(
    key: string,
    checkId: string,
    fingerprints: readonly string[],
    policy: OtpPolicy,
  ): Promise<CheckedCode> {
    try {
      return await this.compare(key, checkId, fingerprints, policy);
    } catch (error) {
      void this.undo(key, checkId);
      throw error;
    }
  }

  /** Refuses checks and sends for so long. */
  async pause(key: string, waitMs: number): Promise<void> {
    await this.run(PAUSE, [name(key, 'pause')], [Math.ceil(waitMs)]);
  }

  /**
   * Makes the code usable again that this check has used, or may have used without an answer: as soon as Redis takes
   * it. Goes down the same connection first, behind the check; when that connection is lost, down the next one. Once
   * too often does no harm. Never fails: it is done, or Redis has been away for too long.
   */
  async undo(key: string, checkId: string): Promise<void> {
    const end = Date.now() + UNDO_MS;
    for (
      let pauseMs = FIRST_UNDO_PAUSE_MS;
      Date.now() < end;
      pauseMs = Math.min(2 * pauseMs, LONGEST_UNDO_PAUSE_MS)
    ) {
      try {
        const keys = [name(key, 'code'), name(key, 'used')];
        return void (await UNDO_CHECK.runAsText(this.redis, keys, [this.clock.aheadMs, checkId]));
      } catch (error) {
        if (!isRedisUnavailable(error))
          return this.logger.error({ msg: 'a code was not made usable again', err: error });
      }
      await sleep(pauseMs, undefined, { ref: false });
    }
  }

  private async compare(
    key: string,
    checkId: string,
    fingerprints: readonly string[],
    policy: OtpPolicy,
  ): Promise<CheckedCode> {
    const [outcome, first, now] = await this.run(
      CHECK_CODE,
      [name(key, 'code'), name(key, 'sends'), name(key, 'wrong'), name(key, 'pause'), name(key, 'used')],
      [
        checkId,
        fingerprints.join(','),
        policy.maxTries,
        policy.maxWrongPerHour,
        policy.pauseSeconds * 1_000,
        policy.maxWrongPerDay,
        policy.sendWindowSeconds * 1_000,
        policy.maxSends,
        policy.maxSendsPerDay,
      ],
    );
    if (outcome === 'paused' || outcome === 'dead') return { outcome, waitMs: Number(first) };
    if (outcome === 'wrong') return { outcome, triesLeft: Number(first), atMs: Number(now) };
    if (outcome === 'right') return { outcome, expiresAtMs: Number(first), atMs: Number(now) };
    return { outcome: 'none' };
  }

  private async run(script: RedisScript, keys: string[], args: (string | number)[]): Promise<Reply> {
    return (await script.run(this.redis, keys, [this.clock.aheadMs, ...args])) as Reply;
  }
}

/** The braces keep the keys of one subject in one slot of a cluster. */
function name(key: string, part: 'code' | 'sends' | 'wrong' | 'pause' | 'used'): string {
  return `otp:{${key}}:${part}`;
}
