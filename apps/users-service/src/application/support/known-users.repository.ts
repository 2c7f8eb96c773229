import { isPan, isPhone, maskEmail, maskPan, maskPhone } from '@fd/contracts';
import type { Database } from '@fd/platform';
import { type AuditTrail, callLine, type KeyedHash, OpenCalls, type PiiCipher } from '../../core/index.js';
import { PHONE_INDEX } from '../../identity/index.js';
import { PAN_INDEX } from '../../kyc/index.js';

/** A user, masked for operators. */
interface FoundUser {
  readonly id: string;
  /** Encrypted. */
  readonly phone: string;
  readonly createdAt: Date;
  readonly blockedAt: Date | null;
  /** Whether the user owns the searched PAN, or claims another user's. */
  readonly relation: 'has this phone' | 'has this PAN' | 'claims this PAN';
}

interface UserRow {
  readonly phone: string;
  readonly createdAt: Date;
  readonly blockedAt: Date | null;
  readonly email: string | null;
  readonly emailVerifiedAt: Date | null;
  readonly pan: string | null;
  readonly panVerifiedAt: Date | null;
  readonly openSessions: number;
  readonly lastUsedAt: Date | null;
}

interface StepRow {
  readonly step: string;
  readonly issuer: string;
  readonly state: string;
  readonly reason: string | null;
  readonly updatedAt: Date;
}

interface LeadRow {
  readonly id: string;
  readonly issuer: string;
  readonly state: string;
  readonly createdAt: Date;
}

const FOUND = 'u.id, u.phone_encrypted AS phone, u.created_at AS "createdAt", u.blocked_at AS "blockedAt"';

const BY_PHONE = `SELECT ${FOUND}, 'has this phone' AS relation FROM onboarding.users u WHERE u.phone_index = $1`;

const BY_PAN = `
  SELECT ${FOUND}, 'has this PAN' AS relation FROM onboarding.identities i JOIN onboarding.users u ON u.id = i.user_id
   WHERE i.pan_index = $1
  UNION ALL
  SELECT ${FOUND}, 'claims this PAN' FROM onboarding.contested_identities c JOIN onboarding.users u ON u.id = c.user_id
   WHERE c.pan_index = $1`;

const USER = `
  SELECT u.phone_encrypted AS phone, u.created_at AS "createdAt", u.blocked_at AS "blockedAt", u.email_encrypted AS email,
         u.email_verified_at AS "emailVerifiedAt", i.pan_encrypted AS pan, i.verified_at AS "panVerifiedAt",
         count(s.id)::int AS "openSessions", max(s.last_used_at) AS "lastUsedAt"
    FROM onboarding.users u
    LEFT JOIN onboarding.identities i ON i.user_id = u.id
    LEFT JOIN onboarding.sessions s ON s.user_id = u.id AND s.ended_at IS NULL AND s.expires_at > now()
   WHERE u.id = $1 GROUP BY u.id, i.user_id`;

const STEPS = `
  SELECT step, issuer_slug AS issuer, state, reason, updated_at AS "updatedAt"
    FROM onboarding.journey_steps WHERE user_id = $1 ORDER BY issuer_slug, updated_at, step`;

/** Only client calls open leads; OPENING means that the issuer may not have received it. */
const LEADS = `
  SELECT id, issuer_slug AS issuer, state, created_at AS "createdAt"
    FROM onboarding.leads WHERE user_id = $1 ORDER BY created_at`;

/** Searches users by phone or PAN and shows them masked, for operators. Records each read first. */
export class KnownUsers {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
    private readonly audit: AuditTrail,
  ) {}

  /** @param given a phone or a PAN @returns a line for each user; undefined for other input */
  async findByPhoneOrPan(given: string, reason: string): Promise<string[] | undefined> {
    const query = this.queryFor(given);
    if (!query) return undefined;
    const users = await this.database.query<FoundUser[]>(query.sql, [query.index]);
    const action = 'USER_SOUGHT';
    for (const { id } of users) await this.audit.record(this.database, { action, subject: id, code: reason });
    if (users.length === 0)
      await this.audit.record(this.database, { action, outcome: 'REFUSED', code: reason });
    return users.map(({ id, phone, createdAt, blockedAt, relation }) =>
      [id, this.maskedPhone(id, phone), relation, ...states({ createdAt, blockedAt })].join('\t'),
    );
  }

  /** Output lines with the state of a user; undefined for an unknown user. */
  async show(userId: string, reason: string): Promise<string[] | undefined> {
    const [user] = await this.database.query<UserRow[]>(USER, [userId]);
    if (!user) return undefined;
    await this.audit.record(this.database, { action: 'USER_READ', subject: userId, code: reason });
    const steps = await this.database.query<StepRow[]>(STEPS, [userId]);
    const leads = await this.database.query<LeadRow[]>(LEADS, [userId]);
    const calls = await new OpenCalls(this.database, this.audit).list(userId);
    return [
      ['user', userId, this.maskedPhone(userId, user.phone), ...states(user)].join('\t'),
      ...this.identityLines(userId, user),
      ['sessions', `${user.openSessions} open`, `last used ${timeText(user.lastUsedAt)}`].join('\t'),
      ...steps.map(({ step, issuer, state, reason: why, updatedAt }) =>
        ['step', issuer || '-', step, state, why ?? '-', timeText(updatedAt)].join('\t'),
      ),
      ...leads.map(({ id, issuer, state, createdAt }) =>
        ['lead', issuer, id, state, `since ${timeText(createdAt)}`].join('\t'),
      ),
      ...calls.map((call) => `call\t${callLine(call)}`),
    ];
  }

  private queryFor(given: string): { sql: string; index: Buffer } | undefined {
    if (isPhone(given)) return { sql: BY_PHONE, index: this.hash.digest(PHONE_INDEX, given) };
    if (isPan(given)) return { sql: BY_PAN, index: this.hash.digest(PAN_INDEX, given) };
    return undefined;
  }

  private identityLines(userId: string, { email, emailVerifiedAt, pan, panVerifiedAt }: UserRow): string[] {
    const open = (table: string, column: string, sealed: string): string =>
      this.cipher.decrypt(sealed, { table, column, id: userId });
    return [
      ...(email ? [`email\t${maskEmail(open('users', 'email', email))}\t${timeText(emailVerifiedAt)}`] : []),
      ...(pan ? [`pan\t${maskPan(open('identities', 'pan', pan))}\t${timeText(panVerifiedAt)}`] : []),
    ];
  }

  private maskedPhone(id: string, sealed: string): string {
    return maskPhone(this.cipher.decrypt(sealed, { table: 'users', column: 'phone', id }));
  }
}

const timeText = (time: Date | null): string => time?.toISOString() ?? '-';

const states = ({ createdAt, blockedAt }: Pick<FoundUser, 'createdAt' | 'blockedAt'>): string[] => [
  `since ${timeText(createdAt)}`,
  blockedAt ? `blocked ${timeText(blockedAt)}` : 'active',
];
