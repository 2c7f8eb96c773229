import {
  AGREEMENTS,
  agreementOf,
  isInitial,
  isInitialOf,
  isSurname,
  type Agreement,
  type Word,
} from './word.js';

/** A word of the one name that stands for a word of the other: where in each, and how they agree. */
export interface Pair {
  readonly a: number;
  readonly b: number;
  readonly how: Agreement | 'INITIAL';
}

/** Which word of which name stands for which; places count from the front, a known surname in front counting last. */
export interface Alignment {
  readonly a: readonly Word[];
  readonly b: readonly Word[];
  readonly pairs: readonly Pair[];
  /** Places of the words that stand alone; not told when all of them do. */
  readonly restA: readonly number[];
  readonly restB: readonly number[];
  /** Whether the words were written in another order. */
  readonly isSwapped: boolean;
  /** The same with known surnames put last: not even that explains the order. */
  readonly isOrderUnclear: boolean;
}

type Side = 'a' | 'b';

/** Pairs the words of two names, each with at most one of the other, closest agreements first. */
export function alignWords(givenA: readonly Word[], givenB: readonly Word[]): Alignment {
  const a = surnameLast(givenA);
  const b = surnameLast(givenB);
  const agreeing = pairsIn(a, b, agreementOf).sort((x, y) => closeness(x) - closeness(y));
  const full = takeOnce(agreeing, []);
  const pairs = takeOnce(initialsOf(a, b, full), full);
  if (pairs.length === 0) {
    return { a, b, pairs, restA: [], restB: [], isSwapped: false, isOrderUnclear: false };
  }
  const given = pairs.map((pair) => ({
    ...pair,
    a: placeAsGiven(pair.a, a, givenA),
    b: placeAsGiven(pair.b, b, givenB),
  }));
  return {
    a,
    b,
    pairs,
    restA: placesWithout(a, pairs, 'a'),
    restB: placesWithout(b, pairs, 'b'),
    isSwapped: turnsIn(given) > 0,
    isOrderUnclear: turnsIn(pairs) > 0,
  };
}

/** Patil Suresh Ramesh as Suresh Ramesh Patil. The same words when no end, or the last, is a known surname. */
function surnameLast(words: readonly Word[]): readonly Word[] {
  const [first, ...others] = words;
  const last = others.at(-1);
  return first && last && isSurname(first) && !isSurname(last) ? [...others, first] : words;
}

function placeAsGiven(place: number, words: readonly Word[], given: readonly Word[]): number {
  return words === given ? place : (place + 1) % words.length;
}

function pairsIn(
  a: readonly Word[],
  b: readonly Word[],
  howOf: (x: Word, y: Word) => Pair['how'] | null,
): Pair[] {
  const pairs: Pair[] = [];
  a.forEach((x, i) => {
    b.forEach((y, j) => {
      const how = howOf(x, y);
      if (how) pairs.push({ a: i, b: j, how });
    });
  });
  return pairs;
}

function closeness({ how }: Pair): number {
  return how === 'INITIAL' ? AGREEMENTS.length : AGREEMENTS.indexOf(how);
}

/** The pairs that were taken, and of the candidates, in their order, those whose words are still free. */
function takeOnce(candidates: readonly Pair[], taken: readonly Pair[]): readonly Pair[] {
  const result = [...taken];
  for (const pair of candidates) {
    if (!result.some(({ a, b }) => a === pair.a || b === pair.b)) result.push(pair);
  }
  return result;
}

function initialsOf(a: readonly Word[], b: readonly Word[], agreeing: readonly Pair[]): readonly Pair[] {
  const candidates = pairsIn(a, b, (x, y) => (isInitialOf(x, y) ? 'INITIAL' : null));
  const full = agreeing.filter((pair) => !isInitial(a[pair.a] as Word));
  if (full.length < 2) return candidates;
  // father and son: in Ramesh Rao S and Suresh Ramesh Rao the initial is of two people
  return candidates.filter((pair) => turnsIn([...full, pair]) <= turnsIn(full));
}

/** How often one goes back in the second name when the first is read from front to end. */
function turnsIn(pairs: readonly Pair[]): number {
  const places = [...pairs].sort((x, y) => x.a - y.a).map((pair) => pair.b);
  return places.filter((place, index) => index > 0 && place < (places[index - 1] ?? 0)).length;
}

function placesWithout(words: readonly Word[], pairs: readonly Pair[], side: Side): number[] {
  const taken = new Set(pairs.map((pair) => pair[side]));
  return words.flatMap((_, place) => (taken.has(place) ? [] : [place]));
}
