import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';

/** A declaration to name no nominee. */
@Entity('nominee_waivers')
// rows stay for years, so the service's role cannot add one of any size
@Check(
  'ck_nominee_waivers__declaration_version',
  "octet_length(coalesce(issuer_slug, '') || declaration_version) <= 500",
)
@Index('uq_nominee_waivers__user_id', ['userId'], { unique: true, where: 'ended_at IS NULL' })
@Index('ix_nominee_waivers__ended_at', ['endedAt'], { where: 'ended_at IS NOT NULL' })
export class NomineeWaiver {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column('text', { nullable: true }) issuerSlug: string | null;
  @Column('text') declarationVersion: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) declaredAt: Date;
  @Column({ type: 'timestamptz', nullable: true }) endedAt: Date | null;
}
