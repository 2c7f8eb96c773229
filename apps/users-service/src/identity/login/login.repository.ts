import { Injectable } from '@nestjs/common';
import { Clock, Database } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { auditRow, AuditTrail, KeyedHash, PiiCipher } from '../../core/index.js';
import { completeOnce, JourneyRepository } from '../../journey/index.js';
import type { RightCode } from '../otp/otp.service.js';
import { normalisePartnerUrl, type Partner } from '../partners/partner.entity.js';
import { IDLE_SECONDS, makeRoom, sessionNow } from '../sessions/sessions.repository.js';
import { hashOf, type PreparedSession } from '../sessions/sessions.service.js';
import { PHONE_INDEX } from '../users/users.repository.js';
import { giveConsent } from '../consents/consents.repository.js';
import { startAnew } from '../otp/otp-day-limits.repository.js';

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
interface SessionRecord {
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

/**
 * Reads partner and user before the code is checked. $1 URL of the partner, $2 index of the phone; no row: unknown
 * partner
 */
export const FIND_LOGIN = `
SELECT p.id AS "partnerId", p.url AS "partnerUrl", p.public_key AS "partnerKey", u.id AS "userId",
       u.blocked_at IS NOT NULL AS "isBlocked",
       EXISTS (SELECT FROM onboarding.journey_steps
                WHERE user_id = u.id AND issuer_slug = '' AND step = 'PAN' AND state = 'DONE') AS "isPanVerified",
       EXISTS (SELECT FROM onboarding.journey_steps
                WHERE user_id = u.id AND issuer_slug = '' AND step = 'EMAIL' AND state = 'DONE') AS "isEmailVerified"
  FROM onboarding.partners p LEFT JOIN onboarding.users u ON u.phone_index = $2
 WHERE p.url = $1 AND p.disabled_at IS NULL`;

const NOW = sessionNow('$16');

/**
 * All writes of a login in one statement: each CTE selects from the CTE that permits it.
 * $1 index of the phone among the counts of codes, $2 when the code was checked,
 * $3 user, $4 index of the phone, $5 the phone encrypted for a new user, else null,
 * $6 session, $7 partner, $8 device, $9 seconds that the session lasts unused, $10 hash of the refresh token,
 * $11 consent, $12 hash of the address,
 * $13 to $15 rows of the audit trail: the login, the consent if it is a new one, and that the login ended other sessions,
 * $16 seconds by which the service's clock is ahead
 */
export const OPEN_SESSION = `
-- a correct code resets the counts, unless the wrong checks of the day are used up
WITH permit AS (
  ${startAnew('$1', '$2')}
), partner AS (
  -- the same lock as the session's foreign keys: serialises this login with an operator who disables the partner or blocks the user
  SELECT FROM onboarding.partners WHERE id = $7 AND disabled_at IS NULL FOR KEY SHARE
), known AS (
  SELECT id FROM onboarding.users WHERE id = $3 AND blocked_at IS NULL FOR KEY SHARE
), made AS (
  -- if a parallel first login has created the user since the look-up, nothing is written
  INSERT INTO onboarding.users (id, phone_index, phone_encrypted)
  SELECT $3, $4, $5 FROM permit, partner WHERE $5::text IS NOT NULL
  ON CONFLICT (phone_index) DO NOTHING RETURNING id
), owner AS (
  SELECT known.id FROM permit, partner, known WHERE $5::text IS NULL UNION ALL SELECT id FROM made
), replaced AS (
  ${makeRoom('owner', NOW)}
), session AS (
  INSERT INTO onboarding.sessions (id, user_id, partner_id, device, created_at, last_used_at, expires_at)
  SELECT $6, id, $7, $8, ${NOW}, ${NOW}, ${NOW} + make_interval(secs => $9) FROM owner RETURNING id
), token AS (
  INSERT INTO onboarding.refresh_tokens (token_hash, session_id) SELECT $10, id FROM session
), consent AS (
  ${giveConsent({ purpose: 'TERMS_OF_USE', id: '$11', user: 'id', partner: '$7', ipHash: '$12', from: 'owner' })}
), ${completeOnce('id', 'LOGIN', 'owner')}, audited AS (
  INSERT INTO onboarding.audit_unsealed
  SELECT e.* FROM owner, ${auditRow('$13')} e UNION ALL SELECT e.* FROM consent, ${auditRow('$14')} e
  UNION ALL SELECT e.* FROM (SELECT FROM replaced LIMIT 1) r, ${auditRow('$15')} e
)
SELECT EXISTS (SELECT FROM permit) AS "isPermitted", EXISTS (SELECT FROM owner) AS "isOpen",
       EXISTS (SELECT FROM step) AS "isFirst"`;

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
    if (written.isFirst) this.journey.noteState('LOGIN', 'DONE');
    return written.isOpen;
  }

  private indexOf(phone: string): Buffer {
    return this.hash.digest(PHONE_INDEX, phone);
  }
}
