import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { parse } from 'yaml';
import { root } from '../workspace.mjs';

/** CERT-In, directions of 28 April 2022, (iv). */
const DAYS = 180;

it('keeps logs for the period of the law', () => {
  const text = readFileSync(join(root, 'deploy/logs/loki.yaml'), 'utf8');
  const { limits_config: limits, compactor } = parse(text);
  const [, hours] = /^([0-9]+)h$/.exec(limits.retention_period);
  assert.ok(Number(hours) >= DAYS * 24);
  // without it Loki deletes nothing
  assert.equal(compactor.retention_enabled, true);
});
