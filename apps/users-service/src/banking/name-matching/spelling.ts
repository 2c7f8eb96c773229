import { isLatin } from './name-text.js';
import {
  LOOSE_SPELLING_RULES,
  SHORTEST_LOOSELY_RESPELT,
  SHORTEST_RESPELT,
  SPELLING_GROUPS,
  SPELLING_RULES,
} from './spelling.table.js';

type Rules = typeof SPELLING_RULES;

function apply(rules: Rules, word: string): string {
  return rules.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), word);
}

/** A word by the regular rules alone. */
export function respell(word: string): string {
  return isLatin(word) && word.length >= SHORTEST_RESPELT ? apply(SPELLING_RULES, word) : word;
}

/** Every listed spelling, and what the rules make of it, with the spelling that stands for its line. */
const LISTED: ReadonlyMap<string, string> = new Map(
  SPELLING_GROUPS.flatMap((group) =>
    group.flatMap((word) => [word, respell(word)].map((form) => [form, group[0] ?? word] as const)),
  ),
);

const listed = (word: string): string | undefined => LISTED.get(word) ?? LISTED.get(respell(word));

/** What all usual spellings of one name have in common: equal for Pooja and Puja, for Md and Mohammed. */
export function spellingOf(word: string): string {
  return respell(listed(word) ?? word);
}

/** The same by the wider rules; null for a word that is too short for them, or not in Latin letters. */
export function looseSpellingOf(word: string): string | null {
  if (word.length < SHORTEST_LOOSELY_RESPELT || !isLatin(word)) return null;
  return apply(LOOSE_SPELLING_RULES, spellingOf(word));
}
