import { Injectable } from '@nestjs/common';
import type { PanAndBirthDate, UserDataExportPayload, UserDataExportRequest } from '@fd/contracts';
import { GeneralErrors, PanErrors, readAll, refuse, SessionErrors } from '@fd/errors';
import { DataSource, type EntityManager } from 'typeorm';
import type { SessionIdentity } from '../../core/index.js';
import { countRow, type CountedRows, oldCounted, secondsUntilNext } from '../../identity/index.js';
import { IdentitiesRepository } from '../../kyc/index.js';
import { ConfirmationService } from '../confirmation/confirmation.service.js';
import { UserExport } from '../support/user-export.js';
import { DataExport } from './data-export.entity.js';

/** Each reads all tables, and leaves an event in the audit trail. */
const EXPORTS: CountedRows = { entity: DataExport, time: 'createdAt', max: 10 };

export const OLD_DATA_EXPORTS = oldCounted('old exports of data', EXPORTS);

/** Some 10,000 reported events. The whole answer is in memory before it is sent, so that a slow client holds no transaction. */
export const MAX_EXPORT_BYTES = 4 * 1_048_576;

/** Exports the data of a person to the person. */
@Injectable()
export class DataExportService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly identities: IdentitiesRepository,
    private readonly confirmation: ConfirmationService,
    private readonly exports: UserExport,
  ) {}

  /**
   * Asks for the second fact in every session: an access token alone must not be enough for everything at once.
   * @throws PanErrors.missing, PanErrors.birthDateMissing; SessionErrors.confirmationsExhausted; SessionErrors.confirmationWrong;
   * SessionErrors.unshared; GeneralErrors.tooManyRequests; SessionErrors.exportTooLarge; GeneralErrors.unavailable
   */
  async export(session: SessionIdentity, given: UserDataExportRequest): Promise<UserDataExportPayload> {
    const { userId, isUnshared } = session;
    const known = await this.identities.findByUserId(userId);
    // counted before the data is read
    const count = (tx: EntityManager) => this.count(tx, userId);
    if (known) await this.confirmation.prove(session, known, required(given), count);
    else if (isUnshared) throw SessionErrors.unshared();
    else await this.dataSource.transaction(count);
    const exported = await this.exports.read(userId, MAX_EXPORT_BYTES);
    if (!exported) throw SessionErrors.exportTooLarge();
    return exported;
  }

  private async count(tx: EntityManager, userId: string): Promise<void> {
    const retryAfterSeconds = await secondsUntilNext(tx, EXPORTS, userId);
    if (retryAfterSeconds > 0) throw GeneralErrors.tooManyRequests({ retryAfterSeconds });
    await countRow(tx, EXPORTS, userId);
  }
}

function required({ number, dob }: UserDataExportRequest): PanAndBirthDate {
  return readAll({
    number: () => number?.trim() || refuse(PanErrors.missing, 'number'),
    dob: () => dob?.trim() || refuse(PanErrors.birthDateMissing, 'dob'),
  });
}
