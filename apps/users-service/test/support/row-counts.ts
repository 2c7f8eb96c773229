import type { DataSource } from 'typeorm';

/**
 * What a refused call may add to: counts of what it has cost, the notes that it was made, and what was agreed to before
 * an outside party was asked, which then refused.
 */
const MAY_GROW = [
  'audit_unsealed',
  'audit_events',
  'audit_checkpoints',
  'otp_counts',
  'idempotent_calls',
  'pan_lookups',
  'pan_checks',
  'contested_identities',
  'bank_checks',
  'bank_mismatches',
  'aadhaar_sends',
  'journey_events',
  'journey_steps',
  'consents',
];

/** How many rows each table of the service has. */
export class RowCounts {
  private constructor(
    private readonly dataSource: DataSource,
    private readonly sql: string,
    private counts: Readonly<Record<string, number>>,
  ) {}

  static async of(dataSource: DataSource): Promise<RowCounts> {
    const tables = await dataSource.query<{ name: string }[]>(
      `SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'onboarding'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
          AND NOT relname = ANY ($1)`,
      [MAY_GROW],
    );
    const counts = tables.map(({ name }) => `(SELECT count(*)::int FROM onboarding.${name}) AS ${name}`);
    const made = new RowCounts(dataSource, `SELECT ${counts.join(', ')}`, {});
    await made.grownSince();
    return made;
  }

  /** How many tables are watched. */
  get size(): number {
    return Object.keys(this.counts).length;
  }

  /** Tables that have more rows than when this was asked last. */
  async grownSince(): Promise<string[]> {
    const before = this.counts;
    [this.counts] = await this.dataSource.query<[Record<string, number>]>(this.sql);
    return Object.keys(this.counts).filter((name) => this.counts[name]! > (before[name] ?? 0));
  }
}
