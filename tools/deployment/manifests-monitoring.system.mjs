import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { all } from './every-manifest.mjs';
import { find, ruleGroups } from './manifests.mjs';
import { labelsIn, METRICS_OF_THE_PLATFORM, metricsIn, selectorsIn } from './promql.mjs';
import { root } from '../workspace.mjs';

describe('every alert', () => {
  let groups;
  before(async () => {
    groups = await ruleGroups();
  });
  const rules = () => groups.flatMap((group) => group.rules).filter(({ alert }) => alert);

  /** The source file of a page of the documentation site. */
  const runbookOf = ({ runbook_url: url }) => {
    const page = /^https:\/\/docs\.deposits\.example\/guide\/(runbooks\/[\w-]+)\.html$/.exec(url)?.[1];
    assert.ok(page, url);
    return `docs/${page}.md`;
  };

  it('has a summary, a severity and a runbook', () => {
    assert.ok(rules().length > 10);
    for (const { alert, labels, annotations, for: duration } of rules()) {
      assert.match(labels.severity, /^(critical|warning)$/, alert);
      assert.ok(annotations.summary.length > 20 && duration, alert);
      const runbook = readFileSync(join(root, runbookOf(annotations)), 'utf8');
      assert.match(runbook, new RegExp(`\`${alert}\``), `${annotations.runbook_url} does not name ${alert}`);
    }
  });

  it('has the severity of its runbook page, which the README of the runbooks defines', () => {
    const folder = join(root, 'docs/runbooks');
    const said = readdirSync(folder).flatMap((page) => {
      const named = readFileSync(join(folder, page), 'utf8').matchAll(/`(\w+)`\s\((critical|warning)\)/g);
      return Array.from(named, ([, alert, severity]) => `docs/runbooks/${page} ${alert} ${severity}`);
    });
    const graded = rules().map(
      ({ alert, labels, annotations }) => `${runbookOf(annotations)} ${alert} ${labels.severity}`,
    );
    assert.deepEqual(said.sort(), graded.sort());
    const defined = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^\| `(\w+)` +\| \w/gm);
    const severities = new Set(rules().map(({ labels }) => labels.severity));
    assert.deepEqual(new Set(Array.from(defined, ([, word]) => word)), severities);
  });

  it('is a valid expression for each namespace', () => {
    for (const { alert, expr } of rules()) {
      assert.ok(metricsIn(expr).length > 0, alert);
      // absent() has only the labels of its selector
      if (!expr.includes('absent(')) assert.match(expr, /by \(namespace\b|^deposits:/, alert);
    }
    assert.throws(() => metricsIn('sum(rate(otp_sends_total[5m])'), /invalid PromQL/);
  });

  it('exists for each runbook, unless the README names the runbook', () => {
    const folder = join(root, 'docs/runbooks');
    const used = new Set(rules().map(({ annotations }) => runbookOf(annotations)));
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    for (const [, name] of readme.matchAll(/\(([\w-]+\.md)\)/g)) used.add(`docs/runbooks/${name}`);
    const files = readdirSync(folder).filter((name) => name !== 'README.md');
    assert.deepEqual(files.map((name) => `docs/runbooks/${name}`).sort(), [...used].sort());
  });
});

/** Labels of each metric in docs/metrics.md, including parts of histograms. */
function documentedMetrics() {
  const page = readFileSync(join(root, 'docs/metrics.md'), 'utf8');
  const metrics = new Map(METRICS_OF_THE_PLATFORM);
  for (const [, name, labels] of page.matchAll(/^\| `(\w+)` *\|([^|]*)\|[^|]*\|$/gm)) {
    const names = [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label);
    for (const suffix of ['', '_bucket', '_count', '_sum']) metrics.set(`${name}${suffix}`, names);
  }
  return metrics;
}

/** Labels that Prometheus adds, and the bound of a bucket. */
const ADDED_LABELS = ['namespace', 'job', 'pod', 'le'];

/** Metrics and labels in EXPRESSION that no service exports. */
function unknownIn(expression, metrics) {
  const named = metricsIn(expression);
  assert.ok(named.length > 0, expression);
  const labels = [...ADDED_LABELS, ...named.flatMap((name) => metrics.get(name) ?? [])];
  return [
    ...named.filter((name) => !metrics.has(name)),
    ...labelsIn(expression).filter((label) => !labels.includes(label)),
  ];
}

/** Whether SELECTOR matches calls of ROUTE. */
function matchesRoute(selector, route) {
  const matchers = selector.matchAll(/\broute(=~|!~|!=|=)"([^"]*)"/g);
  return Array.from(matchers, ([, operator, value]) => {
    const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(route) : value === route;
    return isEqual !== operator.startsWith('!');
  }).every(Boolean);
}

describe('a Prometheus expression', () => {
  const metrics = documentedMetrics();
  const rules = () =>
    find(all.production.services, 'PrometheusRule', 'deposits').spec.groups.flatMap((group) => group.rules);
  // recorded series have only the labels of their rule
  before(() => rules().forEach(({ record }) => record && metrics.set(record, [])));
  const dashboard = () =>
    JSON.parse(find(all.production.services, 'ConfigMap', 'deposits-dashboard').data['fixed-deposits.json']);
  /** An expression of the dashboard as Grafana sends it. */
  const sent = (expression) => expression.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, 'any');

  it('uses exported metrics and labels in alerts', () => {
    for (const { alert, record, expr } of rules())
      assert.deepEqual(unknownIn(expr, metrics), [], alert ?? record);
  });

  it('uses exported metrics and labels on the dashboard', () => {
    const { panels } = dashboard();
    const asked = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    assert.ok(asked.length > 30);
    for (const { title, expr } of asked) assert.deepEqual(unknownIn(sent(expr), metrics), [], title);
    // every series is of the chosen namespace
    for (const { title, expr } of asked)
      assert.equal(expr.split('namespace="$namespace"').length - 1, metricsIn(sent(expr)).length, title);
  });

  it('does not count the calls of health checks and of Prometheus', () => {
    const asked = dashboard().panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => sent(expr)));
    const measured = [...rules().map(({ expr }) => expr), ...asked]
      .flatMap(selectorsIn)
      .filter((selector) => selector.startsWith('http_request_duration_'));
    assert.ok(measured.length > 20);
    for (const selector of measured)
      for (const route of ['/health/live', '/health/ready', '/metrics'])
        assert.ok(!matchesRoute(selector, route), `${selector} matches ${route}`);
    assert.ok(matchesRoute('http_request_duration_seconds_count{status="429"}', '/metrics'));
    assert.ok(matchesRoute('http_request_duration_seconds_count{route!~"/health/.*"}', '/metrics'));
  });

  it('is refused with an unknown metric or label', () => {
    assert.deepEqual(unknownIn('rate(otp_sends_total{reason="x"}[5m])', metrics), ['reason']);
    assert.deepEqual(unknownIn('sum by (pod) (otp_sent_total)', metrics), ['otp_sent_total']);
  });

  it('is on a dashboard that Grafana loads, with a panel for every place', () => {
    const { metadata } = find(all.production.services, 'ConfigMap', 'deposits-dashboard');
    assert.equal(metadata.labels.grafana_dashboard, '1');
    const { uid, title, schemaVersion, templating, panels } = dashboard();
    assert.ok(uid && title && schemaVersion >= 36);
    const variables = templating.list.map(({ name }) => `$${name}`);
    const ids = panels.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const taken = new Set();
    for (const { id, type, title: heading, gridPos, targets, datasource } of panels) {
      assert.ok(['row', 'timeseries', 'stat', 'bargauge'].includes(type) && heading, String(id));
      assert.ok(gridPos.x + gridPos.w <= 24, heading);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(!taken.has(`${x} ${y}`), `${heading} covers another panel`);
          taken.add(`${x} ${y}`);
        }
      if (type === 'row') continue;
      assert.equal(datasource.uid, '${datasource}', heading);
      for (const { expr, legendFormat } of targets) {
        assert.ok(legendFormat, heading);
        for (const [name] of expr.matchAll(/\$(?!__)\w+/g)) assert.ok(variables.includes(name), name);
      }
    }
  });
});
