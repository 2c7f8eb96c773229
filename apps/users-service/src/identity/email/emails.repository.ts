import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { emailKey } from '@fd/contracts';
import { EmailErrors } from '@fd/errors';
import { brokenConstraint } from '@fd/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { KeyedHash, PiiCipher } from '../../core/index.js';

/** The address of a user. Never send it on unmasked. */
export interface UserEmail {
  readonly email: string;
  readonly isVerified: boolean;
}

/** The verified address of each user; one address belongs to one user. What is not verified yet is not kept. */
@Injectable()
export class EmailsRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
  ) {}

  /** A user's address; undefined until one is verified. */
  async findByUserId(
    userId: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<UserEmail | undefined> {
    const [row] = await manager.query<{ email_encrypted: string | null }[]>(
      'SELECT email_encrypted FROM onboarding.users WHERE id = $1',
      [userId],
    );
    if (!row?.email_encrypted) return undefined;
    return { email: this.cipher.decrypt(row.email_encrypted, locationOf(userId)), isVerified: true };
  }

  /**
   * Gives a user the address that they have verified, in place of the one before. The unique index decides between
   * users who do so at once.
   * @throws EmailErrors.belongsToAnotherUser when another user has it; the transaction is of no more use then
   */
  async claimAddress(manager: EntityManager, userId: string, email: string): Promise<void> {
    const values = [
      userId,
      this.hash.of('users.email', emailKey(email)),
      this.cipher.encrypt(email, locationOf(userId)),
    ];
    await manager
      .query(
        `UPDATE onboarding.users SET email_index = $2, email_encrypted = $3, email_verified_at = now()
          WHERE id = $1`,
        values,
      )
      .catch((error: unknown) => {
        if (brokenConstraint(error) !== 'uq_users__email_index') throw error;
        throw EmailErrors.belongsToAnotherUser({ cause: error });
      });
  }
}

const locationOf = (userId: string) => ({ table: 'users', column: 'email', id: userId });
