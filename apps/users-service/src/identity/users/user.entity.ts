import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('users')
@Check('ck_users__phone_index', 'octet_length(phone_index) = 32')
@Check('ck_users__email_index', 'octet_length(email_index) = 32')
@Check(
  'ck_users__email',
  '(email_index IS NULL) = (email_encrypted IS NULL) AND (email_index IS NULL) = (email_verified_at IS NULL)',
)
// partial, so not a key of the table: a change of address need not block writes of rows that refer to the user
@Index('uq_users__email_index', ['emailIndex'], { unique: true, where: 'email_index IS NOT NULL' })
@Index('ix_users__released_phone_index', ['releasedPhoneIndex'], {
  where: 'released_phone_index IS NOT NULL',
})
export class User {
  @PrimaryColumn('uuid') id: string;
  @Column('bytea', { unique: true }) phoneIndex: Buffer;
  @Column('text') phoneEncrypted: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
  @Column('text', { nullable: true }) lastIssuerSlug: string | null;
  @Column('bytea', { nullable: true }) emailIndex: Buffer | null;
  @Column('text', { nullable: true }) emailEncrypted: string | null;
  @Column({ type: 'timestamptz', nullable: true }) emailVerifiedAt: Date | null;
  @Column({ type: 'timestamptz', nullable: true }) blockedAt: Date | null;
  /** To the day. An unconfirmed login does not count. */
  @Column({ type: 'timestamptz', default: () => 'now()' }) lastLoginAt: Date;
  /** The next owner of the phone has started anew. */
  @Column({ type: 'timestamptz', nullable: true }) phoneReleasedAt: Date | null;
  /** It was another user's before, whose documents may still name it. */
  @Column('boolean', { default: false }) isPhoneReused: boolean;
  /** Of the phone that was given up, by which its next owners are known. */
  @Column('bytea', { nullable: true }) releasedPhoneIndex: Buffer | null;
}
