import {
  type CreateNomineesRequest,
  isCalendarDate,
  isEmailAddress,
  isPan,
  isPersonName,
  isPhone,
  isPincode,
  isPrintableLine,
  isRecord,
  MAX_NOMINEES,
  NOMINATION_TYPES,
  type NominationType,
  type NomineeInput,
  parseRelationship,
  tidyEmail,
  tidyName,
} from '@fd/contracts';
import { type ErrorDefinition, GeneralErrors, NomineeErrors, readAll, readEach, refuse } from '@fd/errors';
import type { RequestedPlacement } from './nomination.js';
import {
  type Guardian,
  isMinor,
  type Nominee,
  type NomineeAddress,
  type NomineePerson,
  WHOLE_SHARE,
} from './nominee.js';

export interface GivenNominee {
  readonly person: NomineePerson;
  readonly placement: RequestedPlacement;
}

/** Prefix of field names in refusals. */
interface InputPlace {
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

export interface GivenNomination {
  /** Empty if the request is to name none. */
  readonly nominees: readonly GivenNominee[];
  readonly issuerCode: string | undefined;
  readonly isSkipped: boolean;
  readonly isDeclarationAccepted: boolean;
}

/**
 * Reads a nomination: one nominee, a list of them, or none.
 * @throws AppError with the refusals of all fields: GeneralErrors.fieldInvalid for a value of another type, otherwise as
 * `readNominees`
 */
export function readNomination(request: CreateNomineesRequest, today: string): GivenNomination {
  const { issuer_code, skip_nominee, declaration_accepted } = request;
  const isSkipped = (skip_nominee ?? false) !== false;
  return readAll<GivenNomination>({
    nominees: () => (isSkipped ? [] : readNominees(request, today)),
    issuerCode: () => readOptional('issuer_code', issuer_code, isText),
    isSkipped: () => readOptional('skip_nominee', skip_nominee, isFlag) ?? false,
    isDeclarationAccepted: () => readOptional('declaration_accepted', declaration_accepted, isFlag) ?? false,
  });
}

/**
 * Reads one nominee, or each of a list.
 * @throws NomineeErrors.tooMany; GeneralErrors.fieldInvalid for a value of another type; otherwise as `readNominee`
 */
export function readNominees(request: CreateNomineesRequest, today: string): GivenNominee[] {
  const { nominees } = request;
  if (nominees === undefined || nominees === null) return [readNominee(request, { path: '', today })];
  if (!Array.isArray(nominees) || nominees.length === 0) refuse(GeneralErrors.fieldInvalid, 'nominees');
  if (nominees.length > MAX_NOMINEES) throw NomineeErrors.tooMany();
  return readEach(nominees, (input: unknown, index) => {
    const path = `nominees.${index}`;
    return isRecord(input)
      ? readNominee(input, { path: `${path}.`, today })
      : refuse(GeneralErrors.fieldInvalid, path);
  });
}

/**
 * Reads a nominee's fields in the order of the contract. Absent fields keep their former values; null removes a value.
 * @throws AppError with the refusals of all fields: NomineeErrors.nameInvalid to NomineeErrors.guardianInvalid,
 * NomineeErrors.sharesExceeded for a single share over 100, GeneralErrors.fieldInvalid for the other fields
 */
export function readNominee(
  input: NomineeInput,
  { path, today }: InputPlace,
  before?: Nominee,
): GivenNominee {
  const was = before?.person;
  const valid =
    <T>(
      field: keyof NomineeInput,
      holds: (value: unknown) => value is T,
      error: ErrorDefinition = GeneralErrors.fieldInvalid,
    ) =>
    (value: unknown): T =>
      holds(value) ? value : refuse(error, `${path}${field}`);
  const isDob = (value: unknown) => isBirthDate(value, today);

  const { name = was?.name, relationship = was?.relationship } = input;
  // a guardian depends on the date of birth; undefined if the date is refused
  let dob: string | null | undefined;
  const isOfAge = () => typeof dob === 'string' && !isMinor(dob, today);
  const { share, type, priority, ...person } = readAll<NomineePerson & Omit<RequestedPlacement, 'path'>>({
    name: () => (isPersonName(name) ? tidyName(name) : refuse(NomineeErrors.nameInvalid, `${path}name`)),
    relationship: () =>
      parseRelationship(relationship) ?? refuse(NomineeErrors.relationshipInvalid, `${path}relationship`),
    dob: () => (dob = given(input.dob, was?.dob, valid('dob', isDob, NomineeErrors.birthDateInvalid))),
    email: () =>
      given(emptyAsNull(input.email), was?.email, (value) =>
        tidyEmail(valid('email', isEmailAddress)(value)),
      ),
    phone: () => given(emptyAsNull(input.phone), was?.phone, valid('phone', isPhone)),
    pan: () => given(emptyAsNull(input.pan), was?.pan, valid('pan', isPan)),
    address: () =>
      given(emptyAsNull(input.address), was?.address, (value) => readAddress(value, `${path}address`)),
    share: () =>
      given(input.share_percentage, before?.share, (value) => readShare(value, `${path}share_percentage`)),
    type: () => given(input.nomination_type, before?.type, valid('nomination_type', isNominationType)),
    priority: () => given(input.priority, before?.priority, valid('priority', isPriority)),
    guardian: () => {
      // the guardian is kept for a minor, and if the age is unknown
      if (isOfAge()) return null;
      const guardian = given(input.guardian, was?.guardian, (value) =>
        readGuardian(value, `${path}guardian`, today),
      );
      if (dob && !guardian) refuse(NomineeErrors.guardianMissing, `${path}guardian`);
      return guardian;
    },
  });
  return { person, placement: { path, share, type, priority } };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';

function readOptional<T>(
  field: keyof CreateNomineesRequest,
  value: unknown,
  holds: (value: unknown) => value is T,
): T | undefined {
  if (value === undefined || value === null) return undefined;
  return holds(value) ? value : refuse(GeneralErrors.fieldInvalid, field);
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

function readGuardian(value: unknown, path: string, today: string): Guardian {
  if (!isRecord(value)) refuse(NomineeErrors.guardianInvalid, path);
  const { name, relationship, dob = null } = value;
  const invalid = (field: string) => refuse(NomineeErrors.guardianInvalid, `${path}.${field}`);
  return readAll<Guardian>({
    name: () => (isPersonName(name) ? tidyName(name) : invalid('name')),
    relationship: () => parseRelationship(relationship) ?? invalid('relationship'),
    dob: () => (dob === null || (isBirthDate(dob, today) && !isMinor(dob, today)) ? dob : invalid('dob')),
  });
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
  if (pincode !== undefined)
    address.pincode = isPincode(pincode) ? pincode : refuse(GeneralErrors.fieldInvalid, `${field}.pincode`);
  return Object.keys(address).length > 0 ? address : refuse(GeneralErrors.fieldInvalid, field);
}

function readLine(value: unknown, field: string): string {
  if (typeof value !== 'string' || value.length > MAX_LINE_LENGTH) refuse(GeneralErrors.fieldInvalid, field);
  const line = value.replace(/\s+/g, ' ').trim();
  return line !== '' && isPrintableLine(line, MAX_LINE_LENGTH)
    ? line
    : refuse(GeneralErrors.fieldInvalid, field);
}
