import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { timeLimit } from '@fd/envelope';
import { Clock, isRedisUnavailable, REDIS, type RedisClient, type RedisScript } from '@fd/platform';
import { OtpAbuseLimits, type SharedCount } from './otp-abuse-limits.js';
import { OtpCodes, type OtpSubject } from './otp-code.js';
import { CHECK_CODE, COUNT_SEND, PAUSE, SUBJECT_KEYS, UNDO_CHECK, WITHDRAW } from './otp.scripts.js';

type CountedSend =
  | { readonly outcome: 'suspended'; readonly by: SharedCount['by']; readonly waitMs: number }
  | { readonly outcome: 'paused' | 'exhausted'; readonly waitMs: number }
  | {
      readonly outcome: 'counted';
      /** Sends of this period before this one. */
      readonly used: number;
      readonly left: number;
      /** Milliseconds until the next send is accepted. */
      readonly waitMs: number;
      readonly nonce: string;
      readonly expiresAtMs: number;
      readonly leftMs: number;
    };

export type CheckedCode =
  | { readonly outcome: 'exhausted'; readonly waitMs: number }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'wrong'; readonly triesLeft: number; readonly atMs: number }
  | { readonly outcome: 'right'; readonly expiresAtMs: number; readonly atMs: number };

/** Time for retrying to undo a check while Redis is down, with doubling pauses. */
const UNDO_MS = timeLimit(30_000);
const FIRST_UNDO_PAUSE_MS = 20;
const LONGEST_UNDO_PAUSE_MS = 1_000;

@Injectable()
export class OtpStore {
  private readonly logger = new Logger(OtpStore.name);

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly clock: Clock,
    private readonly codes: OtpCodes,
    private readonly abuseLimits: OtpAbuseLimits,
  ) {}

  /** @throws the error of Redis. If Redis still counts the send later, the count is undone, because nothing is sent. */
  async countSend(
    subject: OtpSubject,
    sendId: string,
    newCode: { nonce: string; fingerprint: string; lifeMs: number },
  ): Promise<CountedSend> {
    const { nonce, fingerprint, lifeMs } = newCode;
    const shared = this.abuseLimits.countsOf(subject);
    const secretIds = this.codes.secretIds.join(',');
    const args = [sendId, nonce, fingerprint, lifeMs, secretIds, JSON.stringify(shared)];
    try {
      return (await this.run(COUNT_SEND, this.keysOf(subject, shared), args)) as CountedSend;
    } catch (error) {
      this.withdraw(subject, sendId).catch(() => undefined);
      throw error;
    }
  }

  /** Uncounts a send; idempotent. @param shared whether the counts that the subject shares with others keep it */
  async withdraw(subject: OtpSubject, sendId: string, shared: 'kept' | 'undone' = 'undone'): Promise<void> {
    await this.run(WITHDRAW, this.keysOf(subject), [sendId, shared]);
  }

  /**
   * @param callId equal for repeats with the idempotency key, which may use the code again
   * @param fingerprints of the code, one for each possible secret
   * @throws the error of Redis. If Redis still runs the script later, its effect is undone, because the answer is lost.
   */
  async check(
    subject: OtpSubject,
    { checkId, callId }: { checkId: string; callId: string },
    fingerprints: readonly string[],
  ): Promise<CheckedCode> {
    const args = [checkId, callId, fingerprints.join(',')];
    try {
      return (await this.run(CHECK_CODE, this.keysOf(subject), args)) as CheckedCode;
    } catch (error) {
      void this.undo(subject, checkId);
      throw error;
    }
  }

  async pause(subject: OtpSubject, waitMs: number): Promise<void> {
    await this.run(PAUSE, this.keysOf(subject), [Math.ceil(waitMs)]);
  }

  /**
   * Restores the code that this check has, or may have, consumed, as soon as Redis is available. Uses the connection of
   * the check first, to run after it, then the next one. Idempotent. Never throws: it succeeds unless Redis is down for
   * too long.
   */
  async undo(subject: OtpSubject, checkId: string): Promise<void> {
    const end = Date.now() + UNDO_MS;
    const [keys, args] = [this.keysOf(subject), [this.clock.aheadMs, checkId]];
    let pauseMs = FIRST_UNDO_PAUSE_MS;
    while (Date.now() < end) {
      try {
        return void (await UNDO_CHECK.runAsText(this.redis, keys, args));
      } catch (error) {
        if (!isRedisUnavailable(error))
          return this.logger.error({ msg: 'a code was not restored', err: error });
      }
      await sleep(pauseMs, undefined, { ref: false });
      pauseMs = Math.min(2 * pauseMs, LONGEST_UNDO_PAUSE_MS);
    }
  }

  private async run(script: RedisScript, keys: string[], args: (string | number)[]): Promise<unknown> {
    const reply = await script.run(this.redis, keys, [this.clock.aheadMs, ...args]);
    return JSON.parse(String(reply)) as unknown;
  }

  /**
   * All keys are in one slot of a cluster, so that one script can decide on a subject and its shared counts
   * (docs/adr/0021).
   */
  private keysOf(subject: OtpSubject, shared = this.abuseLimits.countsOf(subject)): string[] {
    const name = this.codes.key(subject);
    return [
      ...SUBJECT_KEYS.map((part) => `{otp}:${name}:${part}`),
      ...shared.flatMap(({ key }) => [`{otp}:${key}`, `{otp}:${key}:suspended`]),
    ];
  }
}
