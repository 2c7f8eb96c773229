import { Injectable } from '@nestjs/common';
import { commit, isRowMissing, pipelined } from '@fd/platform';
import { DataSource } from 'typeorm';
import { type NewPartnerEvent, PartnerEvents } from '../../events/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { ConsentsRepository } from '../consents/consents.repository.js';
import type { RightCode } from '../otp/otp.service.js';
import { PartnersRepository } from '../partners/partners.repository.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { hashOf, type PreparedSession } from '../sessions/sessions.service.js';
import { UsersRepository } from '../users/users.repository.js';

/** The circumstances of a login. */
interface Login {
  readonly code: RightCode;
  readonly ip: string;
  /** Undefined for a known user. */
  readonly newPhone: string | undefined;
  /** Whether the time of the user's last login is due. */
  readonly isFirstOfDay: boolean;
}

/** Opens the session of a login. */
@Injectable()
export class SessionOpener {
  // eslint-disable-next-line max-params -- a login writes to each of these, in one round trip
  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: SessionsRepository,
    private readonly users: UsersRepository,
    private readonly partners: PartnersRepository,
    private readonly consents: ConsentsRepository,
    private readonly journey: JourneyRepository,
    private readonly events: PartnerEvents,
  ) {}

  /**
   * Writes a session with its user, consent and step. The statements depend on no answer, so they travel together.
   * @returns false, without writing, if a parallel login has created the user, or an operator has blocked the user or disabled the
   * partner
   * @throws the errors of `consume`, without writing
   */
  async open(session: PreparedSession, { code, ip, newPhone, isFirstOfDay }: Login): Promise<boolean> {
    const { userId, sessionId, partnerId, refreshToken, isUnconfirmed } = session;
    // who withdrew the terms gets back only what being logged in needs
    const afterWithdrawal = 'ACCOUNT_ACCESS';
    const consent = { userId, sessionId, purpose: 'TERMS_OF_USE', afterWithdrawal, ip } as const;
    const isNew = newPhone !== undefined;
    /** Of the first consent; the journey writes them with its own. */
    const events: NewPartnerEvent[] = [];
    await this.events.prepare();
    try {
      await this.dataSource.transaction((tx) =>
        pipelined([
          // a correct code resets the counts, unless the wrong checks of the day are used up
          code.consume(tx),
          this.partners.hold(tx, partnerId),
          isNew ? this.users.add(tx, userId, newPhone) : this.users.hold(tx, userId),
          this.sessions.open(tx, session, hashOf(refreshToken)),
          // an unconfirmed session speaks for nobody yet
          ...(isUnconfirmed
            ? []
            : [
                isNew ? this.consents.giveFirst(tx, consent, events) : this.consents.give(tx, consent),
                isFirstOfDay ? this.users.noteLogin(tx, userId, this.sessions.aheadSeconds) : undefined,
                isNew
                  ? this.journey.begin(tx, userId, events)
                  : this.journey.completeOnce(tx, userId, 'LOGIN'),
              ]),
          // each of these fails unless it has its effect, and those of a new user write nothing more
          isNew ? commit(tx) : undefined,
        ]),
      );
      return true;
    } catch (error) {
      if (isRowMissing(error)) return false;
      throw error;
    }
  }
}
