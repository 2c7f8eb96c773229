import {
  type CreateNomineesRequest,
  isCalendarDate,
  isEmailAddress,
  isPan,
  isPersonName,
  isPhone,
  isRecord,
  MAX_NOMINEES,
  NOMINATION_TYPES,
  type NominationType,
  type NomineeInput,
  parseRelationship,
  tidyName,
} from '@fd/contracts';
import { type ErrorDefinition, GeneralErrors, NomineeErrors } from '@fd/errors';
import type { WantedPlacement } from './nomination.js';
import {
  type Guardian,
  isMinor,
  type Nominee,
  type NomineeAddress,
  type NomineePerson,
  WHOLE_SHARE,
} from './nominee.js';

/** A requested nominee. */
export interface GivenNominee {
  readonly person: NomineePerson;
  readonly placement: WantedPlacement;
}

/** Prefix of field names in refusals. */
export interface InputPlace {
  /** `nominees.1.`, or nothing. */
  readonly path: string;
  /** The date in India, YYYY-MM-DD. */
  readonly today: string;
}

/** Earliest date of birth that a living person may have. */
const EARLIEST_DOB = '1900-01-01';
const MAX_PRIORITY = 100;
const ADDRESS_LINES = ['line1', 'line2', 'city', 'state_code'] as const;
const MAX_LINE_LENGTH = 200;
const PINCODE = /^[1-9][0-9]{5}$/;

/**
 * Reads one nominee, or each of a list.
 * @throws NomineeErrors.tooMany; GeneralErrors.fieldInvalid for a value of another type; otherwise as `readNominee`
 */
export function readNominees(request: CreateNomineesRequest, today: string): GivenNominee[] {
  const { nominees } = request;
  if (!nominees) return [readNominee(request, { path: '', today })];
  if (nominees.length > MAX_NOMINEES) throw NomineeErrors.tooMany();
  return nominees.map((input, index) => {
    const path = `nominees.${index}`;
    return isRecord(input)
      ? readNominee(input, { path: `${path}.`, today })
      : refuse(GeneralErrors.fieldInvalid, path);
  });
}

/**
 * Reads a nominee's fields in the order of the contract. Absent fields keep their former values; null removes a value.
 * @throws NomineeErrors.nameInvalid to NomineeErrors.guardianInvalid, NomineeErrors.sharesExceeded a share over 100
 * by itself, GeneralErrors.fieldInvalid for the other fields
 */
export function readNominee(
  input: NomineeInput,
  { path, today }: InputPlace,
  before?: Nominee,
): GivenNominee {
  const was = before?.person;
  /** Refuses an invalid field. */
  const valid =
    <T>(
      field: keyof NomineeInput,
      holds: (value: unknown) => value is T,
      error: ErrorDefinition = GeneralErrors.fieldInvalid,
    ) =>
    (value: unknown): T =>
      holds(value) ? value : refuse(error, `${path}${field}`);
  const isDob = (value: unknown) => isBirthDate(value, today);

  const { name, relationship } = readIdentity(input, path, was);
  const dob = given(input.dob, was?.dob, valid('dob', isDob, NomineeErrors.birthDateInvalid));
  const reach = {
    email: given(emptyAsNull(input.email), was?.email, valid('email', isEmailAddress)),
    phone: given(emptyAsNull(input.phone), was?.phone, valid('phone', isPhone)),
    pan: given(emptyAsNull(input.pan), was?.pan, valid('pan', isPan)),
    address: given(emptyAsNull(input.address), was?.address, (value) => readAddress(value, `${path}address`)),
  };
  const share = given(input.share_percentage, before?.share, (value) =>
    readShare(value, `${path}share_percentage`),
  );
  const type = given(input.nomination_type, before?.type, valid('nomination_type', isNominationType));
  const priority = given(input.priority, before?.priority, valid('priority', isPriority));
  const isOfAge = dob !== null && !isMinor(dob, today);
  // keep a guardian for a minor, or if the age is unknown
  const guardian = isOfAge
    ? null
    : given(input.guardian, was?.guardian, (value) => readGuardian(value, `${path}guardian`, today));
  if (dob !== null && !isOfAge && !guardian) refuse(NomineeErrors.guardianMissing, `${path}guardian`);
  const placement = {
    path,
    share: share ?? undefined,
    type: type ?? undefined,
    priority: priority ?? undefined,
  };
  return { person: { name, relationship, dob, ...reach, guardian }, placement };
}

function refuse(error: ErrorDefinition, field: string): never {
  throw error({ field });
}

/** Omitted: unchanged. Null: removed. Otherwise read by the reader. */
function given<T>(value: unknown, before: T | null | undefined, read: (value: unknown) => T): T | null {
  if (value === undefined) return before ?? null;
  return value === null ? null : read(value);
}

/** Forms send empty fields as empty texts. */
const emptyAsNull = (value: unknown): unknown => (value === '' ? null : value);

function isBirthDate(value: unknown, today: string): value is string {
  return isCalendarDate(value) && value >= EARLIEST_DOB && value <= today;
}

function isNominationType(value: unknown): value is NominationType {
  return NOMINATION_TYPES.some((known) => known === value);
}

function isPriority(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_PRIORITY;
}

function readIdentity(
  input: NomineeInput,
  path: string,
  before: NomineePerson | undefined,
): Pick<NomineePerson, 'name' | 'relationship'> {
  const { name = before?.name, relationship = before?.relationship } = input;
  if (!isPersonName(name)) refuse(NomineeErrors.nameInvalid, `${path}name`);
  const parsed = parseRelationship(relationship);
  if (!parsed) refuse(NomineeErrors.relationshipInvalid, `${path}relationship`);
  return { name: tidyName(name), relationship: parsed };
}

function readGuardian(value: unknown, path: string, today: string): Guardian {
  if (!isRecord(value)) refuse(NomineeErrors.guardianInvalid, path);
  const { name, relationship, dob = null } = value;
  if (!isPersonName(name)) refuse(NomineeErrors.guardianInvalid, `${path}.name`);
  const parsed = parseRelationship(relationship);
  if (!parsed) refuse(NomineeErrors.guardianInvalid, `${path}.relationship`);
  if (dob !== null && (!isBirthDate(dob, today) || isMinor(dob, today))) {
    refuse(NomineeErrors.guardianInvalid, `${path}.dob`);
  }
  return { name: tidyName(name), relationship: parsed, dob };
}

/** Hundredths of a percent, from a number of 1 to 100 with at most two decimals. */
function readShare(value: unknown, field: string): number {
  if (typeof value !== 'number') refuse(GeneralErrors.fieldInvalid, field);
  if (value > 100) refuse(NomineeErrors.sharesExceeded, field);
  const share = Math.round(value * 100);
  // 33.33 times 100 is not exactly 3333
  const isExact = Math.abs(value * 100 - share) < 1e-6;
  return isExact && share >= WHOLE_SHARE / 100 ? share : refuse(GeneralErrors.fieldInvalid, field);
}

/** A text, or an object with at least one line. */
function readAddress(value: unknown, field: string): NomineeAddress {
  if (typeof value === 'string') return { line1: readLine(value, field) };
  if (!isRecord(value)) refuse(GeneralErrors.fieldInvalid, field);
  const address: Partial<Record<keyof NomineeAddress, string>> = {};
  for (const line of ADDRESS_LINES) {
    const text = value[line] ?? undefined;
    if (text !== undefined) address[line] = readLine(text, `${field}.${line}`);
  }
  const pincode = value['pincode'] ?? undefined;
  if (pincode !== undefined) address.pincode = readPincode(pincode, `${field}.pincode`);
  return Object.keys(address).length > 0 ? address : refuse(GeneralErrors.fieldInvalid, field);
}

function readLine(value: unknown, field: string): string {
  if (typeof value !== 'string' || value.length > MAX_LINE_LENGTH) refuse(GeneralErrors.fieldInvalid, field);
  const line = value.replace(/\s+/g, ' ').trim();
  return line === '' || /\p{Cc}|\p{Surrogate}/u.test(line) ? refuse(GeneralErrors.fieldInvalid, field) : line;
}

function readPincode(value: unknown, field: string): string {
  return typeof value === 'string' && PINCODE.test(value) ? value : refuse(GeneralErrors.fieldInvalid, field);
}
