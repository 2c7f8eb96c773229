import { Injectable, Logger } from '@nestjs/common';
import { within, timeLimit } from '@fd/envelope';
import { Clock, Database, isDatabaseUnavailable, type Queryable } from '@fd/platform';
import { KeyedHash, type OldRows } from '../../core/index.js';
import type { OtpSubject } from './otp-code.js';
import { MAX_MAILS_PER_DAY, OTP_POLICY } from './otp.policy.js';

/** Columns of `otp_counts` with the times of counted events. */
type List = 'sends' | 'wrong_checks';

type DayPermit =
  | { readonly isGranted: true; readonly at: Date }
  | { readonly isGranted: false; readonly full: List; readonly waitMs: number };

/** The counts of one subject, with the parameters of their statements: keyed hash, time, seconds ahead. */
interface Counts {
  readonly parameters: readonly [index: Buffer, at: Date | null, aheadSeconds: number];
  /** Maximum of each list within 24 hours. */
  readonly limits: Readonly<Record<List, number>>;
}

const OTP_LIMITS = { sends: OTP_POLICY.maxSendsPerDay, wrong_checks: OTP_POLICY.maxWrongPerDay };
const MAIL_LIMITS = { ...OTP_LIMITS, sends: MAX_MAILS_PER_DAY };

/** Timeout of PostgreSQL for a send, which also waits for its providers. */
const TIMEOUT_MS = timeLimit(300);

export const OLD_OTP_COUNTS: OldRows = {
  name: 'old counts of codes',
  table: 'otp_counts',
  key: 'subject_index',
  where: "last_at <= now() - interval '24 hours'",
};

/** Time in milliseconds, from Redis ($2) or else from PostgreSQL; only tests set $3. */
const NOW = `date_trunc('milliseconds', coalesce($2, statement_timestamp() + make_interval(secs => $3)))`;

/** Entries of a list that still count. */
const current = (list: List): string =>
  `ARRAY(SELECT t FROM unnest(c.${list}) t WHERE t > excluded.last_at - interval '24 hours')`;

/**
 * Adds to a list, or clears the wrong checks. No row if the wrong checks, or for an added send the sends, are used up.
 * @param at time of the counted event
 */
function counting(limits: Counts['limits'], index: string, at: string, added?: List): string {
  const limiting: List[] = added === 'sends' ? ['sends', 'wrong_checks'] : ['wrong_checks'];
  const room = limiting.map((list) => `cardinality(${current(list)}) < ${limits[list]}`);
  const next = added ? `${added} = ${current(added)} || excluded.last_at` : `wrong_checks = '{}'`;
  return `
    INSERT INTO onboarding.otp_counts AS c (subject_index, last_at, ${added ?? 'sends'})
    VALUES (${index}, ${at}, ${added ? `ARRAY[${at}]` : `'{}'`})
    ON CONFLICT (subject_index) DO UPDATE SET ${next}, last_at = excluded.last_at WHERE ${room.join(' AND ')}
    RETURNING last_at AS at`;
}

/** Records a correct check within the statement that uses it. The daily sends stay counted. */
export const startAnew = (index: string, at: string): string => counting(OTP_LIMITS, index, at);

/**
 * A second copy of the daily limits, in PostgreSQL: Redis decides, and this copy survives a Redis that was emptied or
 * failed over. Sending a code works without PostgreSQL; checking a code does not.
 *
 * One row for each subject, found by a keyed hash. Each change is one statement that locks the row and reads its newest
 * state, so counts are exact across replicas. Times come from Redis where it counts too, so that both agree on the end
 * of a day.
 */
@Injectable()
export class OtpDayLimits {
  private readonly logger = new Logger(OtpDayLimits.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly hash: KeyedHash,
  ) {}

  /** Counts a send that Redis has counted; allowed also without PostgreSQL. */
  async countSend(subject: OtpSubject, at: Date): Promise<DayPermit> {
    const permit = await this.ifAvailable(this.change(this.database, this.countsOf(subject, at), 'sends'));
    return permit ?? { isGranted: true, at };
  }

  async uncountSend(subject: OtpSubject, at: Date): Promise<void> {
    await this.ifAvailable(this.uncount(this.countsOf(subject, at)));
  }

  /** Counts a user's mail before it is sent, over all addresses. */
  async countMail(userId: string): Promise<DayPermit> {
    return this.change(this.database, this.mailsOf(userId), 'sends');
  }

  async uncountMail(userId: string, at: Date): Promise<void> {
    await this.uncount(this.mailsOf(userId, at));
  }

  /**
   * Counts a wrong check. At the daily limit it counts nothing, and the caller must not reveal that the check was wrong.
   */
  async countWrong(subject: OtpSubject, at: Date): Promise<DayPermit> {
    return this.change(this.database, this.countsOf(subject, at), 'wrong_checks');
  }

  /**
   * Clears the wrong checks after a correct one, unless the daily limit is used up: then the correct one must not count.
   */
  async startAnew(connection: Queryable, subject: OtpSubject, at: Date): Promise<DayPermit> {
    return this.change(connection, this.countsOf(subject, at));
  }

  private async change(runner: Queryable, counts: Counts, added?: List): Promise<DayPermit> {
    const statement = counting(counts.limits, '$1', NOW, added);
    const [changed] = await runner.query<{ at: Date }[]>(statement, [...counts.parameters]);
    return changed ? { isGranted: true, at: changed.at } : this.refusal(runner, counts);
  }

  /** The exhausted limit and its end; wrong checks first, because they stop sends and checks. */
  private async refusal(runner: Queryable, counts: Counts): Promise<DayPermit> {
    const waitMs = (list: List): string =>
      `(SELECT (extract(epoch FROM t + interval '24 hours' - ${NOW}) * 1000)::float8
          FROM unnest(c.${list}) t ORDER BY t DESC OFFSET ${counts.limits[list] - 1} LIMIT 1)`;
    const [waits] = await runner.query<Record<List, number | null>[]>(
      `SELECT ${waitMs('sends')} AS sends, ${waitMs('wrong_checks')} AS wrong_checks
         FROM onboarding.otp_counts c WHERE subject_index = $1`,
      [...counts.parameters],
    );
    const wrongWait = waits?.wrong_checks ?? 0;
    if (wrongWait > 0) return { isGranted: false, full: 'wrong_checks', waitMs: wrongWait };
    return { isGranted: false, full: 'sends', waitMs: Math.max(1, waits?.sends ?? 1) };
  }

  /** Removes one entry with this time. */
  private async uncount({ parameters: [index, at] }: Counts): Promise<void> {
    await this.database.query(
      `UPDATE onboarding.otp_counts
          SET sends = sends[:array_position(sends, $2) - 1] || sends[array_position(sends, $2) + 1:]
        WHERE subject_index = $1 AND $2 = ANY (sends)`,
      [index, at],
    );
  }

  /** Key of a subject's counts. */
  indexOf({ purpose, value, userId = '' }: OtpSubject): Buffer {
    return this.hash.digest(`otp-${purpose}`, `${userId}\u0000${value}`);
  }

  private countsOf(subject: OtpSubject, at: Date): Counts {
    return { parameters: [this.indexOf(subject), at, this.clock.aheadMs / 1_000], limits: OTP_LIMITS };
  }

  private mailsOf(userId: string, at: Date | null = null): Counts {
    const index = this.hash.digest('otp-mails', userId);
    return { parameters: [index, at, this.clock.aheadMs / 1_000], limits: MAIL_LIMITS };
  }

  /** The result, or undefined if PostgreSQL is down or slow. */
  private async ifAvailable<T>(query: Promise<T>): Promise<T | undefined> {
    try {
      return await within(TIMEOUT_MS, query);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      this.logger.warn({ msg: 'a send is counted in Redis only', reason: (error as Error).message });
      return undefined;
    }
  }
}
