import { Injectable } from '@nestjs/common';
import { Clock, Database } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { AuditTrail, KeyedHash, PiiCipher } from '../../core/index.js';
import { JourneyRepository } from '../../journey/index.js';
import type { RightCode } from '../otp/otp.service.js';
import { normalisePartnerUrl, type Partner } from '../partners/partner.entity.js';
import { IDLE_SECONDS } from '../sessions/sessions.repository.js';
import { hashOf, type PreparedSession } from '../sessions/sessions.service.js';
import { PHONE_INDEX } from '../users/users.repository.js';
import { FIND_LOGIN, OPEN_SESSION } from './login.queries.js';

/** The partner of a login, and the user of the phone. */
export interface KnownLogin {
  readonly partnerId: string;
  readonly partnerUrl: string;
  readonly partnerKey: Partner['publicKey'];
  /** Null before the first login of a phone. */
  readonly userId: string | null;
  /** Blocked by an operator. */
  readonly isBlocked: boolean;
  readonly isPanVerified: boolean;
  readonly isEmailVerified: boolean;
}

/** A session to open, with its consent and code. */
export interface SessionRecord {
  readonly phone: string;
  readonly isNewUser: boolean;
  readonly session: PreparedSession;
  readonly ip: string;
  readonly code: RightCode;
}

interface Written {
  readonly isPermitted: boolean;
  readonly isOpen: boolean;
  readonly isFirst: boolean;
}

/** Reads and writes of a login, one statement each. */
@Injectable()
export class LoginRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
    private readonly audit: AuditTrail,
    private readonly journey: JourneyRepository,
  ) {}

  /** @returns undefined for an unknown or disabled partner */
  async findByPhone(partnerUrl: string, phone: string): Promise<KnownLogin | undefined> {
    const values = [normalisePartnerUrl(partnerUrl), this.indexOf(phone)];
    const [login] = await this.database.query<KnownLogin[]>(FIND_LOGIN, values);
    return login;
  }

  /**
   * Writes a session with its user, consent and step.
   * @returns false, without writing, if a parallel login has created the user, or an operator has blocked the user or
   * disabled the partner
   * @throws the errors of `consume`, without writing
   */
  async openSession({ phone, isNewUser, session, ip, code }: SessionRecord): Promise<boolean> {
    const { userId, sessionId } = session;
    const consentId = uuidv7();
    const [written] = await this.database.query<[Written]>(OPEN_SESSION, [
      ...code.dayCount,
      userId,
      this.indexOf(phone),
      isNewUser ? this.cipher.encrypt(phone, { table: 'users', column: 'phone', id: userId }) : null,
      sessionId,
      session.partnerId,
      session.device,
      IDLE_SECONDS,
      hashOf(session.refreshToken),
      consentId,
      this.hash.digest('consents.ip', ip),
      this.audit.rowOf({ action: 'LOGGED_IN', subject: userId, object: sessionId }),
      this.audit.rowOf({ action: 'CONSENT_GIVEN', subject: userId, object: consentId }),
      this.audit.rowOf({ action: 'OLDEST_SESSION_ENDED', subject: userId, object: sessionId }),
      this.clock.aheadMs / 1_000,
    ]);
    if (!written.isPermitted) await code.consume(this.database);
    if (written.isFirst) this.journey.noteState({ step: 'LOGIN', issuer: '', state: 'DONE' });
    return written.isOpen;
  }

  private indexOf(phone: string): Buffer {
    return this.hash.digest(PHONE_INDEX, phone);
  }
}
