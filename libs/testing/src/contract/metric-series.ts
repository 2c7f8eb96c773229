import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportedMetric } from './documented-metrics.js';

/** The alerts and the recorded ratios, and the dashboard. */
const MONITORING = join(import.meta.dirname, '../../../../deploy/base/monitoring');

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

/** Returns everything that queries metrics; a variable of the dashboard selects all values. */
function queries(): string {
  const read = (name: string): string => readFileSync(join(MONITORING, name), 'utf8');
  const { panels } = JSON.parse(read('dashboard.json')) as Dashboard;
  const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  return [read('prometheus-rule.yaml'), ...shown.map((expr) => expr.replaceAll(/\$\w+/g, '.*'))].join('\n');
}

/** Labels that Prometheus adds. */
const ADDED_LABELS = ['namespace', 'job', 'pod'];

/** Metrics whose series may appear with their first event: PromQL counts no increase then. */
const APPEARING = [
  // a series for each route and status; the alerts compare shares of several minutes
  /^http_request_duration_seconds/,
  // codes times routes; no alert reads it
  /^refusals_total$/,
  // from prom-client: what the process does just now
  /^nodejs_(active|gc)_/,
];

type Series = ReadonlyMap<string, string>;

const LABEL = /\b(\w+)(=~|!~|!=|=)"([^"]*)"/g;

const mayAppear = (metric: string): boolean => APPEARING.some((name) => name.test(metric));

/** Whether a series has the labels that a selector asks for; a missing label is empty. */
const isSelected = (series: Series, selector: string): boolean =>
  [...selector.matchAll(LABEL)]
    .filter(([, label]) => !ADDED_LABELS.includes(label!))
    .every(([, label, operator, value]) => {
      const text = series.get(label!) ?? '';
      const isEqual = operator!.includes('~') ? new RegExp(`^(?:${value!})$`).test(text) : text === value;
      return isEqual !== operator!.startsWith('!');
    });

/** The series of an answer of `/metrics`, by name. */
function seriesIn(exposition: string): Map<string, Series[]> {
  const found = new Map<string, Series[]>();
  for (const line of exposition.split('\n').filter((line) => !line.startsWith('#'))) {
    const [name] = line.split(/[{ ]/, 1);
    const series = new Map([...line.matchAll(LABEL)].map(([, label, , value]) => [label!, value!]));
    found.set(name!, [...(found.get(name!) ?? []), series]);
  }
  return found;
}

/**
 * Returns the selectors of alerts and dashboard for metrics of a service that select no series of an answer of `/metrics`, each
 * once: such a query does not see the first event.
 */
export function selectorsWithoutSeries(exposition: string, metrics: readonly ExportedMetric[]): string[] {
  const series = seriesIn(exposition);
  const names = metrics.map(({ name }) => name).join('|');
  const selectors = queries().matchAll(
    new RegExp(String.raw`(?<![\w:])((?:${names})(?:_bucket|_count|_sum)?)(?![\w:])(\{[^}]*\})?`, 'g'),
  );
  const missing = [...selectors]
    .filter(([, name]) => !mayAppear(name!))
    .filter(([, name, labels = '']) => !series.get(name!)?.some((found) => isSelected(found, labels)))
    .map(([selector]) => selector);
  return [...new Set(missing)].sort();
}

/** Returns the names of metrics without a series in an answer of `/metrics`, in order. */
export function metricsWithoutSeries(exposition: string, metrics: readonly ExportedMetric[]): string[] {
  const series = seriesIn(exposition);
  return metrics
    .map(({ name }) => name)
    .filter((name) => !mayAppear(name) && !series.has(name) && !series.has(`${name}_count`))
    .sort();
}
