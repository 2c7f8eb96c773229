// Tests the alerts and the dashboard with Prometheus's own programs.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringify } from 'yaml';
import { runProgram } from '../processes/processes.mjs';
import { ALERT_CASES } from './alerts.table.mjs';
import { promtoolProgram } from '../stores/machine-programs.mjs';
import { ruleGroups } from './manifests.mjs';
import { metricsIn } from './promql.mjs';
import { root } from '../workspace.mjs';

describe('alerts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fd-alerts-'));
  let groups;
  let promtool;
  before(async () => {
    promtool = await promtoolProgram(console.log);
    groups = await ruleGroups();
  });
  after(() => rmSync(folder, { recursive: true }));

  const alerts = () => groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert);
  const written = (name, content) => {
    const path = join(folder, name);
    writeFileSync(path, stringify(content));
    return path;
  };
  const run = (...args) => runProgram('promtool says', promtool, args, { cwd: folder });

  it('are rules that Prometheus accepts', async () => {
    await run('check', 'rules', written('rules.yaml', { groups }));
    const wrong = written('wrong.yaml', { groups: [{ name: 'a', rules: [{ alert: 'A', expr: 'sum(' }] }] });
    await assert.rejects(run('check', 'rules', wrong));
  });

  /** The result that promtool should find: the alert at its minute with its labels, or none. */
  function testOf({ alert, labels: { severity } }, { series, at, labels }) {
    const all = { namespace: 'fd', job: 'users-service', severity, ...labels };
    const expected = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    return {
      interval: '1m',
      input_series: series.map(([name, values]) => ({ series: name, values })),
      alert_rule_test: [
        { eval_time: `${at}m`, alertname: alert, exp_alerts: labels ? [{ exp_labels: expected }] : [] },
      ],
    };
  }

  /** The recording rules that EXPRESSION uses, directly or indirectly. */
  const recordsIn = (expression) =>
    groups
      .flatMap(({ rules }) => rules)
      .filter(({ record }) => record && metricsIn(expression).includes(record))
      .flatMap((rule) => [...recordsIn(rule.expr), rule]);

  /** Tests an alert with promtool in SITUATIONS, without annotations, because promtool would compare their values. */
  async function tried(known, situations) {
    const rule = { ...known, annotations: undefined };
    const rules = [...new Set(recordsIn(rule.expr)), rule];
    written(`${rule.alert}.rules.yaml`, { groups: [{ name: 'tried', rules }] });
    const tests = situations.map((situation) => testOf(rule, situation));
    const files = { rule_files: [`${rule.alert}.rules.yaml`], evaluation_interval: '1m', tests };
    await run('test', 'rules', written(`${rule.alert}.tests.yaml`, files));
  }

  it('have a situation in which they fire and one in which they do not', () => {
    assert.deepEqual(
      Object.keys(ALERT_CASES).sort(),
      alerts()
        .map(({ alert }) => alert)
        .sort(),
    );
    for (const [alert, [fires, ...others]] of Object.entries(ALERT_CASES))
      assert.ok(fires.labels && others.some(({ labels }) => !labels), alert);
  });

  for (const alert of Object.keys(ALERT_CASES))
    it(`fire in their situations only: ${alert}`, async () => {
      const rule = alerts().find((candidate) => candidate.alert === alert);
      await tried(rule, ALERT_CASES[alert]);
      // without its own series it must not fire
      const [fires] = ALERT_CASES[alert];
      if (!rule.expr.includes('absent('))
        await assert.rejects(tried(rule, [{ ...fires, series: [] }]), /FAILED/);
    });

  /** The queries of a panel of the dashboard. */
  function queriesOf(title) {
    const { panels } = JSON.parse(readFileSync(join(root, 'deploy/base/monitoring/dashboard.json'), 'utf8'));
    const { targets } = panels.find((panel) => panel.title === title);
    return targets.map(({ expr }) => expr.replaceAll('$namespace', 'fd'));
  }

  /** Evaluates QUERIES, [query, labels, value], with promtool after MINUTES of SERIES. */
  async function evaluated(series, minutes, queries) {
    const rules = groups.flatMap((group) => group.rules).filter(({ record }) => record);
    written('objectives.rules.yaml', { groups: [{ name: 'objectives', rules }] });
    const asked = queries.map(([expr, labels, value]) => ({
      expr,
      eval_time: `${minutes}m`,
      exp_samples: [{ labels, value }],
    }));
    const input = series.map(([name, values]) => ({ series: name, values }));
    const tests = [{ interval: '1m', input_series: input, promql_expr_test: asked }];
    const files = { rule_files: ['objectives.rules.yaml'], evaluation_interval: '1m', tests };
    await run('test', 'rules', written('objectives.tests.yaml', files));
  }

  const SERVICE = '{namespace="fd", job="users-service"}';
  const of = (metric, labels, values) => [`${metric}{namespace="fd",job="users-service",${labels}}`, values];

  it('counts each call once in the error budget: a failure at night weighs as much as one at the peak', async () => {
    /** A counter that increases each minute by the rate of its hour. */
    const hourly = (...rates) => {
      let sum = 0;
      return rates.flatMap((rate) => Array.from({ length: 60 }, () => (sum += rate))).join(' ');
    };
    const login = 'method="POST",route="/auth/register"';
    // an idle hour, a peak, a night and another idle hour: of 363,600 calls 180 fail, 900 are slow and 900 are no login
    const series = [
      of('http_request_duration_seconds_count', `${login},status="201"`, hourly(0, 6_000, 57, 0)),
      of('http_request_duration_seconds_count', `${login},status="503"`, hourly(0, 0, 3, 0)),
      of('http_request_duration_seconds_bucket', `${login},status="201",le="1.5"`, hourly(0, 6_000, 45, 0)),
      of('requests_shed_total', 'reason="in_flight"', hourly(0, 0, 0, 0)),
      of('otp_sends_total', 'outcome="open"', hourly(0, 0, 12, 0)),
    ];
    const [failed, slow, logins] = queriesOf('Remaining error budget (30 days)');
    const rounded = (query) => `round(${query}, 0.1)`;
    // half of each budget is left; by the mean of the hours it would be overdrawn
    await evaluated(series, 239, [
      [rounded(failed), SERVICE, 0.5],
      [rounded(slow), SERVICE, 0.5],
      [rounded(logins), '{namespace="fd"}', 0.5],
    ]);
  });

  it('counts shed calls as failed on the dashboard, as the objective does', async () => {
    const [failed] = queriesOf('Failed calls');
    const series = [
      of('http_request_duration_seconds_count', 'route="/r",status="200"', '0+96x30'),
      of('http_request_duration_seconds_count', 'route="/r",status="503"', '0+1x30'),
      of('http_request_duration_seconds_count', 'route="/health/ready",status="503"', '0+60x30'),
      of('requests_shed_total', 'reason="in_flight"', '0+3x30'),
    ];
    await evaluated(series, 30, [[`round(${failed}, 0.01)`, SERVICE, 0.04]]);
  });
});
