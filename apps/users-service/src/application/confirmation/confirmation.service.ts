import { Injectable } from '@nestjs/common';
import type { ConfirmAccountRequest, PanAndBirthDate } from '@fd/contracts';
import { SessionErrors } from '@fd/errors';
import { DataSource, type EntityManager } from 'typeorm';
import type { SessionIdentity } from '../../core/index.js';
import {
  ConsentsRepository,
  type CountedRows,
  countRow,
  oldCounted,
  ReturningUsers,
  secondsUntilNext,
  wrongTry,
} from '../../identity/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { IdentitiesRepository, type VerifiedIdentity } from '../../kyc/index.js';
import { ConfirmationTry } from './confirmation-try.entity.js';

/** Wrong tries in a day: who has the phone of somebody else may know their PAN, but not guess their date of birth. */
const TRIES: CountedRows = { entity: ConfirmationTry, time: 'createdAt', max: 3 };

export const OLD_CONFIRMATION_TRIES = oldCounted('old confirmations of accounts', TRIES);

/** Confirms that the account of a phone is still that of the phone's owner, or that the person of a session owns the account. */
@Injectable()
export class ConfirmationService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly identities: IdentitiesRepository,
    private readonly returning: ReturningUsers,
    private readonly consents: ConsentsRepository,
    private readonly journey: JourneyRepository,
  ) {}

  /**
   * Confirms a session by what only the owner knows. A confirmed one stays confirmed.
   * @throws SessionErrors.nothingToConfirm; SessionErrors.unshared; SessionErrors.confirmationsExhausted; SessionErrors.confirmationWrong
   */
  async confirm(
    session: SessionIdentity & { readonly ip: string },
    { number, dob, share_with_partner }: ConfirmAccountRequest,
  ): Promise<void> {
    const { userId } = session;
    const isShared = session.isUnshared === true && share_with_partner === true;
    if (!session.isUnconfirmed) {
      if (isShared) await this.consents.giveNow({ ...session, purpose: 'PARTNER_SHARING' });
      return;
    }
    const known = await this.identities.findByUserId(userId);
    if (!known) return this.confirmWithoutPan(session, isShared);
    await this.prove(session, known, { number, dob }, (tx) =>
      this.returning.confirm(tx, session, { isProved: true, isShared }),
    );
  }

  /**
   * Compares values with the PAN and the date of birth of an account, and does the work in the same transaction, with the user locked, if
   * they are right. Wrong ones are counted, those of unconfirmed sessions apart: they must not keep the owner from an own right.
   * @throws SessionErrors.confirmationsExhausted; SessionErrors.confirmationWrong
   */
  async prove(
    { userId, isUnconfirmed }: SessionIdentity,
    { pan, dateOfBirth }: VerifiedIdentity,
    { number, dob }: PanAndBirthDate,
    work: (tx: EntityManager) => Promise<void>,
  ): Promise<void> {
    const isOwner = pan === number && dateOfBirth === dob;
    const kind = { isConfirmed: !isUnconfirmed };
    const triesLeft = await this.dataSource.transaction(async (tx) => {
      const retryAfterSeconds = await secondsUntilNext(tx, TRIES, userId, kind);
      if (retryAfterSeconds > 0) throw SessionErrors.confirmationsExhausted({ retryAfterSeconds });
      if (isOwner) {
        await work(tx);
        return undefined;
      }
      await countRow(tx, TRIES, userId, kind);
      return TRIES.max - (await tx.countBy(ConfirmationTry, { userId, ...kind }));
    });
    if (triesLeft !== undefined)
      throw SessionErrors.confirmationWrong({ ...wrongTry(Math.max(0, triesLeft)), hint: undefined });
  }

  /**
   * An account without a PAN has nothing to confirm it by: the consent opens it to another partner, but never to another owner, nor while a
   * PAN that it once had is released.
   */
  private async confirmWithoutPan(
    session: SessionIdentity & { readonly ip: string },
    isShared: boolean,
  ): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const { userId, isUnshared } = session;
      const isClosed =
        (await this.returning.isDormant(tx, userId)) || (await this.journey.hadDone(tx, userId, 'PAN'));
      if (!isUnshared || isClosed) throw SessionErrors.nothingToConfirm();
      if (!isShared) throw SessionErrors.unshared();
      await this.returning.confirm(tx, session, { isProved: false, isShared: true });
    });
  }
}
