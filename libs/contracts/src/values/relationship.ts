/** Relationships of a nominee or a guardian. */
export const RELATIONSHIPS = [
  'FATHER',
  'MOTHER',
  'SPOUSE',
  'HUSBAND',
  'WIFE',
  'SON',
  'DAUGHTER',
  'BROTHER',
  'SISTER',
  'GRANDFATHER',
  'GRANDMOTHER',
  'GRANDSON',
  'GRANDDAUGHTER',
  'AUNT',
  'UNCLE',
  'NEPHEW',
  'NIECE',
  'COUSIN',
  'FATHER_IN_LAW',
  'MOTHER_IN_LAW',
  'SON_IN_LAW',
  'DAUGHTER_IN_LAW',
  'BROTHER_IN_LAW',
  'SISTER_IN_LAW',
  'STEPFATHER',
  'STEPMOTHER',
  'STEPSON',
  'STEPDAUGHTER',
  'STEPBROTHER',
  'STEPSISTER',
  'LEGAL_GUARDIAN',
  'FRIEND',
  'OTHER',
] as const;
export type Relationship = (typeof RELATIONSHIPS)[number];

const MAX_LENGTH = 40;
const withoutGaps = (text: string): string => text.toUpperCase().replace(/[\s_-]+/g, '');
const BY_LETTERS = new Map(RELATIONSHIPS.map((relationship) => [withoutGaps(relationship), relationship]));

/** Reads a relationship in any case, with words separated by blanks, hyphens, underscores or nothing. */
export function parseRelationship(value: unknown): Relationship | undefined {
  return typeof value === 'string' && value.length <= MAX_LENGTH
    ? BY_LETTERS.get(withoutGaps(value))
    : undefined;
}
