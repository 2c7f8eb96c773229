import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** A key that encrypts values: a service without it notices at its start. */
@Entity('keys_in_use')
@Check('ck_keys_in_use__purpose', "purpose IN ('PII', 'INDEX')")
@Check(
  'ck_keys_in_use__key_id',
  "CASE purpose WHEN 'INDEX' THEN key_id = 'index' ELSE key_id ~ '^[A-Za-z0-9_-]{1,32}$' END",
)
export class KeyInUse {
  @PrimaryColumn('text') purpose: 'PII' | 'INDEX';
  @PrimaryColumn('text') keyId: string;
  /** Identifies the key without revealing it; null until a service with the key has started. */
  @Column('bytea', { nullable: true }) checkValue: Buffer | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) seenAt: Date;
}
