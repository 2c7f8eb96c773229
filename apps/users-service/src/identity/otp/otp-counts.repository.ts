import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Clock } from '@fd/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { DAY_SECONDS } from './otp.policy.js';

/** What a subject may have of any 24 hours. */
export interface DayLimits {
  readonly maxSends: number;
  readonly maxWrongChecks: number;
}

export type DayPermit =
  | { readonly isGranted: true; readonly at: Date }
  | { readonly isGranted: false; readonly full: List; readonly waitMs: number };

type Runner = Pick<EntityManager, 'query'>;
type List = 'sends' | 'wrong_checks';

/** Whose counts are changed, and when by the clock of whoever counts too; without that by PostgreSQL's own. */
export interface Moment {
  readonly subject: Buffer;
  readonly at?: Date;
}

interface Change {
  /** Column of a subject that was not counted before, with its value. */
  readonly first?: readonly [List, string];
  readonly set: string;
  readonly room: string;
}

/** Few enough to stay within the limits of a query. */
const PURGE_BATCH = 1_000;

/** In milliseconds, as all times that come from outside are. $3 is set by tests only. */
const NOW = `date_trunc('milliseconds', coalesce($2, statement_timestamp() + make_interval(secs => $3)))`;

/** Those of a list that still count. */
const living = (list: List): string =>
  `ARRAY(SELECT t FROM unnest(c.${list}) t WHERE t > excluded.last_at - make_interval(secs => ${DAY_SECONDS}))`;

const hasRoom = (list: List, max: number): string => `cardinality(${living(list)}) < ${max}`;

const adding = (list: List): Pick<Change, 'first' | 'set'> => ({
  first: [list, `ARRAY[${NOW}]`],
  set: `${list} = ${living(list)} || excluded.last_at`,
});

/**
 * Counts of the last 24 hours that outlive Redis. One row for each subject, found by a keyed hash. Each change is one
 * statement that waits for the row and then looks at its newest state, so it is exact on any number of replicas.
 * Where Redis counts too, times are those of Redis, so that the two agree on when a day is over.
 */
@Injectable()
export class OtpCountsRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Counts a send, unless sends or wrong checks of the day are used up. */
  async countSend(moment: Moment, limits: DayLimits): Promise<DayPermit> {
    const room = `${hasRoom('sends', limits.maxSends)} AND ${hasRoom('wrong_checks', limits.maxWrongChecks)}`;
    return this.change(this.dataSource, moment, { ...adding('sends'), room }, limits);
  }

  async uncountSend({ subject, at }: Required<Moment>): Promise<void> {
    // one of those of the same time, if there are several
    await this.dataSource.query(
      `UPDATE onboarding.otp_counts
          SET sends = sends[:array_position(sends, $2) - 1] || sends[array_position(sends, $2) + 1:]
        WHERE subject_index = $1 AND $2 = ANY (sends)`,
      [subject, at],
    );
  }

  /** Counts a wrong check, unless those of the day are used up: then nobody may hear that it was wrong. */
  async countWrong(moment: Moment, limits: DayLimits): Promise<DayPermit> {
    const room = hasRoom('wrong_checks', limits.maxWrongChecks);
    return this.change(this.dataSource, moment, { ...adding('wrong_checks'), room }, limits);
  }

  /** Forgets all counts after a right check, unless the wrong ones of the day are used up: then it must not count. */
  async startAnew(manager: EntityManager, moment: Moment, limits: DayLimits): Promise<DayPermit> {
    const room = hasRoom('wrong_checks', limits.maxWrongChecks);
    return this.change(manager, moment, { set: "sends = '{}', wrong_checks = '{}'", room }, limits);
  }

  /**
   * Deletes what counts no more, a bounded number at a time.
   * @returns how many were deleted
   */
  async purgeOld(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM onboarding.otp_counts WHERE subject_index IN (
         SELECT subject_index FROM onboarding.otp_counts
          WHERE last_at <= now() - make_interval(secs => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [DAY_SECONDS, PURGE_BATCH],
    );
    return count;
  }

  private async change(
    runner: Runner,
    moment: Moment,
    { first = ['sends', "'{}'"], set, room }: Change,
    limits: DayLimits,
  ): Promise<DayPermit> {
    const [column, value] = first;
    const [changed] = await runner.query<{ at: Date }[]>(
      `INSERT INTO onboarding.otp_counts AS c (subject_index, last_at, ${column}) VALUES ($1, ${NOW}, ${value})
       ON CONFLICT (subject_index) DO UPDATE SET ${set}, last_at = excluded.last_at WHERE ${room}
       RETURNING last_at AS at`,
      this.parametersOf(moment),
    );
    return changed ? { isGranted: true, at: changed.at } : this.refusal(runner, moment, limits);
  }

  /** What is used up, and until when: wrong checks first, since they end both sends and checks. */
  private async refusal(runner: Runner, moment: Moment, limits: DayLimits): Promise<DayPermit> {
    const waitMs = (list: List, max: number): string =>
      `(SELECT (extract(epoch FROM t + make_interval(secs => ${DAY_SECONDS}) - ${NOW}) * 1000)::float8
          FROM unnest(c.${list}) t ORDER BY t DESC OFFSET ${max - 1} LIMIT 1)`;
    const [waits] = await runner.query<{ sends: number | null; wrong_checks: number | null }[]>(
      `SELECT ${waitMs('sends', limits.maxSends)} AS sends,
              ${waitMs('wrong_checks', limits.maxWrongChecks)} AS wrong_checks
         FROM onboarding.otp_counts c WHERE subject_index = $1`,
      this.parametersOf(moment),
    );
    const wrongWait = waits?.wrong_checks ?? 0;
    if (wrongWait > 0) return { isGranted: false, full: 'wrong_checks', waitMs: wrongWait };
    return { isGranted: false, full: 'sends', waitMs: Math.max(1, waits?.sends ?? 1) };
  }

  private parametersOf({ subject, at }: Moment): unknown[] {
    return [subject, at ?? null, this.clock.aheadMs / 1_000];
  }
}
