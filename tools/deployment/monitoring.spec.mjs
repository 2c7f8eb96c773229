import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { read } from '../files.mjs';
import { root } from '../workspace.mjs';
import { alerts, dashboardQueries, metricsIn, rules } from './monitoring.mjs';

const RUNBOOKS = readdirSync(join(root, 'docs/runbooks')).filter((name) => name !== 'README.md');

/** Metrics of Prometheus, kube-state-metrics and CloudNativePG. */
const OF_THE_PLATFORM = /^(up|kube_\w+|cnpg_\w+|barman_cloud_\w+)$/;

/** The file in docs/runbooks that an alert links to on the documentation site. */
const runbookOf = ({ annotations }) =>
  annotations.runbook_url
    .replace('https://docs.deposits.example/guide/runbooks/', '')
    .replace('.html', '.md');

describe('every alert', () => {
  it('has a summary, a duration and the severity that its runbook names', () => {
    const named = RUNBOOKS.flatMap((page) =>
      [...read(`docs/runbooks/${page}`).matchAll(/`(\w+)`\s\((critical|warning)\)/g)].map(
        ([, alert, severity]) => `${page} ${alert} ${severity}`,
      ),
    );
    const graded = alerts.map((rule) => `${runbookOf(rule)} ${rule.alert} ${rule.labels.severity}`);
    assert.deepEqual(named.sort(), graded.sort());
    for (const { alert, annotations, for: duration } of alerts)
      assert.ok(annotations.summary && duration, alert);
  });

  it('exists for each runbook, unless the README of the runbooks links to the page', () => {
    const linked = [...read('docs/runbooks/README.md').matchAll(/\(([\w-]+\.md)\)/g)].map(([, name]) => name);
    const used = [...linked, ...alerts.map(runbookOf)];
    assert.deepEqual(
      RUNBOOKS.filter((page) => !used.includes(page)),
      [],
    );
  });
});

describe('every query of alerts and dashboard', () => {
  const queries = [
    ...rules.map(({ alert, record, expr }) => ({ name: alert ?? record, query: expr })),
    ...dashboardQueries,
  ];

  it('uses metrics that docs/metrics.md lists', () => {
    const listed = [...read('docs/metrics.md').matchAll(/^\| `(\w+)`/gm)].flatMap(([, name]) =>
      ['', '_bucket', '_count', '_sum'].map((suffix) => `${name}${suffix}`),
    );
    const known = new Set([...listed, ...rules.map(({ record }) => record)]);
    for (const { name, query } of queries) {
      const metrics = metricsIn(query);
      assert.ok(metrics.length > 0, name);
      for (const metric of metrics)
        assert.ok(known.has(metric) || OF_THE_PLATFORM.test(metric), `${name}: ${metric}`);
    }
  });

  it('selects the namespace on the dashboard', () => {
    for (const { name, query } of dashboardQueries)
      assert.equal(query.split('namespace="fd"').length - 1, metricsIn(query).length, name);
  });

  it('ignores calls of health checks and of Prometheus', () => {
    const selectors = queries.flatMap(
      ({ query }) => query.match(/\bhttp_request_duration_\w+\{[^}]*\}/g) ?? [],
    );
    assert.ok(selectors.length > 20);
    for (const selector of selectors) {
      const [, operator, value] = /\broute(=~|!~|!=|=)"([^"]*)"/.exec(selector) ?? [];
      const isMatched = (route) => new RegExp(`^(?:${value})$`).test(route) !== operator.startsWith('!');
      assert.ok(operator && !['/health/live', '/health/ready', '/metrics'].some(isMatched), selector);
    }
  });
});

it('keeps logs for the 180 days that CERT-In requires (directions of 28 April 2022, iv)', () => {
  const { limits_config: limits, compactor } = parse(read('deploy/logs/loki.yaml'));
  assert.ok(Number(/^(\d+)h$/.exec(limits.retention_period)[1]) >= 180 * 24);
  // without it Loki deletes nothing
  assert.equal(compactor.retention_enabled, true);
});
