import { Injectable } from '@nestjs/common';
import { emailKey } from '@fd/contracts';
import { EmailErrors } from '@fd/errors';
import { brokenConstraint, Database, type Transaction } from '@fd/platform';
import { KeyedHash, PiiCipher } from '../../core/index.js';

/** Purpose of the keyed hash for finding the user of a phone. */
export const PHONE_INDEX = 'users.phone';

/** Users with phone and verified email address; each belongs to one user. */
@Injectable()
export class UsersRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
  ) {}

  /** The user of a session always exists, because of the foreign key. */
  async phoneOf(userId: string): Promise<string> {
    const [user] = await this.database.query<[{ sealed: string }]>(
      'SELECT phone_encrypted AS sealed FROM onboarding.users WHERE id = $1',
      [userId],
    );
    return this.cipher.decrypt(user.sealed, locationOf('phone', userId));
  }

  /**
   * Replaces the address of a user. The unique index decides between parallel claims.
   * @throws EmailErrors.belongsToAnotherUser if another user has it; the transaction must then be rolled back
   */
  async claimEmail(transaction: Transaction, userId: string, email: string): Promise<void> {
    const index = this.hash.digest('users.email', emailKey(email));
    try {
      await transaction.query(
        `UPDATE onboarding.users SET email_index = $2, email_encrypted = $3, email_verified_at = now()
          WHERE id = $1`,
        [userId, index, this.cipher.encrypt(email, locationOf('email', userId))],
      );
    } catch (error) {
      if (brokenConstraint(error) !== 'uq_users__email_index') throw error;
      throw EmailErrors.belongsToAnotherUser({ cause: error });
    }
  }
}

const locationOf = (column: 'phone' | 'email', id: string) => ({ table: 'users', column, id });
