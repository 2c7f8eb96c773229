import type { InsightEventName, InsightSubject } from '@fd/contracts';
import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { PropertyValue } from './personal-data.js';

/** An event that a client reported, in partitions by the time of the report. */
@Entity('insight_events')
export class InsightEventRow {
  // by name, since users belong to a domain above
  @ForeignKey('User') @PrimaryColumn('uuid') userId: string;
  @PrimaryColumn('uuid') eventId: string;
  @Column('text') eventName: InsightEventName;
  @Column('text', { nullable: true }) step: InsightSubject | null;
  @Column('text', { nullable: true }) issuerSlug: string | null;
  @Column({ type: 'timestamptz' }) occurredAt: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) receivedAt: Date;
  @Column('jsonb') properties: Readonly<Record<string, PropertyValue>>;
}
