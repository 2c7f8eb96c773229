import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An accepted webhook: a repeated one has no effect. */
@Entity('webhooks')
@Check('ck_webhooks__digest', 'octet_length(digest) = 32')
@Index('ix_webhooks__received_at', ['receivedAt'])
export class Webhook {
  @PrimaryColumn('text') vendor: string;
  @PrimaryColumn('bytea') digest: Buffer;
  @Column({ type: 'timestamptz' }) receivedAt: Date;
}
