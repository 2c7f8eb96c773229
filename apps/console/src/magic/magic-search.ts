import type { MagicValue } from '../shell/sandbox-api.js';

/** Returns the values that contain every search word, grouped by input, in table order. */
export function groupedMagic(
  magicValues: readonly MagicValue[],
  search: string,
): readonly (readonly [what: string, rows: readonly MagicValue[]])[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const isFound = ({ what, value, effect, sample }: MagicValue): boolean => {
    const text = `${what} ${value} ${effect} ${sample}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const groups = new Map<string, MagicValue[]>();
  for (const row of magicValues.filter(isFound)) groups.set(row.what, [...(groups.get(row.what) ?? []), row]);
  return [...groups];
}
