/** What a person may read from a score. The limits are the policy: see {@link bandOf}. */
export const NAME_MATCH_BANDS = ['EXACT', 'STRONG', 'REVIEW', 'MISMATCH'] as const;
export type NameMatchBand = (typeof NAME_MATCH_BANDS)[number];

/** From here on a name passes without being looked at. */
export const STRONG_SCORE = 85;
/** From here on a name passes, flagged for review; below it is refused. */
export const REVIEW_SCORE = 70;

/** Every reason, in the order in which an answer lists them. Stable tokens: append only. */
export const NAME_MATCH_REASONS = [
  /** one of the two has no letter in it */
  'NAME_EMPTY',
  /** one of the two is longer than any name is, and they are not the same text */
  'NAME_TOO_LONG',
  /** one is written in Latin letters, the other in none; nothing is transliterated here */
  'SCRIPT_DIFFERS',
  /** Mr, Smt, Dr, -bhai ... stands in one and not in the other */
  'HONORIFIC_DROPPED',
  /** Mr in one and Mrs in the other */
  'HONORIFIC_DIFFERS',
  /** S/O, W/O, alias ... and what follows was left out */
  'TAIL_DROPPED',
  /** Ramkumar and Ram Kumar */
  'SPACING_IGNORED',
  /** Rao Asha and Asha Rao */
  'ORDER_SWAPPED',
  /** Pooja and Puja */
  'SPELLING_VARIANT',
  /** one slip of the hand in a long word */
  'TYPING_ERROR',
  /** A and Asha */
  'INITIAL_EXPANDED',
  /** an initial that the other does not have */
  'INITIAL_MISSING',
  /** Mohammed, Syed or Sheikh in front, which the other does not have */
  'NAME_PREFIX_MISSING',
  'MIDDLE_NAME_MISSING',
  'SURNAME_MISSING',
  /** the word that tells who of the family it is stands in one name only */
  'GIVEN_NAME_MISSING',
  /** not one word agrees in full */
  'ONLY_INITIALS_AGREE',
  /** each has a word that the other has not, or one names a firm, a family or a second person */
  'TOKEN_DIFFERS',
] as const;
export type NameMatchReason = (typeof NAME_MATCH_REASONS)[number];

export interface NameMatch {
  /** 0..100, a whole number. */
  readonly score: number;
  readonly band: NameMatchBand;
  /** What was tolerated, or what was not; each once, in the order of {@link NAME_MATCH_REASONS}. */
  readonly reasons: readonly NameMatchReason[];
}

/**
 * Points that a difference costs. They are chosen for what is left of 100: what costs up to 15 alone passes, 16 to
 * 30 is for review, more is refused; and differences add up, so that two for review are a refusal.
 */
export const POINTS = {
  spacing: 2,
  order: 4,
  /** regular spelling rules and listed spellings */
  spelling: 4,
  /** the wider rules: s/sh, d/dh, an `a` that is not spoken */
  looseSpelling: 8,
  /** with given name and surname agreed in full */
  initial: 5,
  /** the given name, or all but one word, rests on initials: for review at best */
  decisiveInitial: 24,
  /** what a second initial that agrees gives back of it */
  furtherInitial: -2,
  typingError: 20,
  honorificDiffers: 20,
  middleInitialMissing: 7,
  outerInitialMissing: 18,
  middleNameMissing: 16,
  namePrefixMissing: 16,
  surnameMissing: 20,
  /** a word is missing, and all that agrees is one word */
  oneWordAgrees: 6,
  /** a word is missing, and the order does not tell which is the given name */
  unclearOrder: 16,
  givenNameMissing: 45,
  differs: 45,
  onlyInitials: 50,
  nothingAgrees: 100,
} as const;

/** The band of a score. */
export function bandOf(score: number): NameMatchBand {
  if (score === 100) return 'EXACT';
  if (score >= STRONG_SCORE) return 'STRONG';
  return score >= REVIEW_SCORE ? 'REVIEW' : 'MISMATCH';
}
