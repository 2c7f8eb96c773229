import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { KeyedHash, PiiCipher } from '../../core/index.js';
import { User } from './user.entity.js';

export interface ClaimedUser {
  readonly id: string;
  readonly isNew: boolean;
}

@Injectable()
export class UsersRepository {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
  ) {}

  /** The user of a phone, made now if there is none. The unique index decides between parallel first logins. */
  async claimPhone(manager: EntityManager, phone: string): Promise<ClaimedUser> {
    const phoneIndex = this.hash.of('users.phone', phone);
    const id = uuidv7();
    const [claimed] = await manager.query<ClaimedUser[]>(
      `WITH known AS (SELECT id FROM onboarding.users WHERE phone_index = $2),
            made AS (
              INSERT INTO onboarding.users (id, phone_index, phone_encrypted)
              SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM known) ON CONFLICT DO NOTHING RETURNING id)
       SELECT id, false AS "isNew" FROM known UNION ALL SELECT id, true FROM made`,
      [id, phoneIndex, this.cipher.encrypt(phone, phoneLocation(id))],
    );
    return claimed ?? { id: await idOfPhone(manager, phoneIndex), isNew: false };
  }

  async findById(id: string): Promise<User | null> {
    return this.users.findOneBy({ id });
  }

  phoneOf(user: User): string {
    return this.cipher.decrypt(user.phoneEncrypted, phoneLocation(user.id));
  }
}

/** Of a user whom a parallel login has just made. */
async function idOfPhone(manager: EntityManager, phoneIndex: Buffer): Promise<string> {
  const [user] = await manager.query<[{ id: string }]>(
    'SELECT id FROM onboarding.users WHERE phone_index = $1',
    [phoneIndex],
  );
  return user.id;
}

const phoneLocation = (id: string) => ({ table: 'users', column: 'phone', id });
