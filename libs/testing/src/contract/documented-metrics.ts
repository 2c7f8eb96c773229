import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The page that lists all metrics. */
const PAGE = join(import.meta.dirname, '../../../../docs/metrics.md');

/** What a metric of a registry tells of itself. */
export interface ExportedMetric {
  readonly name: string;
  readonly help: string;
}

/** A row of the page: name, labels, what it tells. */
export type MetricRow = readonly [name: string, labels: string, help: string];

/** What Linux alone tells of a process. */
const OF_LINUX = [
  'process_virtual_memory_bytes',
  'process_heap_bytes',
  'process_open_fds',
  'process_max_fds',
];

const inOrder = (rows: readonly MetricRow[]): MetricRow[] =>
  rows.filter(([name]) => !OF_LINUX.includes(name)).sort(([a], [b]) => (a < b ? -1 : 1));

/** The rows that stand for metrics that a service exports, by their names. */
export function metricRows(metrics: readonly ExportedMetric[]): MetricRow[] {
  return inOrder(
    metrics.map((metric): MetricRow => {
      const { labelNames = [] } = metric as { labelNames?: readonly string[] };
      return [metric.name, labelNames.join(', '), metric.help];
    }),
  );
}

/** The rows that the page has for a service, in its part and in the one of both services. */
export function documentedMetrics(service: string): MetricRow[] {
  const parts = readFileSync(PAGE, 'utf8').split(/^## /m);
  const rows = parts
    .filter((part) => part.startsWith(`${service}\n`) || part.startsWith('Both services\n'))
    .flatMap((part) => [...part.matchAll(/^\| `(\w+)` *\|([^|]*)\|([^|]*)\|$/gm)])
    .map(([, name, labels, help]): MetricRow => [name!, labels!.replaceAll('`', '').trim(), help!.trim()]);
  return inOrder(rows);
}
