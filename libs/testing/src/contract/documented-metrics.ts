import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The page that lists all metrics. */
const PAGE = join(import.meta.dirname, '../../../../docs/metrics.md');

/** A metric's description in its registry. */
export interface ExportedMetric {
  readonly name: string;
  readonly help: string;
}

/** A row of the page: name, labels, meaning. */
type MetricRow = readonly [name: string, labels: string, help: string];

/** Metrics of a process that exist only on Linux. */
const OF_LINUX = [
  'process_virtual_memory_bytes',
  'process_heap_bytes',
  'process_open_fds',
  'process_max_fds',
];

const inOrder = (rows: readonly MetricRow[]): MetricRow[] =>
  rows.filter(([name]) => !OF_LINUX.includes(name)).sort(([a], [b]) => (a < b ? -1 : 1));

/** Rows for the metrics that a service exports, by name. */
export function metricRows(metrics: readonly ExportedMetric[]): MetricRow[] {
  return inOrder(
    metrics.map((metric): MetricRow => {
      const { labelNames = [] } = metric as { labelNames?: readonly string[] };
      return [metric.name, labelNames.join(', '), metric.help];
    }),
  );
}

/** The page's rows for a service, in its part and in the part of both services. */
export function documentedMetrics(service: string): MetricRow[] {
  const parts = readFileSync(PAGE, 'utf8').split(/^## /m);
  const rows = parts
    .filter((part) => part.startsWith(`${service}\n`) || part.startsWith('Both services\n'))
    .flatMap((part) => [...part.matchAll(/^\| `(\w+)` *\|([^|]*)\|([^|]*)\|$/gm)])
    .map(([, name, labels, help]): MetricRow => [name!, labels!.replaceAll('`', '').trim(), help!.trim()]);
  return inOrder(rows);
}
