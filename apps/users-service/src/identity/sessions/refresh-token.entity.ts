import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Hash of an issued refresh token. A rotated one is kept as long as its session, so that reuse is recognised. */
@Entity('refresh_tokens')
export class RefreshToken {
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash: Buffer;

  @Column('uuid', { name: 'session_id' })
  sessionId: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'rotated_at', nullable: true })
  rotatedAt: Date | null;
}
