import fc from 'fast-check';
import { hasNameCharacters, isPersonName, tidyName } from './person-name.js';

/** Names with a joiner (ZWJ, U+200D) or a non-joiner (ZWNJ, U+200C), by the language. */
const JOINED: Readonly<Record<string, readonly string[]>> = {
  Malayalam: ['അനില്\u200D കുമാര്\u200D', 'രാജന്\u200D', 'ന്\u200D്റെ'],
  Bengali: ['উত্\u200Dপল', 'র\u200D্যাচেল', 'অর্\u200Cঘ্য'],
  Marathi: ['दर्\u200Dयाबाई', 'शर्\u200Dमिला', 'क्\u200Cषितिज'],
  Sinhala: ['ශ්\u200Dරී ප්\u200Dරියන්ත'],
  Kannada: ['ರಾಜ್\u200Cಕುಮಾರ್', 'ಅರ್\u200Dಕ', 'ಸೂರ\u200D್ಯ'],
  Telugu: ['రాజ్\u200Cకుమార్', 'అబ్దుల్\u200Cఖాదర్'],
  Tamil: ['நந்த்\u200Cகுமார்'],
  Urdu: ['علی\u200Cرضا', 'گل\u200Cبانو'],
};

describe('a joiner in a name', () => {
  const names = Object.entries(JOINED).flatMap(([language, rows]) => rows.map((name) => [language, name]));

  it.each(names)('is accepted and kept where %s needs it: %j', (_language, name) => {
    expect([isPersonName(name), hasNameCharacters(name), tidyName(name)]).toEqual([true, true, name]);
  });

  it.each([
    ['in Latin letters', 'As\u200Dha'],
    ['at the beginning', '\u200Dഅനില്'],
    ['at the end of a Latin name', 'Asha\u200C'],
    ['behind a letter without a virama', 'അനില\u200D'],
    ['before the virama of another letter', 'क\u200D्ष'],
    ['before a vowel sign', 'രാജന്\u200Dി'],
    ['behind another joiner', 'അനില്\u200D\u200D'],
    ['behind the virama of another script', 'ക\u094D\u200Dഷ'],
    ['behind a virama without a letter', 'अ \u094D\u200Dक'],
    ['behind a digit and a virama', 'अ५\u094D\u200Dक'],
  ])('is refused %s', (_place, name) => {
    expect([isPersonName(name), hasNameCharacters(name)]).toEqual([false, false]);
  });

  it.each([
    ['at the end of a name', 'రాజ్\u200C'],
    ['at the end of a word', 'రాజ్\u200C కుమార్'],
    ['before another script', 'రాజ్\u200CKumar'],
    ['behind a letter without a virama', 'రాజ\u200Cకుమార్'],
    ['behind an Arabic letter that joins no next one', 'احمد\u200Cعلی'],
  ])('is refused %s if it is a non-joiner', (_place, name) => {
    expect([isPersonName(name), hasNameCharacters(name)]).toEqual([false, false]);
  });

  it('changes no rule for names without joiners', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      fc.constantFrom(...Object.values(JOINED).flat().join(''), ..." .'-1"),
    );
    fc.assert(
      fc.property(fc.string({ unit, minLength: 2, maxLength: 12 }), (text) => {
        const name = tidyName(text.replace(/[\u200C\u200D]/g, ''));
        const isName = name.length >= 2 && /^\p{L}[\p{L}\p{M} .'-]*$/u.test(name);
        expect(isPersonName(name)).toBe(isName);
        expect(tidyName(name)).toBe(name);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a name of a person', () => {
  it.each([
    'Asha Rao',
    'Li',
    "D'Souza",
    'D\u2019Souza',
    'S. V. Krishnamurthy',
    'Anne-Marie',
    'J.P.',
    '  Asha   Rao ',
    'आशा राव',
    'Zoë',
    'Zoe\u0308',
    'a'.repeat(100),
  ])('accepts %j', (name) => {
    expect(isPersonName(name)).toBe(true);
  });

  it.each([
    undefined,
    null,
    '',
    ' ',
    'A',
    ' A ',
    'a'.repeat(101),
    `a${' '.repeat(300)}b`,
    'Asha2',
    '2 Asha',
    'Asha@Rao',
    'Asha_Rao',
    'Asha, Rao',
    '.',
    '--',
    "' OR 1=1 --",
    '<b>Asha</b>',
    'Asha\u0000Rao',
    'Asha\ud800',
    'Asha 😀',
    'Asha\u202eRao',
    1,
    true,
    [],
    ['Asha Rao'],
    {},
  ])('refuses %j', (name) => {
    expect(isPersonName(name)).toBe(false);
  });

  it.each([
    ['  Asha   Rao ', 'Asha Rao'],
    ['Asha\t\nRao', 'Asha Rao'],
    ['D\u2019Souza', "D'Souza"],
    ['Zoe\u0308', 'Zoë'],
    ['asha RAO', 'asha RAO'],
    ['ಕ\u0CC6\u0CC2ಡಗು ರಾಜ್\u200Cಕುಮಾರ್', 'ಕೊಡಗು ರಾಜ್\u200Cಕುಮಾರ್'],
  ])('stores %j as %j', (given, kept) => {
    expect(tidyName(given)).toBe(kept);
  });
});
