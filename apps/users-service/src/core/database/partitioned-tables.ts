import type { PartitionedTable } from '@fd/platform';

/** The law requires logs of processing for a year; one more month, because a partition ends with its month. */
export const EVENTS_KEPT_DAYS = 400;

/** Tables that only grow. Why each is kept for so long: docs/security.md. */
export const PARTITIONED_TABLES: readonly PartitionedTable[] = [
  // ten years
  { name: 'journey_events', key: 'id', width: 'year', keptDays: 3_653 },
  { name: 'insight_events', key: 'received_at', width: 'month', keptDays: EVENTS_KEPT_DAYS },
  { name: 'audit_events', key: 'sealed_at', width: 'month', keptDays: EVENTS_KEPT_DAYS },
];

/** Consents and declarations, from the day of their withdrawal: as long as a consent manager keeps its records. */
export const DECLARATIONS_KEPT_YEARS = 7;
