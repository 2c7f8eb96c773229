import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Session } from './session.entity.js';

@Entity('refresh_tokens')
@Check('ck_refresh_tokens__token_hash', 'octet_length(token_hash) = 32')
@Index('ix_refresh_tokens__session_id', ['sessionId'])
export class RefreshToken {
  @PrimaryColumn('bytea') tokenHash: Buffer;
  @ForeignKey(() => Session, { onDelete: 'CASCADE' }) @Column('uuid') sessionId: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
  @Column({ type: 'timestamptz', nullable: true }) rotatedAt: Date | null;
}
