import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';
import type { IssuerLead } from '../../integrations/index.js';

@Entity('leads')
@Check('ck_leads__state', "state IN ('OPENING', 'OPEN', 'EXPIRED', 'CONVERTED')")
@Check('ck_leads__opened', "state = 'OPENING' OR (issuer_lead_id IS NOT NULL AND expires_at IS NOT NULL)")
@Index('uq_leads__open', ['userId', 'issuerSlug'], { unique: true, where: "state IN ('OPENING', 'OPEN')" })
export class LeadRow {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column('text') issuerSlug: string;
  @Column('text') state: 'OPENING' | IssuerLead['state'];
  /** Rupees. */
  @Column('numeric', { precision: 17, scale: 2, nullable: true }) amount: string | null;
  @Column('integer', { nullable: true }) tenureDays: number | null;
  @Column('text', { nullable: true }) payoutFrequency: string | null;
  @Column('text', { nullable: true }) source: string | null;
  @Column('text', { nullable: true }) campaign: string | null;
  @Column('text', { nullable: true }) issuerLeadId: string | null;
  @Column({ type: 'timestamptz', nullable: true }) expiresAt: Date | null;
  @Column('text', { nullable: true }) kycContextId: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updatedAt: Date;
}
