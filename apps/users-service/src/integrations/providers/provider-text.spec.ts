import fc from 'fast-check';
import {
  MAX_PROVIDER_TEXT,
  providerId,
  providerLink,
  providerName,
  providerParagraph,
  providerText,
} from './provider-text.js';

const KINDS = {
  providerId,
  providerName,
  providerText: providerText(MAX_PROVIDER_TEXT),
  providerParagraph: providerParagraph(MAX_PROVIDER_TEXT),
} as const;
type Kind = keyof typeof KINDS;
const kinds = Object.keys(KINDS) as Kind[];
const isTaken = (kind: Kind, text: unknown) => KINDS[kind].safeParse(text).success;

describe("a provider's text", () => {
  it.each(kinds)('accepts any script as %s, up to the maximum length', (kind) => {
    for (const text of ['HDFC Bank', 'राव आशा', 'O’Neill-D’Souza & Co.', '👩‍👧', 'a'.repeat(200)]) {
      expect({ text, isTaken: isTaken(kind, text) }).toEqual({ text, isTaken: true });
    }
    expect(isTaken(kind, 'a'.repeat(201))).toBe(false);
    for (const other of [undefined, null, 5, {}, ['a']]) expect(isTaken(kind, other)).toBe(false);
  });

  it.each(kinds)('refuses a control character or a lone surrogate at any place of %s', (kind) => {
    const lines = kind === 'providerParagraph' ? ['\n', '\r', '\t'] : [];
    const controls = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i)]
      .map((code) => String.fromCharCode(code))
      .filter((sign) => !lines.includes(sign));
    for (const sign of [...controls, '\ud800', '\udc00', '\udc00\ud800']) {
      expect({ sign, isTaken: isTaken(kind, `A${sign}B`) }).toEqual({ sign, isTaken: false });
    }
  });

  it('accepts only texts that PostgreSQL can store and a path can contain', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.string({ unit: 'binary' }), (kind, text) => {
        const { data } = KINDS[kind].safeParse(text);
        expect(data === undefined || !/[\0\p{Surrogate}]/u.test(data)).toBe(true);
      }),
    );
  });

  it('trims names and rejects blank ones; keeps ids unchanged', () => {
    expect(providerName.parse(' \n Asha Rao\t')).toBe('Asha Rao');
    expect(providerName.safeParse(' \t ').success).toBe(false);
    expect(providerId.parse(' 1 ')).toBe(' 1 ');
  });

  it.each([
    ['https://page.example/a?b=c', true],
    ['http://page.example/a', false],
    ['javascript:alert(1)', false],
    ['https://page.example/a\u0000b', false],
    [`https://page.example/${'a'.repeat(2_048)}`, false],
  ])('judges whether %j is a link for browsers: %s', (link, taken) => {
    expect(providerLink.safeParse(link).success).toBe(taken);
  });

  it('removes line breaks from a link', () => {
    expect(providerLink.parse('https://page.example/a\nb')).toBe('https://page.example/ab');
  });
});
