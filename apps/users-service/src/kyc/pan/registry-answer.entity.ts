import type { AadhaarSeedingStatus } from '@fd/contracts';
import { Column, ForeignKey, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';

/** The answer of the PAN registry, the columns of identities and of claims to one. */
export abstract class RegistryAnswer {
  @ForeignKey(() => User) @PrimaryColumn('uuid') userId: string;
  @Column('uuid', { unique: true }) verificationId: string;
  @Column('bytea') panIndex: Buffer;
  @Column('text') panEncrypted: string;
  @Column('text') dobEncrypted: string;
  @Column('text') namesEncrypted: string;
  @Column('text') panStatus: 'VALID';
  @Column('text') aadhaarSeedingStatus: AadhaarSeedingStatus;
  @Column({ type: 'timestamptz', default: () => 'now()' }) verifiedAt: Date;
}
