import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Whether the booking check of an application was clean when it was last looked at, for the event `application.ready`. */
@Entity('application_readiness')
@Index('ix_application_readiness__changed_at', ['changedAt'], { where: 'changed_at IS NOT NULL' })
export class ApplicationReadiness {
  /** No foreign key: who numbers events holds locks that an erasure waits for. */
  @PrimaryColumn('uuid') userId: string;
  @PrimaryColumn('text') issuerSlug: string;
  @Column('boolean', { default: false }) isReady: boolean;
  /** When something changed that may decide it; null once it was looked at. */
  @Column({ type: 'timestamptz', nullable: true, default: () => 'now()' }) changedAt: Date | null;
}
