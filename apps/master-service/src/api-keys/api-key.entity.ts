import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The key of one client, as much of it as may be kept. */
@Entity({ name: 'api_keys' })
export class ApiKeyEntity {
  @PrimaryColumn({ name: 'key_id', type: 'uuid' })
  keyId: string;

  /** Name of the client, for logs and metrics. A client has several keys while one is replaced. */
  @Column({ type: 'text' })
  client: string;

  /** First characters of the key, by which its owner recognises it. */
  @Column({ type: 'text' })
  prefix: string;

  /** SHA-256 of the key, in hex. It is random and long, so a fast hash cannot be searched. */
  @Column({ name: 'key_hash', type: 'text' })
  keyHash: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt: Date | null;
}
