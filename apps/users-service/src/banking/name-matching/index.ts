export type { NameMatch, NameMatchBand, NameMatchReason } from './name-match.table.js';
export { isSameName, matchNames, normaliseName } from './name-matching.js';
