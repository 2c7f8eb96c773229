import { type Alignment, type Pair } from './alignment.js';
import { POINTS, type NameMatchReason } from './name-match.table.js';
import { isCommon, isDistinguishing, isInitial, isNamePrefix, isSurname, type Word } from './word.js';

/** A difference, and what it costs of 100 points. */
export interface Finding {
  readonly reason: NameMatchReason;
  readonly points: number;
}

const NOTHING_SHARED: readonly Finding[] = [{ reason: 'TOKEN_DIFFERS', points: POINTS.nothingAgrees }];

/** All differences between two names, from how their words stand for each other. */
export function findDifferences(alignment: Alignment): readonly Finding[] {
  if (alignment.pairs.length === 0) return NOTHING_SHARED;
  return [
    ...spacingAndOrder(alignment),
    ...spelling(alignment.pairs),
    ...initials(alignment),
    ...unshared(alignment),
  ];
}

function spacingAndOrder({ a, b, isSwapped }: Alignment): Finding[] {
  const isJoined = [...a, ...b].some((word) => word.isJoined);
  return [
    ...(isJoined ? [{ reason: 'SPACING_IGNORED', points: POINTS.spacing } as const] : []),
    ...(isSwapped ? [{ reason: 'ORDER_SWAPPED', points: POINTS.order } as const] : []),
  ];
}

const SPELLING_FINDINGS: Readonly<Record<Pair['how'], Finding | null>> = {
  SAME: null,
  SPELLING: { reason: 'SPELLING_VARIANT', points: POINTS.spelling },
  LOOSE_SPELLING: { reason: 'SPELLING_VARIANT', points: POINTS.looseSpelling },
  TYPING_ERROR: { reason: 'TYPING_ERROR', points: POINTS.typingError },
  INITIAL: null,
};

function spelling(pairs: readonly Pair[]): Finding[] {
  return pairs.flatMap(({ how }) => SPELLING_FINDINGS[how] ?? []);
}

/** Pairs that agree by more than an initial of one of the two. */
function agreedInFull({ a, pairs }: Alignment): Pair[] {
  return pairs.filter((pair) => pair.how !== 'INITIAL' && !isInitial(a[pair.a] as Word));
}

function initials(alignment: Alignment): Finding[] {
  const count = alignment.pairs.filter(({ how }) => how === 'INITIAL').length;
  if (count === 0) return [];
  const full = agreedInFull(alignment);
  if (full.length === 0) return [{ reason: 'ONLY_INITIALS_AGREE', points: POINTS.onlyInitials }];
  const telling = full.filter(
    ({ a }) => !isCommon(alignment.a[a] as Word) && !isNamePrefix(alignment.a[a] as Word),
  );
  const agreesOnGivenName = telling.some((pair) => pair.a === 0 && pair.b === 0);
  const points =
    agreesOnGivenName && telling.length > 1
      ? POINTS.initial * count
      : POINTS.decisiveInitial + (count > 1 ? POINTS.furtherInitial : 0);
  return [{ reason: 'INITIAL_EXPANDED', points }];
}

/** What stands in one name only. In both of them: the names differ. In one: it is missing in the other. */
function unshared(alignment: Alignment): Finding[] {
  const { a, b, restA, restB } = alignment;
  if (restA.length === 0 && restB.length === 0) return [];
  if (restA.length > 0 && restB.length > 0) {
    return Array.from({ length: Math.max(restA.length, restB.length) }, () => ({
      reason: 'TOKEN_DIFFERS',
      points: POINTS.differs,
    }));
  }
  const [longer, places] = restA.length > 0 ? [a, restA] : [b, restB];
  const missing = places.map((place) => missingWord(longer, place, alignment));
  return [...missing, ...tooLittleShared(alignment, missing)];
}

function missingWord(longer: readonly Word[], place: number, alignment: Alignment): Finding {
  const word = longer[place] as Word;
  const isFirst = place === 0;
  const isLast = place === longer.length - 1;
  if (isDistinguishing(word)) return { reason: 'TOKEN_DIFFERS', points: POINTS.differs };
  if (isInitial(word)) {
    const points = isFirst || isLast ? POINTS.outerInitialMissing : POINTS.middleInitialMissing;
    return { reason: 'INITIAL_MISSING', points };
  }
  if (isFirst && isNamePrefix(word) && alignment.pairs.length > 1) {
    return { reason: 'NAME_PREFIX_MISSING', points: POINTS.namePrefixMissing };
  }
  if (isFirst) return { reason: 'GIVEN_NAME_MISSING', points: POINTS.givenNameMissing };
  if (isLast) return { reason: 'SURNAME_MISSING', points: POINTS.surnameMissing };
  return { reason: 'MIDDLE_NAME_MISSING', points: POINTS.middleNameMissing };
}

/** With a word missing, what is left must still name one person: by more than a surname, in an order that is clear. */
function tooLittleShared(alignment: Alignment, missing: readonly Finding[]): Finding[] {
  const full = agreedInFull(alignment);
  if (full.length === 0) return [{ reason: 'ONLY_INITIALS_AGREE', points: POINTS.onlyInitials }];
  if (!full.some((pair) => isTelling(alignment, pair))) {
    return [{ reason: 'GIVEN_NAME_MISSING', points: POINTS.givenNameMissing }];
  }
  const reason = missing[0]?.reason ?? 'TOKEN_DIFFERS';
  const isWordMissing = missing.some((finding) => finding.reason !== 'INITIAL_MISSING');
  return [
    ...(alignment.pairs.length === 1 ? [{ reason, points: POINTS.oneWordAgrees }] : []),
    ...(isWordMissing && alignment.isOrderUnclear ? [{ reason, points: POINTS.unclearOrder }] : []),
  ];
}

/** Whether the word in which they agree can be a given name. Kumar or Devi can in front only. */
function isTelling({ a }: Alignment, pair: Pair): boolean {
  const word = a[pair.a] as Word;
  if (isSurname(word) || isNamePrefix(word)) return false;
  return !isCommon(word) || (pair.a === 0 && pair.b === 0);
}
