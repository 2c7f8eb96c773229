import { Injectable } from '@nestjs/common';
import type { GivenConsent } from '@fd/contracts';
import { v7 as uuidv7 } from 'uuid';
import { Database } from '@fd/platform';
import { AuditTrail, auditRow, KeyedHash } from '../../core/index.js';

/**
 * What a person agrees to, with the version of the notice that is shown with it. A new version of a notice asks for
 * a new consent; what was given to an older one stays on record.
 */
export const NOTICES = {
  /** Using the service at all: asked at login. */
  TERMS_OF_USE: '2026-11',
  /** Asking the PAN registry who the holder is. */
  PAN_VERIFICATION: '2026-11',
  /** Verifying the customer with a code sent to the phone that is linked to their Aadhaar. */
  AADHAAR_EKYC: '2026-11',
  /** Reading the customer's Aadhaar from their document locker. */
  DOCUMENT_LOCKER: '2026-11',
} as const;

type ConsentPurpose = keyof typeof NOTICES;

export interface NewConsent {
  readonly userId: string;
  /** The session in which it was given: its partner is who asked. */
  readonly sessionId: string;
  readonly purpose: ConsentPurpose;
  readonly ip: string;
}

export interface RecordedConsent extends Omit<GivenConsent, 'given_at' | 'withdrawn_at'> {
  readonly given_at: Date;
  readonly withdrawn_at: Date | null;
}

/** Longest list that is answered. Whoever has more has given and withdrawn the same ones over and over. */
const MAX_LISTED = 200;

const FIELDS =
  'c.id AS consent_id, c.purpose, c.notice_version, c.given_at, c.withdrawn_at, p.url AS partner_url';

/** Proof that people agreed: to what, to which notice, when and through whom. */
@Injectable()
export class ConsentsRepository {
  constructor(
    private readonly database: Database,
    private readonly hash: KeyedHash,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Records a consent. If the user has given the same consent before (same partner, same notice, not withdrawn), that
   * record is kept and no second one is written.
   */
  async record({ userId, sessionId, purpose, ip }: NewConsent): Promise<void> {
    const id = uuidv7();
    const [{ callers }] = await this.database.query<[{ callers: number }]>(
      `WITH caller AS (SELECT partner_id FROM onboarding.sessions WHERE id = $2 AND user_id = $1),
            given AS (
              INSERT INTO onboarding.consents
                (id, user_id, partner_id, purpose, notice_version, ip_hash, is_united)
              SELECT $3, $1, partner_id, $4, $5, $6, true FROM caller ON CONFLICT DO NOTHING RETURNING id),
            audited AS (
              INSERT INTO onboarding.audit_unsealed SELECT e.* FROM given, ${auditRow('$7')} e)
       SELECT count(*)::int AS callers FROM caller`,
      [
        userId,
        sessionId,
        id,
        purpose,
        NOTICES[purpose],
        this.hash.of('consents.ip', ip),
        this.audit.rowOf({ action: 'CONSENT_GIVEN', subject: userId, object: id }),
      ],
    );
    if (callers === 0) throw new Error(`a consent to ${purpose} was given outside of a session`);
  }

  /** A user's consents: the living ones first, then the newest. */
  async listOfUser(userId: string): Promise<RecordedConsent[]> {
    return this.database.query<RecordedConsent[]>(
      `SELECT ${FIELDS} FROM onboarding.consents c JOIN onboarding.partners p ON p.id = c.partner_id
        WHERE c.user_id = $1
        ORDER BY c.withdrawn_at IS NOT NULL, c.given_at DESC, c.id DESC LIMIT $2`,
      [userId, MAX_LISTED],
    );
  }

  /** @returns undefined when this call did not withdraw it */
  async withdraw(userId: string, consentId: string): Promise<RecordedConsent | undefined> {
    return this.database.transaction(async (transaction) => {
      const [withdrawn] = await transaction.query<RecordedConsent[]>(
        `UPDATE onboarding.consents c SET withdrawn_at = now() FROM onboarding.partners p
          WHERE c.id = $2 AND c.user_id = $1 AND c.withdrawn_at IS NULL AND p.id = c.partner_id
          RETURNING ${FIELDS}`,
        [userId, consentId],
      );
      if (!withdrawn) return undefined;
      await this.audit.record(transaction, {
        action: 'CONSENT_WITHDRAWN',
        subject: userId,
        object: consentId,
      });
      return withdrawn;
    });
  }
}
