import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { emailKey } from '@fd/contracts';
import { EmailErrors } from '@fd/errors';
import { brokenConstraint, Clock } from '@fd/platform';
import { type EntityManager, IsNull, Not, Raw, type Repository } from 'typeorm';
import { KeyedHash, PiiCipher } from '../../core/index.js';
import type { LastIssuers } from '../../journey/index.js';
import { User } from './user.entity.js';
import { UserOnHold } from './user-on-hold.entity.js';
import { ADD_USER, HOLD_USER, LOCK_USER, NOTE_LOGIN } from './users.queries.js';

const PHONE_INDEX = 'users.phone';

/** A user for operators. Mask it before printing. */
export type KnownUser = Pick<User, 'id' | 'createdAt' | 'blockedAt' | 'emailVerifiedAt'> & {
  readonly phone: string;
  readonly email: string | null;
};

/** Users with phone and verified email address; each belongs to one user. */
@Injectable()
export class UsersRepository implements LastIssuers {
  constructor(
    @InjectRepository(User) private readonly rows: Repository<User>,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
    private readonly clock: Clock,
  ) {}

  phoneIndexOf(phone: string): Buffer {
    return this.hash.digest(PHONE_INDEX, phone);
  }

  async find(by: { readonly id: string } | { readonly phone: string }): Promise<KnownUser | undefined> {
    const user = await this.rows.findOneBy('phone' in by ? { phoneIndex: this.phoneIndexOf(by.phone) } : by);
    if (!user) return undefined;
    const { id, createdAt, blockedAt, emailVerifiedAt, phoneEncrypted, emailEncrypted } = user;
    return {
      ...{ id, createdAt, blockedAt, emailVerifiedAt },
      phone: this.cipher.decrypt(phoneEncrypted, locationOf('phone', id)),
      email: emailEncrypted && this.cipher.decrypt(emailEncrypted, locationOf('email', id)),
    };
  }

  /** The user of a session always exists, because of the foreign key. */
  async phoneOf(userId: string): Promise<string> {
    const { phoneEncrypted } = await this.rows.findOneOrFail({
      select: { phoneEncrypted: true },
      where: { id: userId },
    });
    return this.cipher.decrypt(phoneEncrypted, locationOf('phone', userId));
  }

  /** Whether a phone that a provider reports is the user's, and was never another user's: documents may still name the former one's. */
  async isOwnPhone(userId: string, phone: string | undefined): Promise<boolean> {
    if (phone === undefined) return false;
    const phoneIndex = this.phoneIndexOf(phone);
    return this.rows.existsBy({ id: userId, phoneIndex, isPhoneReused: false });
  }

  async isPhoneReused(userId: string): Promise<boolean> {
    return this.rows.existsBy({ id: userId, isPhoneReused: true });
  }

  /** Locks a user, and returns the verified address; null without one. */
  async lockEmail(tx: EntityManager, userId: string): Promise<string | null> {
    return this.emailOf(tx, userId, { mode: 'for_no_key_update' });
  }

  /** The verified address of a user; null without one. */
  async emailOf(
    tx: EntityManager,
    userId: string,
    lock?: { mode: 'for_no_key_update' },
  ): Promise<string | null> {
    const options = {
      select: { emailEncrypted: true },
      where: { id: userId },
      ...(lock && { lock }),
    } as const;
    const user = await tx.findOne(User, options);
    return user?.emailEncrypted
      ? this.cipher.decrypt(user.emailEncrypted, locationOf('email', userId))
      : null;
  }

  /** @throws an `isRowMissing` if a parallel first login has added the phone */
  async add(tx: EntityManager, userId: string, phone: string): Promise<void> {
    await ADD_USER.rows(tx, {
      userId,
      phoneIndex: this.phoneIndexOf(phone),
      phone: this.cipher.encrypt(phone, locationOf('phone', userId)),
      aheadSeconds: this.clock.aheadSeconds,
    });
  }

  /** Counts a login of the phone's owner, once a day. */
  async noteLogin(tx: EntityManager, userId: string): Promise<void> {
    await NOTE_LOGIN.run(tx, { userId, aheadSeconds: this.clock.aheadSeconds });
  }

  /** Takes the phone from a user, and notes that it was theirs. @returns the phone; undefined if it was taken before */
  async releasePhone(tx: EntityManager, userId: string): Promise<string | undefined> {
    const phone = await this.phoneOf(userId);
    // found by nobody: no phone has this form
    const phoneIndex = this.hash.digest(PHONE_INDEX, `released ${userId}`);
    const releasedPhoneIndex = this.phoneIndexOf(phone);
    const { affected } = await tx.update(
      User,
      { id: userId, phoneReleasedAt: IsNull() },
      { phoneIndex, releasedPhoneIndex, phoneReleasedAt: () => 'now()' },
    );
    return affected === 1 ? phone : undefined;
  }

  async isUnusedFor(tx: EntityManager, id: string, days: number): Promise<boolean> {
    const before = { days, aheadSeconds: this.clock.aheadSeconds };
    const lastLoginAt = Raw(
      (at) => `${at} < now() + make_interval(secs => :aheadSeconds) - make_interval(days => :days)`,
      before,
    );
    return tx.existsBy(User, { id, lastLoginAt });
  }

  /** Whether the phone of a user belongs to somebody else since. */
  async isPhoneReleased(tx: EntityManager, userId: string): Promise<boolean> {
    return tx.existsBy(User, { id: userId, phoneReleasedAt: Not(IsNull()) });
  }

  /** Serialises the calls of a user until the transaction ends. */
  async lock(tx: EntityManager, userId: string): Promise<void> {
    await LOCK_USER.rows(tx, { userId });
  }

  /**
   * Keeps operators from blocking a user until the transaction ends.
   * @throws an `isRowMissing` if one has blocked the user, or the account was given up
   */
  async hold(tx: EntityManager, userId: string): Promise<void> {
    await HOLD_USER.rows(tx, { userId });
  }

  async isKnown(tx: EntityManager, userId: string): Promise<boolean> {
    return tx.existsBy(User, { id: userId });
  }

  /** Locks a user before an erasure: mutually exclusive with running logins. @returns undefined for an unknown one */
  async lockWhole(tx: EntityManager, id: string): Promise<{ readonly isBlocked: boolean } | undefined> {
    const user = await tx.findOne(User, { where: { id }, lock: { mode: 'pessimistic_write' } });
    return user ? { isBlocked: user.blockedAt !== null } : undefined;
  }

  async isBlocked(tx: EntityManager, userId: string): Promise<boolean> {
    return tx.existsBy(User, { id: userId, blockedAt: Not(IsNull()) });
  }

  /** Whether no call to a provider begins for the user: see UserOnHold. */
  async isOnHold(userId: string): Promise<boolean> {
    return this.rows.manager.existsBy(UserOnHold, { userId });
  }

  async findOtherByEmail(
    tx: EntityManager,
    userId: string,
    email: string,
  ): Promise<{ readonly id: string; readonly isGivenUp: boolean } | undefined> {
    const other = await tx.findOne(User, {
      select: { id: true, phoneReleasedAt: true },
      where: { id: Not(userId), emailIndex: this.emailIndexOf(email) },
    });
    return other ? { id: other.id, isGivenUp: other.phoneReleasedAt !== null } : undefined;
  }

  /** @returns whether the user had the address */
  async releaseEmail(tx: EntityManager, userId: string, email: string): Promise<boolean> {
    const none = { emailIndex: null, emailEncrypted: null, emailVerifiedAt: null };
    const { affected } = await tx.update(User, { id: userId, emailIndex: this.emailIndexOf(email) }, none);
    return affected === 1;
  }

  /**
   * Replaces the address of a user, who has proved it. The unique index decides between parallel claims.
   * @throws EmailErrors.belongsToAnotherUser if another user has it; the transaction must then be rolled back
   */
  async claimEmail(tx: EntityManager, userId: string, email: string): Promise<void> {
    const emailIndex = this.emailIndexOf(email);
    const emailEncrypted = this.cipher.encrypt(email, locationOf('email', userId));
    try {
      await tx.update(User, { id: userId }, { emailIndex, emailEncrypted, emailVerifiedAt: () => 'now()' });
    } catch (error) {
      if (brokenConstraint(error) !== 'uq_users__email_index') throw error;
      throw EmailErrors.belongsToAnotherUser({ cause: error });
    }
  }

  async noteLastIssuer(userId: string, slug: string): Promise<void> {
    await this.rows
      .createQueryBuilder()
      .update({ lastIssuerSlug: slug })
      .where('id = :userId AND last_issuer_slug IS DISTINCT FROM :slug', { userId, slug })
      .execute();
  }

  async lastIssuerOf(userId: string): Promise<string | null> {
    const user = await this.rows.findOne({ select: { lastIssuerSlug: true }, where: { id: userId } });
    return user?.lastIssuerSlug ?? null;
  }

  private emailIndexOf(email: string): Buffer {
    return this.hash.digest('users.email', emailKey(email));
  }
}

const locationOf = (column: 'phone' | 'email', id: string) => ({ table: 'users', column, id });
