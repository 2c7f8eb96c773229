// The alerts, recording rules and dashboard of deploy/.
import { parseAllDocuments } from 'yaml';
import { read, readJson } from '../files.mjs';

/** The rules of both services, and those of PostgreSQL where CloudNativePG runs it. */
export const ruleGroups = [
  'base/monitoring/prometheus-rule.yaml',
  'components/cloudnative-pg/database/monitoring.yaml',
]
  .flatMap((path) => parseAllDocuments(read(`deploy/${path}`)).map((document) => document.toJS()))
  .filter(({ kind }) => kind === 'PrometheusRule')
  .flatMap(({ spec }) => spec.groups);

export const rules = ruleGroups.flatMap((group) => group.rules);
export const alerts = rules.filter(({ alert }) => alert);

/** Values of the dashboard's variables that select everything in the namespace `fd`. */
const VARIABLES = { $namespace: 'fd', $issuer: '.+', $issuer_code: '.+', $__rate_interval: '1m' };

/** The queries of the dashboard as Grafana sends them, each with its panel and legend. */
export const dashboardQueries = readJson('deploy/base/monitoring/dashboard.json').panels.flatMap(
  ({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      name: `${title}: ${legendFormat}`,
      query: expr.replaceAll(/\$\w+/g, (variable) => VARIABLES[variable] ?? variable),
    })),
);

/** Returns the names of the metrics in a PromQL expression. */
export function metricsIn(expression) {
  const withoutLabels = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|\b(?:by|without|on) *\([^)]*\)/g, ' ');
  const names = withoutLabels.match(/\b[a-z_][\w:]*\b(?! *\()/g) ?? [];
  return names.filter((name) => !['and', 'or', 'unless', 'bool'].includes(name));
}
