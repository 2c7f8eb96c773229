import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, type Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { DECLARATIONS_KEPT_YEARS, type OldRows, PiiCipher } from '../../core/index.js';
import { NomineeWaiver } from './nominee-waiver.entity.js';
import { NomineeRow } from './nominee.entity.js';
import { NO_NOMINEE_DECLARATION, type Nominee, type NomineePerson } from './nominee.js';

export const OLD_WAIVERS: OldRows = {
  name: 'old waivers of nominees',
  entity: NomineeWaiver,
  select: (rows) =>
    rows.where(`t.endedAt < now() - interval '${DECLARATIONS_KEPT_YEARS} years'`).orderBy('t.endedAt'),
  batch: 500,
};

/** Nominees, and declarations to name none. */
@Injectable()
export class NomineesRepository {
  constructor(
    @InjectRepository(NomineeRow) private readonly rows: Repository<NomineeRow>,
    private readonly cipher: PiiCipher,
  ) {}

  /** As `listOf`, outside of a transaction. */
  async findByUserId(userId: string): Promise<Nominee[]> {
    return this.listOf(this.rows.manager, userId);
  }

  /** Successive nominees by position, others in the order of their creation. */
  async listOf(tx: EntityManager, userId: string): Promise<Nominee[]> {
    const rows = await tx.find(NomineeRow, { where: { userId }, order: { priority: 'ASC', id: 'ASC' } });
    return rows.map(({ id, personEncrypted, nominationType: type, share, priority }) => ({
      ...{ id, type, share, priority },
      person: JSON.parse(this.cipher.decrypt(personEncrypted, locationOf(id))) as NomineePerson,
    }));
  }

  async countOf(tx: EntityManager, userId: string): Promise<number> {
    return tx.countBy(NomineeRow, { userId });
  }

  async add(tx: EntityManager, userId: string, nominees: readonly Nominee[]): Promise<void> {
    await tx.insert(
      NomineeRow,
      nominees.map((nominee) => ({ userId, id: nominee.id, ...this.sealed(nominee) })),
    );
  }

  async change(tx: EntityManager, userId: string, nominee: Nominee): Promise<void> {
    const changes = { ...this.sealed(nominee), updatedAt: () => 'now()' };
    await tx.update(NomineeRow, { id: nominee.id, userId }, changes);
  }

  /** @returns false if the user has no such nominee */
  async remove(tx: EntityManager, userId: string, id: string): Promise<boolean> {
    const { affected } = await tx.delete(NomineeRow, { id, userId });
    return affected === 1;
  }

  /** Whether the user has declared to name no nominee. */
  async isWaived(userId: string): Promise<boolean> {
    return this.rows.manager.existsBy(NomineeWaiver, { userId, endedAt: IsNull() });
  }

  /** Records the declaration to name no nominee, unless one is in force. */
  async waive(tx: EntityManager, userId: string, issuerSlug: string | undefined): Promise<void> {
    const declarationVersion = NO_NOMINEE_DECLARATION.version;
    const waiver = { id: uuidv7(), userId, issuerSlug, declarationVersion };
    await tx.createQueryBuilder().insert().into(NomineeWaiver).values(waiver).orIgnore().execute();
  }

  /** Ends the declaration of a user who names a nominee; it stays on record. @returns whether there was one */
  async endWaiver(tx: EntityManager, userId: string): Promise<boolean> {
    const { affected } = await tx.update(
      NomineeWaiver,
      { userId, endedAt: IsNull() },
      { endedAt: () => 'now()' },
    );
    return affected === 1;
  }

  private sealed({ id, person, type: nominationType, share, priority }: Nominee) {
    const personEncrypted = this.cipher.encrypt(JSON.stringify(person), locationOf(id));
    return { personEncrypted, nominationType, share, priority };
  }
}

const locationOf = (id: string) => ({ table: 'nominees', column: 'person', id });
