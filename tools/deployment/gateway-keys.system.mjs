import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../workspace.mjs';

const run = promisify(execFile);

const privateKey = (kid, curve = 'P-256') => ({
  ...generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ format: 'jwk' }),
  kid,
});

describe('deploy/haproxy/keys.mjs', () => {
  let folder;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'fd-keys-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const read = (name) => readFileSync(join(folder, 'out', name), 'utf8');
  async function make(keys) {
    writeFileSync(join(folder, 'jwks.json'), JSON.stringify({ keys }));
    const args = ['--jwks', join(folder, 'jwks.json'), '--out', join(folder, 'out')];
    return run(process.execPath, [join(root, 'deploy/haproxy/keys.mjs'), ...args]);
  }

  it('writes each key at the place of its id, and fills the places without a key', async () => {
    const keys = [privateKey('one'), privateKey('two')];
    await make(keys);
    assert.equal(read('keys.map'), 'one 1\ntwo 2\n');
    for (const [index, { x }] of keys.entries())
      assert.equal(createPublicKey(read(`key-${index + 1}.pem`)).export({ format: 'jwk' }).x, x);
    assert.equal(read('key-3.pem'), read('key-1.pem'));
    assert.deepEqual(readdirSync(join(folder, 'out')).sort(), [
      'key-1.pem',
      'key-2.pem',
      'key-3.pem',
      'keys.map',
    ]);
  });

  it('writes only public keys, even when it gets private ones', async () => {
    await make([privateKey('one')]);
    for (const slot of [1, 2, 3]) assert.match(read(`key-${slot}.pem`), /^-----BEGIN PUBLIC KEY-----/);
  });

  it('changes nothing for unusable input', async () => {
    await make([privateKey('one')]);
    const before = read('key-1.pem');
    const unusable = [
      [[], /no keys/],
      [['a', 'b', 'c', 'd'].map((kid) => privateKey(kid)), /4 keys, and room for 3/],
      [[privateKey('a'), privateKey('a')], /two keys have one id/],
      [[privateKey('a b')], /an id with spaces/],
      [[privateKey('a', 'P-384')], /not on the curve P-256/],
    ];
    for (const [keys, message] of unusable) await assert.rejects(make(keys), message);
    assert.equal(read('key-1.pem'), before);
    assert.equal(read('keys.map'), 'one 1\n');
  });
});
