import { isPan, isPhone, maskEmail, maskPan, maskPhone } from '@fd/contracts';
import type { EntityManager } from 'typeorm';
import { type AuditTrail, callLine, type OpenCalls } from '../../core/index.js';
import type { KnownUser, UserAccess, UsersRepository } from '../../identity/index.js';
import type { JourneyRepository } from '../../journey/index.js';
import type { IdentitiesRepository } from '../../kyc/index.js';
import { LeadRow } from '../leads/lead.entity.js';

/** A user, and whether the user owns the searched PAN, or claims another user's. */
interface FoundUser {
  readonly user: KnownUser;
  readonly relation: 'has this phone' | 'has this PAN' | 'claims this PAN';
}

/** Searches users by phone or PAN and shows them masked, for operators. Records each read first. */
export class KnownUsers {
  // eslint-disable-next-line max-params -- the owners of what is shown
  constructor(
    private readonly manager: EntityManager,
    private readonly users: UsersRepository,
    private readonly access: UserAccess,
    private readonly identities: IdentitiesRepository,
    private readonly journey: JourneyRepository,
    private readonly calls: OpenCalls,
    private readonly audit: AuditTrail,
  ) {}

  /** @param given a phone or a PAN @returns a line for each user; undefined for other input */
  async findByPhoneOrPan(given: string, reason: string): Promise<string[] | undefined> {
    if (!isPhone(given) && !isPan(given)) return undefined;
    const found = isPhone(given) ? await this.findByPhone(given) : await this.findByPan(given);
    const action = 'USER_SOUGHT';
    for (const { user } of found)
      await this.audit.record(this.manager, { action, subject: user.id, code: reason });
    if (found.length === 0)
      await this.audit.record(this.manager, { action, outcome: 'REFUSED', code: reason });
    return found.map(({ user, relation }) =>
      [user.id, maskPhone(user.phone), relation, ...states(user)].join('\t'),
    );
  }

  /** Output lines with the state of a user; undefined for an unknown user. */
  async show(userId: string, reason: string): Promise<string[] | undefined> {
    const user = await this.users.find({ id: userId });
    if (!user) return undefined;
    await this.audit.record(this.manager, { action: 'USER_READ', subject: userId, code: reason });
    const identity = await this.identities.findByUserId(userId);
    const { email, emailVerifiedAt } = user;
    const sessions = await this.access.openSessions(userId);
    const steps = await this.journey.stepsOf(userId);
    // only client calls open leads; OPENING means that the issuer may not have received it
    const leads = await this.manager.find(LeadRow, { where: { userId }, order: { createdAt: 'ASC' } });
    const calls = await this.calls.list(this.manager, userId);
    return [
      ['user', userId, maskPhone(user.phone), ...states(user)].join('\t'),
      ...(email ? [`email\t${maskEmail(email)}\t${timeText(emailVerifiedAt)}`] : []),
      ...(identity ? [`pan\t${maskPan(identity.pan)}\t${timeText(identity.verifiedAt)}`] : []),
      ['sessions', `${sessions.count} open`, `last used ${timeText(sessions.lastUsedAt)}`].join('\t'),
      ...steps.map(({ step, issuerSlug, state, reason: why, updatedAt }) =>
        ['step', issuerSlug || '-', step, state, why ?? '-', timeText(updatedAt)].join('\t'),
      ),
      ...leads.map(({ issuerSlug, id, state, createdAt }) =>
        ['lead', issuerSlug, id, state, `since ${timeText(createdAt)}`].join('\t'),
      ),
      ...calls.map((call) => `call\t${callLine(call)}`),
    ];
  }

  private async findByPhone(phone: string): Promise<FoundUser[]> {
    const user = await this.users.find({ phone });
    return user ? [{ user, relation: 'has this phone' }] : [];
  }

  private async findByPan(pan: string): Promise<FoundUser[]> {
    const { owner, claimants } = await this.identities.findUsersOf(pan);
    const ids = [...(owner === undefined ? [] : [owner]), ...claimants];
    const users = await Promise.all(ids.map((id) => this.users.find({ id })));
    return users.map((user) => ({
      user: user!,
      relation: user!.id === owner ? 'has this PAN' : 'claims this PAN',
    }));
  }
}

const timeText = (time: Date | null): string => time?.toISOString() ?? '-';

const states = ({ createdAt, blockedAt }: KnownUser): string[] => [
  `since ${timeText(createdAt)}`,
  blockedAt ? `blocked ${timeText(blockedAt)}` : 'active',
];
