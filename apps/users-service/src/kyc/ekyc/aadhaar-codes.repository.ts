import { Injectable, Logger } from '@nestjs/common';
import { AadhaarErrors } from '@fd/errors';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { countRow, type CountedRows, oldCounted, secondsUntilNext } from '../../identity/index.js';
import { isFree } from '../../integrations/index.js';
import { AadhaarSend } from './aadhaar-send.entity.js';

/**
 * Aadhaar codes of a user, over all numbers and issuers. Each goes to a phone that may be a stranger's, costs money, and
 * reveals something about the number.
 */
export const AADHAAR_CODES: CountedRows = { entity: AadhaarSend, time: 'startedAt', max: 10 };

export const OLD_AADHAAR_CODES = oldCounted('old Aadhaar sends', AADHAAR_CODES);

const logger = new Logger('AadhaarCodes');

/** Counts the codes sent for each user, without their contents. */
@Injectable()
export class AadhaarCodesRepository {
  constructor(@InjectRepository(AadhaarSend) private readonly rows: Repository<AadhaarSend>) {}

  /**
   * Counts a code and then sends it, so that a crash in between leaves it counted.
   * @throws AadhaarErrors.otpTooSoon after too many in 24 hours
   */
  async send<T>(userId: string, send: () => Promise<T>): Promise<T> {
    const id = await this.rows.manager.transaction(async (tx) => {
      const retryAfterSeconds = await secondsUntilNext(tx, AADHAAR_CODES, userId);
      if (retryAfterSeconds > 0) throw AadhaarErrors.otpTooSoon({ retryAfterSeconds });
      return countRow(tx, AADHAAR_CODES, userId);
    });
    return orGiveBack(send, () => this.rows.delete({ id, userId }));
  }
}

/** Makes a counted call, and uncounts it after a failure that is free of charge. */
export async function orGiveBack<T>(call: () => Promise<T>, giveBack: () => Promise<unknown>): Promise<T> {
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
