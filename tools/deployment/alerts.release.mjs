// Tests the alerts of deploy/ with promtool, Prometheus's own program.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { inTemporaryFolder } from '../files.mjs';
import { runProgram } from '../processes/processes.mjs';
import { promtoolProgram } from '../stores/machine-programs.mjs';
import { root } from '../workspace.mjs';
import { alerts, dashboardQueries, ruleGroups } from './monitoring.mjs';

const FILE = join(root, 'deploy/base/monitoring/alerts.test.yaml');
const { tests } = parse(readFileSync(FILE, 'utf8'));

describe('deploy/base/monitoring/alerts.test.yaml', () => {
  it('passes promtool test rules', () =>
    inTemporaryFolder('alerts', async (folder) => {
      // promtool would compare annotations, which contain values
      const withoutAnnotations = (key, value) => (key === 'annotations' ? undefined : value);
      const groups = JSON.parse(JSON.stringify(ruleGroups, withoutAnnotations));
      writeFileSync(join(folder, 'rules.yaml'), stringify({ groups }));
      copyFileSync(FILE, join(folder, 'alerts.test.yaml'));
      const promtool = await promtoolProgram(console.log);
      await runProgram('promtool says', promtool, ['test', 'rules', 'alerts.test.yaml'], { cwd: folder });
    }));

  it('has a situation in which each alert fires, and one in which it does not', () => {
    for (const { alert } of alerts) {
      const own = tests.filter(({ name }) => name === alert);
      const expected = own.flatMap((test) => test.alert_rule_test).map((test) => test.exp_alerts.length);
      const situations = own.flatMap((test) =>
        test.input_series.map(({ series }) => /"(.*?)"/.exec(series)[1]),
      );
      assert.ok(Math.max(...expected) > 0, `${alert} never fires`);
      assert.ok(
        expected.includes(0) || new Set(situations).size > Math.max(...expected),
        `${alert} always fires`,
      );
    }
  });

  it('tests queries that the dashboard contains', () => {
    for (const { expr } of tests.flatMap((test) => test.promql_expr_test ?? []))
      assert.ok(
        dashboardQueries.some(({ query }) => expr.includes(query)),
        expr,
      );
  });
});

it('finds only valid PromQL on the dashboard', () =>
  inTemporaryFolder('dashboard', async (folder) => {
    const rules = dashboardQueries.map(({ query }, index) => ({ record: `query:${index}`, expr: query }));
    writeFileSync(join(folder, 'rules.yaml'), stringify({ groups: [{ name: 'dashboard', rules }] }));
    const promtool = await promtoolProgram(console.log);
    await runProgram('promtool says', promtool, ['check', 'rules', 'rules.yaml'], { cwd: folder });
  }));
