import { TITLES, TRAILING_WORDS } from './reading.js';
import { isTypingError, looseSpellingOf, respell, SPELLING_GROUPS, spellingOf } from './spelling.js';
import {
  ABBREVIATIONS,
  COMMON_SECOND_NAMES,
  DISTINGUISHING_WORDS,
  NAME_PREFIXES,
  SURNAMES,
} from './words.js';

describe('the tables', () => {
  it('lists each spelling, and each normal form, in one line only', () => {
    const lines = SPELLING_GROUPS.flatMap((group) =>
      [...new Set(group.flatMap((word) => [word, respell(word)]))].map((form) => [form, group[0]] as const),
    );
    const forms = lines.map(([form]) => form);
    expect(forms.filter((form, index) => forms.indexOf(form) !== index)).toEqual([]);
  });

  it('lists no spelling that the rules find', () => {
    const found = SPELLING_GROUPS.filter((group) => new Set(group.map(respell)).size !== group.length);
    expect(found).toEqual([]);
  });

  it('gives all words of a line the same key, and each line a different one', () => {
    const spellings = SPELLING_GROUPS.map((group) => new Set(group.map(spellingOf)));
    expect(spellings.filter((forms) => forms.size !== 1)).toEqual([]);
    expect(new Set(spellings.flatMap((forms) => [...forms])).size).toBe(SPELLING_GROUPS.length);
  });

  it('contains lower-case words, each surname once, and no word that is both a title and a type of holder', () => {
    const words = [SURNAMES, COMMON_SECOND_NAMES, NAME_PREFIXES, SPELLING_GROUPS.flat()].flat();
    expect(words.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
    expect(new Set(SURNAMES).size).toBe(SURNAMES.length);
    const titles = [...Object.values(TITLES).flat(), ...TRAILING_WORDS];
    expect(titles.filter((title) => DISTINGUISHING_WORDS.has(title))).toEqual([]);
  });

  it('lists each abbreviation for one word, and none that is a name', () => {
    const short = Object.values(ABBREVIATIONS).flat();
    expect(new Set(short).size).toBe(short.length);
    const names = [SURNAMES, COMMON_SECOND_NAMES, NAME_PREFIXES, SPELLING_GROUPS.flat()].flat();
    expect(short.filter((text) => names.includes(text) || DISTINGUISHING_WORDS.has(text))).toEqual([]);
  });
});

describe('spellings', () => {
  it.each([
    ['pooja', 'puja'],
    ['sandeep', 'sandip'],
    ['aakash', 'akash'],
    ['phatima', 'fatima'],
    ['tariq', 'tarik'],
    ['ashwin', 'ashvin'],
    ['karthik', 'kartik'],
    ['vijay', 'vijai'],
    ['gowda', 'gouda'],
    ['axay', 'akshay'],
    ['mohammed', 'md'],
  ])('treats %s and %s as one', (x, y) => {
    expect(spellingOf(x)).toBe(spellingOf(y));
  });

  it.each([
    ['shilpa', 'silpa'],
    ['vidhya', 'vidya'],
    ['rizwan', 'rijwan'],
    ['kamala', 'kamla'],
    ['abdullah', 'abdulla'],
  ])('treats %s and %s as one by the wider rules only', (x, y) => {
    expect(spellingOf(x)).not.toBe(spellingOf(y));
    expect(looseSpellingOf(x)).toBe(looseSpellingOf(y));
  });

  it.each([
    ['krishna', 'krishnan'],
    ['lakshmi', 'lakshman'],
    ['ankit', 'ankita'],
    ['saurabh', 'saurav'],
    ['ramesh', 'rajesh'],
    ['anand', 'ananda'],
  ])('keeps %s and %s apart', (x, y) => {
    expect(spellingOf(x)).not.toBe(spellingOf(y));
    expect(looseSpellingOf(x)).not.toBe(looseSpellingOf(y));
  });

  it('does not respell short words and other scripts', () => {
    expect(spellingOf('ray')).not.toBe(spellingOf('rai'));
    expect(looseSpellingOf('shah')).toBeNull();
    expect(spellingOf('आशा')).toBe('आशा');
    expect(looseSpellingOf('लक्ष्मी')).toBeNull();
  });
});

describe('a typing error', () => {
  it.each([
    ['krishnamurthy', 'krishnamruthy', 'two letters exchanged'],
    ['priyadarshini', 'priyadarshni', 'one left out'],
    ['bhattacharya', 'bhatttacharya', 'one too many'],
    ['kulkarni', 'kulkatni', 'a key beside it'],
    ['chandrasekhar', 'chandrasekher', 'a vowel for a vowel'],
  ])('finds a typing error between %s and %s: %s', (x, y) => {
    expect(isTypingError(x, y)).toBe(true);
    expect(isTypingError(y, x)).toBe(true);
  });

  it.each([
    ['krishnamurthy', 'krishnamurthy', 'nothing differs'],
    ['sunita', 'sumita', 'too short'],
    ['priyanka', 'priyank', 'at the end'],
    ['narendra', 'harendra', 'at the beginning'],
    ['chandrika', 'chandrima', 'keys that are apart'],
    ['harvinder', 'harjinder', 'names that only look alike'],
    ['krishnamurthy', 'krishmanurty', 'two of them'],
    ['लक्ष्मीनारायण', 'लक्ष्मीनाराण', 'another script'],
  ])('finds no typing error between %s and %s: %s', (x, y) => {
    expect(isTypingError(x, y)).toBe(false);
    expect(isTypingError(y, x)).toBe(false);
  });
});
