import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { PiiCipher } from '../../core/index.js';
import { AcceptedDeclaration } from './accepted-declaration.entity.js';
import type { Acceptance, Details } from './details.js';
import { type DeclarationCode, DECLARATIONS } from './details.table.js';
import { PersonalDetails } from './personal-details.entity.js';

export interface SavedDetails {
  readonly details: Details;
  /** In any version, the earliest first. */
  readonly acceptances: readonly Acceptance[];
}

@Injectable()
export class PersonalDetailsRepository {
  constructor(
    @InjectRepository(PersonalDetails) private readonly rows: Repository<PersonalDetails>,
    private readonly cipher: PiiCipher,
  ) {}

  /** As `savedOf`, outside of a transaction. */
  async findByUserId(userId: string): Promise<SavedDetails> {
    return this.savedOf(this.rows.manager, userId);
  }

  async savedOf(tx: EntityManager, userId: string): Promise<SavedDetails> {
    const row = await tx.findOneBy(PersonalDetails, { userId });
    const accepted = await tx.find(AcceptedDeclaration, {
      where: { userId },
      order: { acceptedAt: 'ASC', code: 'ASC' },
    });
    const details = row ? this.cipher.decrypt(row.detailsEncrypted, locationOf(userId)) : '{}';
    const acceptances = accepted.map(({ code, version, acceptedAt }) => ({ code, version, acceptedAt }));
    return { details: JSON.parse(details) as Details, acceptances };
  }

  async save(tx: EntityManager, userId: string, details: Details): Promise<void> {
    const detailsEncrypted = this.cipher.encrypt(JSON.stringify(details), locationOf(userId));
    await tx.upsert(PersonalDetails, { userId, detailsEncrypted, updatedAt: () => 'now()' }, ['userId']);
  }

  /** Records acceptances of current texts; the first time stays on record. */
  async accept(tx: EntityManager, userId: string, codes: readonly DeclarationCode[]): Promise<void> {
    if (codes.length === 0) return;
    const accepted = codes.map((code) => ({ userId, code, version: DECLARATIONS[code].version }));
    await tx.createQueryBuilder().insert().into(AcceptedDeclaration).values(accepted).orIgnore().execute();
  }
}

const locationOf = (userId: string) => ({ table: 'personal_details', column: 'details', id: userId });
