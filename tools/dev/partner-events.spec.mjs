import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inTemporaryFolder, readIfThere } from '../files.mjs';
import { keepEventSecrets } from './partner-events.mjs';

const NEW =
  'events are delivered to http://127.0.0.1:3003/partner/events\nsecret\twhsec_first\nfrom ten seconds on\n';
const KNOWN = 'events are delivered to http://127.0.0.1:3003/partner/events\n';
const OUTPUTS = {
  'roll-secret': 'secret\twhsec_next\nboth secrets sign until events remove-secret\n',
  'add-key': 'key\t0198c0de-0000-7000-8000-000000000001\tfdb_key\n',
};
const KEPT = '{"secret":"whsec_former","key":"fdb_former"}';

/** Keeps the secrets of SET in a file with the contents BEFORE. Returns the actions that it took, and the file. */
const keep = (set, before, outputs = OUTPUTS) =>
  inTemporaryFolder('partner-events', async (folder) => {
    const file = join(folder, 'app.events.json');
    if (before) writeFileSync(file, before);
    const actions = [];
    const run = async ([, action]) => {
      actions.push(action);
      if (!outputs[action]) throw new Error(`${action} is refused`);
      return outputs[action];
    };
    const refusal = await keepEventSecrets(file, set, run).catch(({ message }) => message);
    const mode = existsSync(file) ? statSync(file).mode & 0o777 : undefined;
    return { actions, refusal, mode, kept: JSON.parse(readIfThere(file) || 'null') };
  });

describe('secrets of the sample partner', () => {
  it('keeps the secret of a new subscription and a new key, privately', async () => {
    for (const before of [undefined, KEPT]) {
      const { actions, kept, mode } = await keep(NEW, before);
      assert.deepEqual(actions, ['add-key']);
      assert.deepEqual(kept, { secret: 'whsec_first', key: 'fdb_key' });
      assert.equal(mode, 0o600);
    }
  });

  it('asks for nothing when the subscription and its secrets are known', async () => {
    const { actions, kept } = await keep(KNOWN, KEPT);
    assert.deepEqual([actions, kept], [[], JSON.parse(KEPT)]);
  });

  it('gets a further secret for a subscription whose secret it does not have', async () => {
    const { actions, kept } = await keep(KNOWN);
    assert.deepEqual(actions, ['roll-secret', 'add-key']);
    assert.deepEqual(kept, { secret: 'whsec_next', key: 'fdb_key' });
  });

  it('keeps nothing when an operator has to act first', async () => {
    for (const [outputs, refusal] of [
      [{}, 'roll-secret is refused'],
      [{ 'roll-secret': OUTPUTS['roll-secret'] }, 'add-key is refused'],
    ]) {
      const result = await keep(KNOWN, undefined, outputs);
      assert.deepEqual([result.refusal, result.kept], [refusal, null]);
    }
  });
});
