import type { DataSource } from 'typeorm';

/**
 * Tables that may grow although a call is refused: attempt counters, records of the call, and the consents given before
 * the provider refused.
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
  'insight_days',
  'aadhaar_sends',
  'journey_events',
  'journey_steps',
  'consents',
];

/** Row counts of the tables of the service. */
export class RowCounts {
  private constructor(
    private readonly dataSource: DataSource,
    private readonly sql: string,
    private counts: Readonly<Record<string, number>>,
  ) {}

  static async read(dataSource: DataSource): Promise<RowCounts> {
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

  /** Number of watched tables. */
  get size(): number {
    return Object.keys(this.counts).length;
  }

  /** Returns the tables that have grown since the last call. */
  async grownSince(): Promise<string[]> {
    const before = this.counts;
    [this.counts] = await this.dataSource.query<[Record<string, number>]>(this.sql);
    return Object.keys(this.counts).filter((name) => this.counts[name]! > (before[name] ?? 0));
  }
}
