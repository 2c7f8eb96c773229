import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Events of clients, counted by user and day (UTC). */
@Entity('insight_days')
@Check('ck_insight_days__events', 'events >= 0')
@Check('ck_insight_days__bytes', 'bytes >= 0')
@Index('ix_insight_days__day', ['day'])
export class InsightDay {
  // by name, since users belong to a domain above
  @ForeignKey('User') @PrimaryColumn('uuid') userId: string;
  @PrimaryColumn('date') day: string;
  @Column('integer') events: number;
  @Column('integer', { default: 0 }) bytes: number;
}
