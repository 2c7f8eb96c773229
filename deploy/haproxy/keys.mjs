// Writes the files with which the gateway checks access tokens from the JWKS of users-service. Needs only Node.js.
//   node keys.mjs --jwks https://users.deposits.example/.well-known/jwks.json --out /etc/gateway/keys
// Then reload HAProxy. Run it for every new key in JWT_KEYS, before that key signs.
import { createPublicKey } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** The number of keys in gateway.cfg. */
const SLOTS = 3;
const FETCH_MS = 5_000;

/** HAProxy's map has a line for each id, which must be one word. */
const KEY_ID = /^[\w.~-]{1,64}$/;

async function readJwks(place) {
  if (!/^https?:/.test(place)) return JSON.parse(readFileSync(place, 'utf8'));
  const answer = await fetch(place, { redirect: 'error', signal: AbortSignal.timeout(FETCH_MS) });
  if (!answer.ok) throw new Error(`${place} answered ${answer.status}`);
  return answer.json();
}

/** The public key only, even for a private one. */
function publicKey({ kid, kty, crv, x, y }) {
  if (!KEY_ID.test(kid ?? '')) throw new Error('a key has no id, or an id with spaces');
  if (kty !== 'EC' || crv !== 'P-256') throw new Error(`the key ${kid} is not on the curve P-256`);
  const key = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
  return { kid, pem: key.export({ type: 'spki', format: 'pem' }) };
}

function read({ keys }) {
  if (!Array.isArray(keys) || keys.length === 0) throw new Error('there are no keys in the JWKS');
  if (keys.length > SLOTS) throw new Error(`there are ${keys.length} keys, and room for ${SLOTS}`);
  const read = keys.map(publicKey);
  if (new Set(read.map(({ kid }) => kid)).size !== read.length) throw new Error('two keys have one id');
  return read;
}

/** Writes a file atomically, for a proxy that starts meanwhile. */
function write(folder, name, text) {
  const draft = join(folder, `.${name}.new`);
  writeFileSync(draft, text, { mode: 0o644 });
  renameSync(draft, join(folder, name));
}

const { values } = parseArgs({ options: { jwks: { type: 'string' }, out: { type: 'string' } } });
try {
  if (!values.jwks || !values.out) throw new Error('usage: keys.mjs --jwks URL|FILE --out FOLDER');
  const keys = read(await readJwks(values.jwks));
  mkdirSync(values.out, { recursive: true });
  for (let slot = 1; slot <= SLOTS; slot++) {
    // an unused place must contain a key too
    const { pem } = keys[slot - 1] ?? keys[0];
    write(values.out, `key-${slot}.pem`, pem);
  }
  write(values.out, 'keys.map', keys.map(({ kid }, index) => `${kid} ${index + 1}\n`).join(''));
  process.stdout.write(`keys of the gateway: ${keys.map(({ kid }) => kid).join(', ')}\n`);
} catch (error) {
  process.stderr.write(`keys of the gateway: ${error.message}\n`);
  process.exitCode = 1;
}
