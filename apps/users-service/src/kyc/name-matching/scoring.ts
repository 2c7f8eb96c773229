import type { Alignment, Pair } from './alignment.js';
import {
  type Agreement,
  isCommon,
  isDistinguishing,
  isInitial,
  isNamePrefix,
  isSurname,
  namesPerson,
  type Word,
} from './words.js';

/** Meaning of a score. {@link bandOf} has the thresholds. */
export const NAME_MATCH_BANDS = ['EXACT', 'STRONG', 'REVIEW', 'MISMATCH'] as const;
type NameMatchBand = (typeof NAME_MATCH_BANDS)[number];

/** Minimum score of a name that passes. */
export const STRONG_SCORE = 85;
/** Minimum score of a name that passes with a review; lower scores are refused. */
export const REVIEW_SCORE = 70;

/**
 * Every difference: its reason, and the points that it costs. An answer lists the reasons in this order; they are stable
 * tokens. The points are subtracted from 100: a difference of up to 15 points passes, 16 to 30 goes to review, more
 * is refused. Differences add up, so two for review are a refusal.
 */
export const DIFFERENCES = {
  /** one name has no letters */
  empty: { reason: 'NAME_EMPTY', points: 100 },
  /** one name is too long, and the texts differ */
  tooLong: { reason: 'NAME_TOO_LONG', points: 100 },
  /** only one name is in Latin letters; names are not transliterated */
  script: { reason: 'SCRIPT_DIFFERS', points: 100 },
  /** only one name has Mr, Smt, Dr, -bhai ... */
  honorificDropped: { reason: 'HONORIFIC_DROPPED', points: 0 },
  /** Mr in one and Mrs in the other */
  honorificDiffers: { reason: 'HONORIFIC_DIFFERS', points: 20 },
  /** a part after S/O, W/O, alias ... was removed */
  tailDropped: { reason: 'TAIL_DROPPED', points: 0 },
  /** one name is the other, cut at the length of a bank's field; the rest may name another person, so review at best */
  cut: { reason: 'NAME_CUT', points: 20 },
  /** Ramkumar and Ram Kumar */
  spacing: { reason: 'SPACING_IGNORED', points: 2 },
  /** Rao Asha and Asha Rao */
  order: { reason: 'ORDER_SWAPPED', points: 4 },
  /** Pooja and Puja: regular spelling rules and listed spellings */
  spelling: { reason: 'SPELLING_VARIANT', points: 4 },
  /** the wider rules: s/sh, d/dh, a silent `a`; Vijay Lakshmi and Vijayalakshmi */
  looseSpelling: { reason: 'SPELLING_VARIANT', points: 8 },
  /** Vijay Kumar and Vijayakumar: in addition to `looseSpelling`, review */
  doubtfulLink: { reason: 'SPELLING_VARIANT', points: 12 },
  /** one typing error in a long word */
  typingError: { reason: 'TYPING_ERROR', points: 20 },
  /** A and Asha, beside a full match of given name and surname */
  initial: { reason: 'INITIAL_EXPANDED', points: 5 },
  /** the given name, or all words but one, match only by initials: review at best */
  decisiveInitial: { reason: 'INITIAL_EXPANDED', points: 24 },
  /** as `decisiveInitial`, with a second matching initial */
  decisiveInitials: { reason: 'INITIAL_EXPANDED', points: 22 },
  middleInitialMissing: { reason: 'INITIAL_MISSING', points: 7 },
  outerInitialMissing: { reason: 'INITIAL_MISSING', points: 18 },
  /** only one name begins with Mohammed, Syed or Sheikh */
  namePrefixMissing: { reason: 'NAME_PREFIX_MISSING', points: 16 },
  middleNameMissing: { reason: 'MIDDLE_NAME_MISSING', points: 16 },
  surnameMissing: { reason: 'SURNAME_MISSING', points: 20 },
  /** only one name has the word that identifies the person within the family */
  givenNameMissing: { reason: 'GIVEN_NAME_MISSING', points: 45 },
  /** no word matches in full */
  onlyInitials: { reason: 'ONLY_INITIALS_AGREE', points: 50 },
  /** each name has a word that the other lacks, or one names a firm, a family or a second person */
  differs: { reason: 'TOKEN_DIFFERS', points: 45 },
  nothingAgrees: { reason: 'TOKEN_DIFFERS', points: 100 },
} as const;

export type NameMatchReason = (typeof DIFFERENCES)[keyof typeof DIFFERENCES]['reason'];
export const NAME_MATCH_REASONS: readonly NameMatchReason[] = [
  ...new Set(Object.values(DIFFERENCES).map(({ reason }) => reason)),
];

export interface Finding {
  readonly reason: NameMatchReason;
  readonly points: number;
}

export interface NameMatch {
  /** 0..100, a whole number. */
  readonly score: number;
  readonly band: NameMatchBand;
  /** Differences found, each once, in the order of {@link DIFFERENCES}. */
  readonly reasons: readonly NameMatchReason[];
}

/** In addition to a missing word: only one word matches. */
const ONE_WORD_POINTS = 6;
/** In addition to a missing word: the order does not show the given name. */
const UNCLEAR_ORDER_POINTS = 16;

export function bandOf(score: number): NameMatchBand {
  if (score === 100) return 'EXACT';
  if (score >= STRONG_SCORE) return 'STRONG';
  return score >= REVIEW_SCORE ? 'REVIEW' : 'MISMATCH';
}

interface Agreed {
  readonly word: Word;
  readonly isFirst: boolean;
}

export function matchOf(findings: readonly Finding[]): NameMatch {
  const lost = findings.reduce((sum, { points }) => sum + points, 0);
  const score = Math.max(0, 100 - lost);
  const found = new Set(findings.map(({ reason }) => reason));
  return { score, band: bandOf(score), reasons: NAME_MATCH_REASONS.filter((reason) => found.has(reason)) };
}

export function findDifferences(alignment: Alignment): readonly Finding[] {
  const { a, b, pairs, isSwapped } = alignment;
  if (pairs.length === 0) return [DIFFERENCES.nothingAgrees];
  return [
    ...([...a, ...b].some((word) => word.isJoined) ? [DIFFERENCES.spacing] : []),
    ...([...a, ...b].some((word) => word.isLinkDoubtful) ? [DIFFERENCES.doubtfulLink] : []),
    ...(isSwapped ? [DIFFERENCES.order] : []),
    ...pairs.flatMap(({ how }) => SPELLING_DIFFERENCES[how] ?? []),
    ...initials(alignment),
    ...unshared(alignment),
  ];
}

const SPELLING_DIFFERENCES: Readonly<Partial<Record<Agreement, Finding>>> = {
  SPELLING: DIFFERENCES.spelling,
  LOOSE_SPELLING: DIFFERENCES.looseSpelling,
  TYPING_ERROR: DIFFERENCES.typingError,
};

/** Matching words, except matches by an initial. */
function agreedInFull({ a, pairs }: Alignment): Agreed[] {
  return pairs
    .filter((pair) => pair.how !== 'INITIAL')
    .map((pair) => ({ word: a[pair.a]!, isFirst: pair.a === 0 && pair.b === 0 }))
    .filter(({ word }) => !isInitial(word));
}

function initials(alignment: Alignment): Finding[] {
  const partial = alignment.pairs.filter(({ how }) => how === 'INITIAL');
  if (partial.length === 0) return [];
  const full = agreedInFull(alignment);
  if (full.length === 0) return [DIFFERENCES.onlyInitials];
  const distinctive = full.filter(({ word }) => !isCommon(word) && !isNamePrefix(word));
  const isGivenNameAgreed = distinctive.some(({ isFirst }) => isFirst);
  const isEnough = (pair: Pair) =>
    distinctive.length > 1 || (full.length > 1 && isInnerAbbreviation(pair, alignment));
  if (isGivenNameAgreed && partial.every(isEnough)) return partial.map(() => DIFFERENCES.initial);
  return [partial.length > 1 ? DIFFERENCES.decisiveInitials : DIFFERENCES.decisiveInitial];
}

/** Between other words, Kr is Kumar: only at the end can it be two initials (Suresh KR). */
function isInnerAbbreviation({ a: placeA, b: placeB }: Pair, { a, b }: Alignment): boolean {
  const isInner = (place: number, words: readonly Word[]) => place > 0 && place < words.length - 1;
  return isInner(placeA, a) && isInner(placeB, b) && !isInitial(a[placeA]!) && !isInitial(b[placeB]!);
}

/** Words without a match. In both names: the names differ. In one name: the word is missing in the other. */
function unshared(alignment: Alignment): Finding[] {
  const { a, b, restA, restB } = alignment;
  if (restA.length > 0 && restB.length > 0) {
    return Array.from({ length: Math.max(restA.length, restB.length) }, () => DIFFERENCES.differs);
  }
  const [longer, places] = restA.length > 0 ? [a, restA] : [b, restB];
  const missing = places.map((place) => missingWord(longer, place, alignment));
  return missing.length > 0 ? [...missing, ...tooLittleShared(alignment, missing)] : [];
}

function missingWord(longer: readonly Word[], place: number, { pairs }: Alignment): Finding {
  const word = longer[place]!;
  const isFirst = place === 0;
  const isLast = place === longer.length - 1;
  if (isDistinguishing(word)) return DIFFERENCES.differs;
  if (isInitial(word)) {
    return isFirst || isLast ? DIFFERENCES.outerInitialMissing : DIFFERENCES.middleInitialMissing;
  }
  if (isFirst && isNamePrefix(word) && pairs.length > 1) return DIFFERENCES.namePrefixMissing;
  if (isFirst) return DIFFERENCES.givenNameMissing;
  return isLast ? DIFFERENCES.surnameMissing : DIFFERENCES.middleNameMissing;
}

/** With a word missing, the rest must still identify a person: more than a surname, in a clear order. */
function tooLittleShared(alignment: Alignment, missing: readonly Finding[]): Finding[] {
  const full = agreedInFull(alignment);
  if (full.length === 0) return [DIFFERENCES.onlyInitials];
  if (!full.some(canBeGivenName)) return [DIFFERENCES.givenNameMissing];
  const { reason } = missing[0]!;
  const isWordMissing = missing.some((finding) => finding.reason !== 'INITIAL_MISSING');
  return [
    ...(alignment.pairs.length === 1 ? [{ reason, points: ONE_WORD_POINTS }] : []),
    ...(isWordMissing && alignment.isOrderUnclear ? [{ reason, points: UNCLEAR_ORDER_POINTS }] : []),
  ];
}

/** Whether the matching word can be a given name. Kumar and Devi can only at the front. */
function canBeGivenName({ word, isFirst }: Agreed): boolean {
  return namesPerson(word) || (isFirst && isCommon(word) && !isSurname(word));
}
