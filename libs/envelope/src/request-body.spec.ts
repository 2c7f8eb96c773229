import { AppError } from '@fd/errors';
import { isJsonMediaType, MalformedJsonError, MAX_DEPTH, MAX_KEYS, parseJsonBody } from './request-body.js';

const parse = (text: string) => parseJsonBody(Buffer.from(text));

describe('isJsonMediaType', () => {
  it.each([
    ['application/json', undefined],
    ['APPLICATION/JSON', undefined],
    ['application/json; charset=utf-8', undefined],
    ['application/json;charset=UTF-8', 'identity'],
    ['application/json; charset="utf-8"', undefined],
    ['application/json; profile=x', undefined],
  ])('accepts %s, encoded %s', (type, encoding) => {
    expect(isJsonMediaType(type, encoding)).toBe(true);
  });

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['text/plain', undefined],
    ['text/json', undefined],
    ['application/problem+json', undefined],
    ['application/jsonp', undefined],
    ['application/json, text/plain', undefined],
    ['application/json; charset=utf-7', undefined],
    ['application/json; charset=utf-16', undefined],
    ['application/json', 'gzip'],
    ['application/json', 'identity, gzip'],
  ])('refuses %s, encoded %s', (type, encoding) => {
    expect(isJsonMediaType(type, encoding)).toBe(false);
  });
});

describe('parseJsonBody', () => {
  it('returns an object unchanged', () => {
    expect(parse('{"a":[1,{"b":null}],"ä":"\\u0000"}')).toEqual({ a: [1, { b: null }], ä: '\u0000' });
  });

  it('drops keys that reach prototypes, at every depth', () => {
    const body = parse('{"__proto__":{"x":1},"a":{"constructor":1,"b":[{"prototype":2,"c":3}]}}');
    expect(body).toEqual({ a: { b: [{ c: 3 }] } });
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(Object.hasOwn(body, '__proto__')).toBe(false);
  });

  it.each(['', '[]', 'null', '1', '"text"', 'true'])('refuses %j as a whole', (text) => {
    expect(() => parse(text)).toThrow(AppError);
  });

  it('refuses a body over the depth or the number of keys, and accepts one at the limit', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const wide = (keys: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, i) => [i, 0])));
    expect(parse(nested(MAX_DEPTH))).toBeTruthy();
    expect(() => parse(nested(MAX_DEPTH + 1))).toThrow(AppError);
    expect(Object.keys(parse(wide(MAX_KEYS)))).toHaveLength(MAX_KEYS);
    expect(() => parse(wide(MAX_KEYS + 1))).toThrow(AppError);
    expect(() => parse(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)).toThrow(AppError);
  });

  it.each([
    ['{"a":', 'Unexpected end of JSON input'],
    ['SECRET', 'Unexpected token in JSON'],
    ['{"a":SECRET}', 'Unexpected token in JSON'],
    ['{"a":1} SECRET', 'Unexpected non-whitespace character after JSON at position 8'],
    ['{"SECRET', 'Unterminated string in JSON at position 8'],
    ['{SECRET:1}', "Expected property name or '}' in JSON at position 1"],
    ["'SECRET'", 'Unexpected token in JSON'],
    ['"', 'Unterminated string in JSON at position 1'],
    [',', 'Unexpected token in JSON'],
    ['undefined', 'Unexpected token in JSON'],
    ['[object Object]', 'Unexpected token in JSON'],
  ])('refuses %j with %j, without the text', (text, message) => {
    const error = thrownBy(() => parse(text));
    expect(error).toBeInstanceOf(MalformedJsonError);
    expect(error.message.startsWith(message)).toBe(true);
    expect(error.message).not.toContain('SECRET');
  });

  it('refuses invalid UTF-8', () => {
    expect(() => parseJsonBody(Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]))).toThrow(
      MalformedJsonError,
    );
  });
});

function thrownBy(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
