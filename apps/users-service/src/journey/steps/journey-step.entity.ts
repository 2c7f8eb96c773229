import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { Step, StepState } from './journey.table.js';

@Entity('journey_steps')
@Check('ck_journey_steps__state', "state IN ('NOT_STARTED', 'IN_PROGRESS', 'DONE', 'SKIPPED', 'FAILED')")
export class JourneyStepRow {
  // by name, since users belong to a domain above
  @ForeignKey('User') @PrimaryColumn('uuid') userId: string;
  /** '' for a step that is done once for all issuers. */
  @PrimaryColumn('text') issuerSlug: string;
  @PrimaryColumn('text') step: Step;
  @Column('text') state: StepState;
  @Column('text', { nullable: true }) reason: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updatedAt: Date;
  /** How often the step has changed on the day of its last change: each change is an event that is kept for years. */
  @Column('integer', { default: 0 }) changes: number;
  @Column('date', { nullable: true }) changedOn: string | null;
  /** The partner in whose app the user began the step. No foreign key: each login writes it. */
  @Column('uuid', { nullable: true }) partnerId: string | null;
}
