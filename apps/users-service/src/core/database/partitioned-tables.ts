/** A growing table with partitions by time, whose rows are deleted with their partition. */
export interface PartitionedTable {
  readonly name: string;
  /** Column with a time, or with an id that begins with one (UUID version 7). */
  readonly key: string;
  readonly width: 'month' | 'year';
  /** A partition is dropped once all its rows must be older than this. */
  readonly keptDays: number;
}

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
