import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import type { Step, StepEvent, StepState } from './journey.table.js';

/** A change of a step, in partitions by the time in its id. */
@Entity('journey_events')
// the service's role cannot delete a row, so it cannot add one of any size either
@Check(
  'ck_journey_events__reason',
  "octet_length(issuer_slug || step || event || from_state || to_state || coalesce(reason, '')) <= 1000",
)
export class JourneyEvent {
  @PrimaryColumn('uuid') id: string;
  /** No foreign key: the history stays as proof after the user's row is deleted. */
  @Column('uuid') userId: string;
  @Column('text') issuerSlug: string;
  @Column('text') step: Step;
  @Column('text') event: StepEvent;
  @Column('text') fromState: StepState;
  @Column('text') toState: StepState;
  @Column('text', { nullable: true }) reason: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) occurredAt: Date;
}
