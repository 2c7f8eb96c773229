import { Injectable, Logger } from '@nestjs/common';
import { AadhaarErrors, type ErrorDefinition } from '@fd/errors';
import { v7 as uuidv7 } from 'uuid';
import { Database } from '@fd/platform';
import type { OldRows } from '../core/index.js';
import { type CountedRows, secondsUntilNext } from '../identity/index.js';
import { isFree } from '../integrations/index.js';

/** Paid calls to a provider, limited for each user and 24 hours. */
export interface CallLimit extends CountedRows {
  readonly refusal: ErrorDefinition;
  /** Whether a call that failed in this way does not count. */
  readonly isFree: (error: unknown) => boolean;
}

/**
 * Aadhaar codes, over all numbers and issuers. Each goes to a phone that may be a stranger's, costs money, and reveals
 * something about the number.
 */
export const AADHAAR_CODES: CallLimit = {
  table: 'aadhaar_sends',
  time: 'started_at',
  max: 10,
  refusal: AadhaarErrors.otpTooSoon,
  isFree,
};

const OLD = "started_at <= now() - interval '24 hours'";

export const OLD_COUNTED_CALLS: readonly OldRows[] = [
  { name: 'old PAN look-ups', table: 'pan_lookups', where: OLD },
  { name: 'old Aadhaar sends', table: 'aadhaar_sends', where: OLD },
];

const logger = new Logger('CountedCalls');

/** Counts the calls of each user, without their contents. */
@Injectable()
export class CountedCallsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Counts a call and then makes it, so that a crash in between leaves it counted.
   * @throws AppError the refusal of the limit
   */
  async call<T>(limit: CallLimit, userId: string, call: () => Promise<T>): Promise<T> {
    const id = uuidv7();
    await this.database.transaction(async (transaction) => {
      const waitSeconds = await secondsUntilNext(transaction, limit, userId);
      if (waitSeconds > 0) throw limit.refusal({ retryAfterSeconds: waitSeconds });
      await transaction.query(
        `INSERT INTO onboarding.${limit.table} (id, user_id, started_at) VALUES ($1, $2, clock_timestamp())`,
        [id, userId],
      );
    });
    const deletion = `DELETE FROM onboarding.${limit.table} WHERE id = $1 AND user_id = $2`;
    return orGiveBack(call, limit.isFree, () => this.database.query(deletion, [id, userId]));
  }
}

/** Makes a counted call, and uncounts it after a failure that is free of charge. */
export async function orGiveBack<T>(
  call: () => Promise<T>,
  isFree: (error: unknown) => boolean,
  giveBack: () => Promise<unknown>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    // a failure to uncount must not hide the call's failure
    const warn = (cause: Error) =>
      logger.warn({ msg: 'a call could not be uncounted', reason: cause.message });
    if (isFree(error)) await giveBack().catch(warn);
    throw error;
  }
}
