import fc from 'fast-check';
import { jsonParts } from './json-parts.js';

describe('JSON in parts', () => {
  it('distinguishes keys, strings, numbers and literals', () => {
    const parts = jsonParts({ 'a"b': 'c: 1', d: [-1.5, true, null] });
    const parsed = parts.filter(({ kind }) => kind !== 'mark').map(({ kind, text }) => [kind, text]);
    expect(parsed).toEqual([
      ['key', '"a\\"b"'],
      ['text', '"c: 1"'],
      ['key', '"d"'],
      ['number', '-1.5'],
      ['word', 'true'],
      ['word', 'null'],
    ]);
  });

  it('preserves the text exactly', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = jsonParts(value)
          .map((part) => part.text)
          .join('');
        expect(text).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });
});
