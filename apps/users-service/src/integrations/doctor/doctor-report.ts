import type { CheckResult } from './doctor.js';

/** The record of a run for auditors. */
export interface DoctorReport {
  readonly service: 'users-service';
  /** Issuer of our tokens; its published keys verify the report. */
  readonly issuer: string;
  readonly environment: string;
  readonly checked_at: string;
  readonly is_green: boolean;
  readonly checks: readonly CheckResult[];
}

/** Formats the checks as a table for a terminal, with the remedy of each fault on a line of its own. */
export function tableOf(checks: readonly CheckResult[]): string {
  const rows = checks.map(({ outcome, port, vendor, check, ms, cost }) => [
    outcome === 'fault' ? 'FAULT' : outcome,
    port,
    vendor,
    check,
    outcome === 'skipped' ? '' : `${ms} ms`,
    cost && outcome !== 'skipped' ? `charged: ${cost}` : '',
  ]);
  const widths = rows[0]?.map((_cell, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? [];
  return checks
    .map(({ detail, action }, index) => {
      const cells = rows[index]!.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
      return [`${cells}  ${detail}`, ...(action ? [`       -> ${action}`] : [])].join('\n');
    })
    .join('\n');
}
