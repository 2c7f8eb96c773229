import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

const privateKey = (kid, namedCurve = 'P-256') => ({
  ...generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'jwk' }),
  kid,
});

describe('deploy/haproxy/keys.mjs', () => {
  let folder;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'fd-keys-'))));
  after(() => rmSync(folder, { recursive: true }));

  const read = (name) => readFileSync(join(folder, 'out', name), 'utf8');
  function make(keys) {
    writeFileSync(join(folder, 'jwks.json'), JSON.stringify({ keys }));
    const args = [
      join(import.meta.dirname, 'keys.mjs'),
      '--jwks',
      join(folder, 'jwks.json'),
      '--out',
      join(folder, 'out'),
    ];
    return spawnSync(process.execPath, args, { encoding: 'utf8' });
  }

  it('writes the public part of each key at the place of its id, and fills the places without a key', () => {
    const keys = [privateKey('one'), privateKey('two')];
    assert.equal(make(keys).status, 0);
    assert.equal(read('keys.map'), 'one 1\ntwo 2\n');
    for (const [index, { x }] of [...keys, keys[0]].entries()) {
      const pem = read(`key-${index + 1}.pem`);
      assert.match(pem, /^-----BEGIN PUBLIC KEY-----/);
      assert.equal(createPublicKey(pem).export({ format: 'jwk' }).x, x);
    }
    assert.equal(readdirSync(join(folder, 'out')).length, 4);
  });

  it('changes nothing for unusable input', () => {
    const before = read('keys.map');
    for (const [keys, message] of [
      [[], /no keys/],
      [['a', 'b', 'c', 'd'].map((kid) => privateKey(kid)), /4 keys, and room for 3/],
      [[privateKey('a'), privateKey('a')], /two keys have one id/],
      [[privateKey('a b')], /an id with spaces/],
      [[privateKey('a', 'P-384')], /not on the curve P-256/],
    ]) {
      const { status, stderr } = make(keys);
      assert.equal(status, 1);
      assert.match(stderr, message);
    }
    assert.equal(read('keys.map'), before);
  });
});
