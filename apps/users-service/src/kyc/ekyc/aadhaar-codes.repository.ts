import { Injectable, Logger } from '@nestjs/common';
import { AadhaarErrors } from '@fd/errors';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { countRow, type CountedRows, oldCounted, secondsUntilNext } from '../../identity/index.js';
import { isFree } from '../../integrations/index.js';
import { EkycRequestRow } from '../entities/ekyc-request.entity.js';
import { AadhaarSend } from './aadhaar-send.entity.js';
import { type EkycRequest, LIVE } from './ekyc-requests.repository.js';
import { TAKE_AADHAAR_CHECK } from './ekyc.queries.js';

/**
 * Aadhaar codes of a user, over all numbers and issuers. Each goes to a phone that may be a stranger's, costs money, and
 * reveals something about the number.
 */
export const AADHAAR_CODES: CountedRows = { entity: AadhaarSend, time: 'startedAt', max: 10 };

export const OLD_AADHAAR_CODES = oldCounted('old Aadhaar sends', AADHAAR_CODES);

const logger = new Logger('AadhaarCodes');

/** Counts the codes sent for each user, without their contents, and the checks of the latest code of a request. */
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

  /** Stores the transaction of a sent code. A request without a link stays REQUESTED, so that it can get one. */
  async setTransaction(id: string, aadhaarTransaction: string): Promise<void> {
    const status = (): string => "CASE status WHEN 'REQUESTED' THEN status ELSE 'IN_PROGRESS' END";
    const sent = { aadhaarTransaction, aadhaarChecks: 0, status, updatedAt: () => 'now()' } as const;
    await this.rows.manager.update(EkycRequestRow, { id, ...LIVE }, sent);
  }

  /** Counts a check of the latest code before it is made. @returns the checks left after it; undefined without one left */
  async takeCheck({ id, aadhaarTransaction }: EkycRequest): Promise<number | undefined> {
    const { manager } = this.rows;
    const [taken] = await TAKE_AADHAAR_CHECK.rows(manager, { id, transaction: aadhaarTransaction! });
    return taken?.checksLeft;
  }

  async giveCheckBack({ id, aadhaarTransaction }: EkycRequest): Promise<void> {
    const taken = { id, aadhaarTransaction: aadhaarTransaction!, aadhaarChecks: MoreThan(0) };
    await this.rows.manager.update(EkycRequestRow, taken, { aadhaarChecks: () => 'aadhaar_checks - 1' });
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
