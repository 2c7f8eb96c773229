import type { Difference } from './answer-book.js';

/** Any value where there was none. */
export const ADDED = '<added>';

/** A difference that the changelog names. */
export interface IntendedDifference {
  /** The line of the changelog. */
  readonly because: string;
  /** As in Difference; a star stands for any one part of the path. */
  readonly at: string;
  /** The recorded value; undefined where there was none. */
  readonly was?: unknown;
  /** Today's value, or ADDED; undefined where there is none. */
  readonly is?: unknown;
  /** Regular expression of the calls' names; by default any. */
  readonly calls?: string;
}

/** What a replay found beyond the intended differences: both lists are empty if the answers are as the changelog says. */
export interface Unexplained {
  readonly differences: readonly Difference[];
  /** Intended differences that no longer occur. */
  readonly past: readonly IntendedDifference[];
}

export function unexplained(
  differences: readonly Difference[],
  intended: readonly IntendedDifference[],
): Unexplained {
  const occurred = new Set<IntendedDifference>();
  const rest = differences.filter((difference) => {
    const found = intended.find((candidate) => explains(candidate, difference));
    if (found) occurred.add(found);
    return !found;
  });
  return { differences: rest, past: intended.filter((candidate) => !occurred.has(candidate)) };
}

function explains(intended: IntendedDifference, { call, at, was, is }: Difference): boolean {
  const [pattern, path] = [intended.at.split('.'), at.split('.')];
  return (
    pattern.length === path.length &&
    pattern.every((part, i) => part === '*' || part === path[i]) &&
    JSON.stringify(intended.was) === JSON.stringify(was) &&
    (JSON.stringify(intended.is) === JSON.stringify(is) || (intended.is === ADDED && is !== undefined)) &&
    new RegExp(intended.calls ?? '').test(call)
  );
}
