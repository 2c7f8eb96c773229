import type { PartitionedTable } from '@fd/platform';

/** The law asks for a year of what is known of processing; a month more, since partitions end with theirs. */
export const EVENTS_KEPT_DAYS = 400;

/** Tables that only grow. Why each is kept for so long: docs/security.md. */
export const PARTITIONED_TABLES: readonly PartitionedTable[] = [
  // ten years
  { name: 'journey_events', key: 'id', width: 'year', keptDays: 3_653 },
  { name: 'insight_events', key: 'received_at', width: 'month', keptDays: EVENTS_KEPT_DAYS },
  { name: 'audit_events', key: 'sealed_at', width: 'month', keptDays: EVENTS_KEPT_DAYS },
];

/** What people have declared, from the day on which it no longer holds: as long as a consent manager keeps its records. */
export const DECLARATIONS_KEPT_YEARS = 7;
