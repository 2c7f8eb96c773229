import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../users/user.entity.js';

type EndReason =
  'LOGOUT' | 'REVOKED' | 'TOKEN_REUSE' | 'REPLACED' | 'OPERATOR' | 'BLOCKED' | 'PARTNER_DISABLED';

@Entity('sessions')
@Check(
  'ck_sessions__end_reason',
  `end_reason IN ('LOGOUT', 'REVOKED', 'TOKEN_REUSE', 'REPLACED', 'OPERATOR', 'BLOCKED', 'PARTNER_DISABLED')`,
)
@Check('ck_sessions__end', '(ended_at IS NULL) = (end_reason IS NULL)')
@Index('ix_sessions__user_id', ['userId'], { where: 'ended_at IS NULL' })
// on coalesce(ended_at, expires_at), which TypeORM cannot express
@Index('ix_sessions__over_at', { synchronize: false })
export class Session {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  // by name, since partners build on sessions
  @ForeignKey('Partner') @Column('uuid') partnerId: string;
  @Column('text', { nullable: true }) device: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) lastUsedAt: Date;
  @Column({ type: 'timestamptz' }) expiresAt: Date;
  @Column({ type: 'timestamptz', nullable: true }) endedAt: Date | null;
  @Column('text', { nullable: true }) endReason: EndReason | null;
  /** Counts refreshes: each moves this time ahead. */
  @Column({ type: 'timestamptz', nullable: true }) refreshesBookedUntil: Date | null;
  /** After a long pause somebody else may have the phone. */
  @Column('boolean', { default: false }) isUnconfirmed: boolean;
  /** By what only the owner of the account knows. */
  @Column({ type: 'timestamptz', nullable: true }) confirmedAt: Date | null;
}
