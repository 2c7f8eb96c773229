import {
  isCalendarDate,
  isEmailAddress,
  isPan,
  isPersonName,
  isPhone,
  NOMINATION_TYPES,
  type NomineeInput,
  parseRelationship,
  tidyName,
} from '@fd/contracts';
import { type ErrorDefinition, GeneralErrors, NomineeErrors } from '@fd/errors';
import { readAddress } from './nominee-address.js';
import type { WantedPlacement } from './nomination.js';
import { type Guardian, isMinor, type Nominee, type NomineePerson, WHOLE_SHARE } from './nominee.js';

/** A nominee as somebody wants to have them. */
export interface GivenNominee {
  readonly person: NomineePerson;
  readonly placement: WantedPlacement;
}

/** Where an input stands, for the names of fields in refusals. */
export interface InputPlace {
  /** `nominees.1.`, or nothing. */
  readonly path: string;
  /** The date in India, YYYY-MM-DD. */
  readonly today: string;
}

/** Earliest date of birth that a living person may have. */
const EARLIEST_DOB = '1900-01-01';
const MAX_PRIORITY = 100;

/**
 * Reads a nominee, field after field as the contract lists them. What is left out is as it was before, if there is
 * a before; null takes it away.
 * @throws NomineeErrors.nameInvalid to NomineeErrors.guardianInvalid, NomineeErrors.sharesExceeded a share over 100
 * by itself, GeneralErrors.fieldInvalid for the other fields
 */
export function readNominee(input: NomineeInput, place: InputPlace, before?: Nominee): GivenNominee {
  const { path, today } = place;
  const was = before?.person;
  const optional = <T>(field: OptionalField, good: (value: unknown) => value is T): T | null =>
    given(emptyAsNull(input[field]), was?.[field] as T | null | undefined, (value) =>
      good(value) ? value : refuse(GeneralErrors.fieldInvalid, `${path}${field}`),
    );
  const identity = { ...readIdentity(input, path, was), dob: readDob(input, place, was?.dob) };
  const reach = {
    email: optional('email', isEmailAddress),
    phone: optional('phone', isPhone),
    pan: optional('pan', isPan),
    address: given(emptyAsNull(input.address), was?.address, (value) => readAddress(value, `${path}address`)),
  };
  const placement = readPlacement(input, path, before);
  const guardian = readGuardian(input, place, identity.dob, was?.guardian);
  if (identity.dob !== null && isMinor(identity.dob, today) && guardian === null) {
    refuse(NomineeErrors.guardianMissing, `${path}guardian`);
  }
  return { person: { ...identity, ...reach, guardian }, placement };
}

type OptionalField = 'email' | 'phone' | 'pan';

function refuse(error: ErrorDefinition, field: string): never {
  throw error({ field });
}

/** Left out: as before. Null: nothing. Else what the reader makes of it. */
function given<T>(value: unknown, before: T | null | undefined, read: (value: unknown) => T): T | null {
  if (value === undefined) return before ?? null;
  return value === null ? null : read(value);
}

/** A form sends a field that was left empty as an empty text. */
const emptyAsNull = (value: unknown): unknown => (value === '' ? null : value);

function readIdentity(
  input: NomineeInput,
  path: string,
  before: NomineePerson | undefined,
): Pick<NomineePerson, 'name' | 'relationship'> {
  const { name = before?.name, relationship = before?.relationship } = input;
  if (!isPersonName(name)) refuse(NomineeErrors.nameInvalid, `${path}name`);
  return {
    name: tidyName(name),
    relationship:
      parseRelationship(relationship) ?? refuse(NomineeErrors.relationshipInvalid, `${path}relationship`),
  };
}

function readDob(
  { dob }: NomineeInput,
  { path, today }: InputPlace,
  before: string | null | undefined,
): string | null {
  return given(dob, before, (value) =>
    isBirthDate(value, today) ? value : refuse(NomineeErrors.birthDateInvalid, `${path}dob`),
  );
}

function isBirthDate(value: unknown, today: string): value is string {
  return isCalendarDate(value) && value >= EARLIEST_DOB && value <= today;
}

/** The guardian is kept for a minor, and for somebody whose age is not known. */
function readGuardian(
  { guardian }: NomineeInput,
  { path, today }: InputPlace,
  dob: string | null,
  before: Guardian | null | undefined,
): Guardian | null {
  if (dob !== null && !isMinor(dob, today)) return null;
  return given(guardian, before, (value) => guardianOf(value, `${path}guardian`, today));
}

function guardianOf(value: unknown, path: string, today: string): Guardian {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(NomineeErrors.guardianInvalid, path);
  const { name, relationship, dob = null } = value as Record<string, unknown>;
  if (!isPersonName(name)) refuse(NomineeErrors.guardianInvalid, `${path}.name`);
  const parsed =
    parseRelationship(relationship) ?? refuse(NomineeErrors.guardianInvalid, `${path}.relationship`);
  if (dob !== null && (!isBirthDate(dob, today) || isMinor(dob, today))) {
    refuse(NomineeErrors.guardianInvalid, `${path}.dob`);
  }
  return { name: tidyName(name), relationship: parsed, dob };
}

function readPlacement(input: NomineeInput, path: string, before: Nominee | undefined): WantedPlacement {
  const share = given(input.share_percentage, before?.share, (value) =>
    shareOf(value, `${path}share_percentage`),
  );
  const type = given(
    input.nomination_type,
    before?.type,
    (value) =>
      NOMINATION_TYPES.find((known) => known === value) ??
      refuse(GeneralErrors.fieldInvalid, `${path}nomination_type`),
  );
  const priority = given(input.priority, before?.priority, (value) =>
    isPriority(value) ? value : refuse(GeneralErrors.fieldInvalid, `${path}priority`),
  );
  return { path, share: share ?? undefined, type: type ?? undefined, priority: priority ?? undefined };
}

/** Hundredths of a percent, from a number of 1 to 100 with at most two decimals. */
function shareOf(value: unknown, field: string): number {
  if (typeof value !== 'number') refuse(GeneralErrors.fieldInvalid, field);
  if (value > 100) refuse(NomineeErrors.sharesExceeded, field);
  const share = Math.round(value * 100);
  // a product of 33.33 and 100 is not quite 3333
  const isExact = Math.abs(value * 100 - share) < 1e-6;
  return isExact && share >= WHOLE_SHARE / 100 ? share : refuse(GeneralErrors.fieldInvalid, field);
}

function isPriority(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_PRIORITY;
}
