import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** A client's key. */
@Entity('api_keys')
@Check('ck_api_keys__calls_per_minute', 'calls_per_minute > 0')
@Check('ck_api_keys__client', "client <> ''")
@Check('ck_api_keys__key_hash', "key_hash ~ '^[0-9a-f]{64}$'")
export class ApiKey {
  @PrimaryColumn('uuid') readonly keyId: string;
  /** Name of the client, for logs and metrics. A client has several keys during a replacement. */
  @Column('text') readonly client: string;
  /** First characters of the key, by which its owner recognises it. */
  @Column('text') readonly prefix: string;
  /** SHA-256 of the key, in hex. The key is long and random, so a fast hash is safe. */
  @Column('text', { unique: true }) readonly keyHash: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) readonly createdAt: Date;
  @Column({ type: 'timestamptz', nullable: true }) readonly revokedAt: Date | null;
  /** Calls a minute of all addresses of the client together. */
  @Column('integer', { default: 60_000 }) readonly callsPerMinute: number;
}
