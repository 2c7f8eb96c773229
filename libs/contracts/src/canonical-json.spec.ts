import { createHash } from 'node:crypto';
import { canonicalHash, canonicalJson } from './canonical-json.js';

describe('canonicalJson', () => {
  it.each([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    [{ a: undefined, b: { d: 1, c: 2 } }, '{"b":{"c":2,"d":1}}'],
    // the example of RFC 8785 for numbers and texts
    [
      { numbers: [333_333_333.333_333_3, 1e30, 4.5, 2e-3, 1e-27] },
      '{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
    ],
    [{ ö: 1, z: 2, '₹': 3 }, '{"z":2,"ö":1,"₹":3}'],
  ])('writes %j as %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});

it('hashes the canonical form, independent of the order of members', () => {
  const hash = createHash('sha256').update('{"a":1,"b":2}').digest('hex');
  expect(canonicalHash({ b: 2, a: 1 })).toBe(hash);
  expect(canonicalHash({ a: 1, b: 2 })).toBe(hash);
  expect(canonicalHash({ a: 1, b: 3 })).not.toBe(hash);
});
