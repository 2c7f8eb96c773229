import { Injectable } from '@nestjs/common';
import type { AadhaarSeedingStatus } from '@fd/contracts';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { KeyedHash, PiiCipher } from '../../core/index.js';
import type { PanIdentity, PanNames, VerifiedIdentity } from './identity.js';

export type NewIdentity = Omit<VerifiedIdentity, 'verifiedAt'>;

interface IdentityRow {
  verification_id: string;
  pan_encrypted: string;
  dob_encrypted: string;
  names_encrypted: string;
  pan_status: 'VALID';
  aadhaar_seeding_status: AadhaarSeedingStatus;
  verified_at: Date;
}

/** Who the users are, one identity each; one PAN belongs to one user. */
@Injectable()
export class IdentitiesRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
  ) {}

  /** Who a user is; undefined until a PAN is verified. Never send it on unmasked. */
  async of(userId: string): Promise<PanIdentity | undefined> {
    return this.verified(userId);
  }

  /** As `of`, with the verification. */
  async verified(
    userId: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<VerifiedIdentity | undefined> {
    const [row] = await manager.query<IdentityRow[]>(
      `SELECT verification_id, pan_encrypted, dob_encrypted, names_encrypted, pan_status,
              aadhaar_seeding_status, verified_at
         FROM onboarding.identities WHERE user_id = $1`,
      [userId],
    );
    return row && this.read(userId, row);
  }

  /**
   * Keeps an identity unless the user has one, or another user has its PAN: the unique indexes decide, whoever else
   * tries at the same time.
   * @returns whether it was kept
   */
  async claim(manager: EntityManager, userId: string, identity: NewIdentity): Promise<boolean> {
    const { pan, dateOfBirth, fullName, firstName, middleName, lastName, fatherName } = identity;
    const names: PanNames = { fullName, firstName, middleName, lastName, fatherName };
    const kept = await manager.query<unknown[]>(
      `INSERT INTO onboarding.identities
         (user_id, verification_id, pan_index, pan_encrypted, dob_encrypted, names_encrypted, pan_status,
          aadhaar_seeding_status)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING user_id`,
      [
        userId,
        identity.verificationId,
        this.hash.of('identities.pan', pan),
        this.cipher.encrypt(pan, locationOf(userId, 'pan')),
        this.cipher.encrypt(dateOfBirth, locationOf(userId, 'dob')),
        this.cipher.encrypt(JSON.stringify(names), locationOf(userId, 'names')),
        identity.panStatus,
        identity.aadhaarSeedingStatus,
      ],
    );
    return kept.length > 0;
  }

  private read(userId: string, row: IdentityRow): VerifiedIdentity {
    const names = this.cipher.decrypt(row.names_encrypted, locationOf(userId, 'names'));
    return {
      ...(JSON.parse(names) as PanNames),
      pan: this.cipher.decrypt(row.pan_encrypted, locationOf(userId, 'pan')),
      dateOfBirth: this.cipher.decrypt(row.dob_encrypted, locationOf(userId, 'dob')),
      verificationId: row.verification_id,
      panStatus: row.pan_status,
      aadhaarSeedingStatus: row.aadhaar_seeding_status,
      verifiedAt: row.verified_at,
    };
  }
}

const locationOf = (userId: string, column: 'pan' | 'dob' | 'names') => ({
  table: 'identities',
  column,
  id: userId,
});
