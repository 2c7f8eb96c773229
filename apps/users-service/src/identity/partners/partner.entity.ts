import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { PartnerPublicKey } from './partner-public-key.js';

/** A frontend's owner: where its pages live and the key to which tokens for its backend are encrypted. */
@Entity('partners')
export class Partner {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  /** Normalised. */
  @Column('text')
  url: string;

  @Column('jsonb', { name: 'public_key' })
  publicKey: PartnerPublicKey;

  /** The key that was replaced last, to go back to; tokens are not encrypted to it. */
  @Column('jsonb', { name: 'former_public_key', nullable: true })
  formerPublicKey: PartnerPublicKey | null;

  /** Origins to which a person may be sent back; empty: any. */
  @Column('text', { name: 'redirect_origins', array: true })
  redirectOrigins: string[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt: Date | null;
}

/** The form in which partner URLs are stored and compared: origin and path, without a slash at the end. */
export function normalisePartnerUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}
