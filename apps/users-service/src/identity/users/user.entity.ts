import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

@Entity('users')
export class User {
  /** UUIDv7, made by the service. */
  @PrimaryColumn('uuid')
  id: string;

  /** Keyed hash of the phone, for looking it up. */
  @Column('bytea', { name: 'phone_index' })
  phoneIndex: Buffer;

  @Column('text', { name: 'phone_encrypted' })
  phoneEncrypted: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
