import type { NomineeInput } from '@fd/contracts';
import { type AppError, type ErrorDefinition, GeneralErrors, NomineeErrors } from '@fd/errors';
import fc from 'fast-check';
import { readNominee, readNominees } from './nominee-input.js';
import type { Nominee } from './nominee.js';

const TODAY = '2026-11-21';
const GUARDIAN = { name: 'Meera Rao', relationship: 'MOTHER', dob: '1990-01-01' };
const input = (more: object = {}): NomineeInput => ({ name: 'Asha Rao', relationship: 'sister', ...more });
const read = (given: NomineeInput, before?: Nominee) =>
  readNominee(given, { path: 'nominees.2.', today: TODAY }, before);

function refusals(work: () => unknown): [error: ErrorDefinition, field: string | undefined][] {
  try {
    work();
  } catch (error) {
    return (error as AppError).refusals.map((refusal) => [refusal.error, refusal.field]);
  }
  return [];
}

function refusal(given: NomineeInput, before?: Nominee): [error?: ErrorDefinition, field?: string] {
  const [first] = refusals(() => read(given, before));
  return first ? [first[0], first[1]?.replace('nominees.2.', '')] : [];
}

describe('reading a nominee', () => {
  it('accepts only a name and a relationship', () => {
    expect(read(input({ name: '  Asha   Rao ' }))).toEqual({
      person: {
        name: 'Asha Rao',
        relationship: 'SISTER',
        dob: null,
        email: null,
        phone: null,
        pan: null,
        address: null,
        guardian: null,
      },
      placement: { path: 'nominees.2.', type: null, share: null, priority: null },
    });
  });

  it('accepts all fields', () => {
    const all = {
      dob: '2015-05-05',
      email: 'asha@Example.com ',
      phone: '919812345678',
      pan: 'ABCDE1234F',
      address: { line1: '12 MG  Road', city: 'Pune', pincode: '411001', line2: null, planet: 'Earth' },
      share_percentage: 33.33,
      nomination_type: 'SIMULTANEOUS',
      priority: 2,
      guardian: { ...GUARDIAN, phone: '1' },
    };
    expect(read(input(all))).toEqual({
      person: {
        name: 'Asha Rao',
        relationship: 'SISTER',
        dob: '2015-05-05',
        email: 'asha@example.com',
        phone: '919812345678',
        pan: 'ABCDE1234F',
        address: { line1: '12 MG Road', city: 'Pune', pincode: '411001' },
        guardian: GUARDIAN,
      },
      placement: { path: 'nominees.2.', type: 'SIMULTANEOUS', share: 3_333, priority: 2 },
    });
  });

  it('treats null like an absent field', () => {
    const nothing = {
      dob: null,
      email: null,
      phone: null,
      pan: null,
      address: null,
      share_percentage: null,
      nomination_type: null,
      priority: null,
      guardian: null,
    };
    expect(read(input(nothing))).toEqual(read(input()));
  });

  it.each([
    ['a minor', '2008-11-22', GUARDIAN],
    ['who turns 18 today', '2008-11-21', null],
    ['an adult', '1980-01-01', null],
    ['a nominee of unknown age', null, GUARDIAN],
  ])('keeps a guardian for %s: %s', (_name, dob, kept) => {
    expect(read(input({ dob, guardian: GUARDIAN })).person.guardian).toEqual(kept);
  });

  it.each([1, 1.5, 33.33, 33.34, 99.99, 100, 0.1 + 1.9])('accepts a share of %d', (share) => {
    expect(read(input({ share_percentage: share })).placement.share).toBe(Math.round(share * 100));
  });

  it('reads one text as the first line of an address', () => {
    expect(read(input({ address: '12 MG Road,\nPune' })).person.address).toEqual({
      line1: '12 MG Road, Pune',
    });
  });

  const minor = { dob: '2015-05-05' };
  it.each([
    ['no name', { name: undefined }, NomineeErrors.nameInvalid, 'name'],
    ['a name of digits', { name: '12345' }, NomineeErrors.nameInvalid, 'name'],
    ['a name that is no text', { name: ['Asha'] }, NomineeErrors.nameInvalid, 'name'],
    ['no relationship', { relationship: undefined }, NomineeErrors.relationshipInvalid, 'relationship'],
    ['an unknown relationship', { relationship: 'PET' }, NomineeErrors.relationshipInvalid, 'relationship'],
    [
      'a relationship that is no text',
      { relationship: {} },
      NomineeErrors.relationshipInvalid,
      'relationship',
    ],
    ['a date of tomorrow', { dob: '2026-11-22' }, NomineeErrors.birthDateInvalid, 'dob'],
    ['a date that does not exist', { dob: '2001-02-29' }, NomineeErrors.birthDateInvalid, 'dob'],
    ['a date in another form', { dob: '29-02-2000' }, NomineeErrors.birthDateInvalid, 'dob'],
    ['a date with a time', { dob: '2000-02-29T00:00:00Z' }, NomineeErrors.birthDateInvalid, 'dob'],
    ['an empty date', { dob: '' }, NomineeErrors.birthDateInvalid, 'dob'],
    ['a date as a number', { dob: 20000229 }, NomineeErrors.birthDateInvalid, 'dob'],
    ['a date before 1900', { dob: '1899-12-31' }, NomineeErrors.birthDateInvalid, 'dob'],
    ['no mail address', { email: 'asha' }, GeneralErrors.fieldInvalid, 'email'],
    ['a phone without prefix', { phone: '9812345678' }, GeneralErrors.fieldInvalid, 'phone'],
    ['a phone as a number', { phone: 919812345678 }, GeneralErrors.fieldInvalid, 'phone'],
    ['a PAN in lower case', { pan: 'abcde1234f' }, GeneralErrors.fieldInvalid, 'pan'],
    ['an address without lines', { address: {} }, GeneralErrors.fieldInvalid, 'address'],
    ['an address of other fields', { address: { planet: 'Earth' } }, GeneralErrors.fieldInvalid, 'address'],
    ['an address as a list', { address: ['Pune'] }, GeneralErrors.fieldInvalid, 'address'],
    ['an empty line', { address: { line1: ' ' } }, GeneralErrors.fieldInvalid, 'address.line1'],
    [
      'a line that is too long',
      { address: { city: 'a'.repeat(201) } },
      GeneralErrors.fieldInvalid,
      'address.city',
    ],
    ['a bad pincode', { address: { pincode: '012345' } }, GeneralErrors.fieldInvalid, 'address.pincode'],
    [
      'a pincode as a number',
      { address: { pincode: 411001 } },
      GeneralErrors.fieldInvalid,
      'address.pincode',
    ],
    ['a share of nothing', { share_percentage: 0 }, GeneralErrors.fieldInvalid, 'share_percentage'],
    ['a share below 1', { share_percentage: 0.99 }, GeneralErrors.fieldInvalid, 'share_percentage'],
    ['a share below nothing', { share_percentage: -50 }, GeneralErrors.fieldInvalid, 'share_percentage'],
    [
      'a share of three decimals',
      { share_percentage: 33.333 },
      GeneralErrors.fieldInvalid,
      'share_percentage',
    ],
    ['a share as text', { share_percentage: '50' }, GeneralErrors.fieldInvalid, 'share_percentage'],
    ['a share without end', { share_percentage: Infinity }, NomineeErrors.sharesExceeded, 'share_percentage'],
    ['a share over 100', { share_percentage: 100.01 }, NomineeErrors.sharesExceeded, 'share_percentage'],
    ['another type', { nomination_type: 'RANDOM' }, GeneralErrors.fieldInvalid, 'nomination_type'],
    [
      'a type in lower case',
      { nomination_type: 'successive' },
      GeneralErrors.fieldInvalid,
      'nomination_type',
    ],
    ['a place of 0', { priority: 0 }, GeneralErrors.fieldInvalid, 'priority'],
    ['a place of 101', { priority: 101 }, GeneralErrors.fieldInvalid, 'priority'],
    ['half a place', { priority: 1.5 }, GeneralErrors.fieldInvalid, 'priority'],
    ['a place as text', { priority: '1' }, GeneralErrors.fieldInvalid, 'priority'],
    ['a minor alone', minor, NomineeErrors.guardianMissing, 'guardian'],
    ['a minor without a guardian', { ...minor, guardian: null }, NomineeErrors.guardianMissing, 'guardian'],
    ['a guardian as text', { ...minor, guardian: 'Meera' }, NomineeErrors.guardianInvalid, 'guardian'],
    ['guardians', { ...minor, guardian: [GUARDIAN] }, NomineeErrors.guardianInvalid, 'guardian'],
    ['an empty guardian', { ...minor, guardian: {} }, NomineeErrors.guardianInvalid, 'guardian.name'],
    [
      'a guardian of no name',
      { ...minor, guardian: { ...GUARDIAN, name: 'M1' } },
      NomineeErrors.guardianInvalid,
      'guardian.name',
    ],
    [
      'a guardian who is nothing',
      { ...minor, guardian: { ...GUARDIAN, relationship: 'PET' } },
      NomineeErrors.guardianInvalid,
      'guardian.relationship',
    ],
    [
      'a guardian of no date',
      { ...minor, guardian: { ...GUARDIAN, dob: '1990-13-01' } },
      NomineeErrors.guardianInvalid,
      'guardian.dob',
    ],
    [
      'a guardian who turns 18 tomorrow',
      { ...minor, guardian: { ...GUARDIAN, dob: '2008-11-22' } },
      NomineeErrors.guardianInvalid,
      'guardian.dob',
    ],
    [
      'a guardian in the future',
      { ...minor, guardian: { ...GUARDIAN, dob: '2027-01-01' } },
      NomineeErrors.guardianInvalid,
      'guardian.dob',
    ],
    ['a bad guardian where none is needed', { guardian: {} }, NomineeErrors.guardianInvalid, 'guardian.name'],
  ])('refuses %s', (_name, given, error, field) => {
    expect(refusal(input(given))).toEqual([error, field]);
  });

  it('reports the refused fields of all nominees in the order of the contract', () => {
    const nominees = [
      { name: '', relationship: 'x', dob: '2999-01-01', share_percentage: 101, priority: 0 },
      input(),
      input({ dob: '2020-01-01', pan: 'x', guardian: { name: '1', relationship: 'x', dob: '2020-01-01' } }),
    ];
    expect(refusals(() => readNominees({ nominees }, TODAY))).toEqual([
      [NomineeErrors.nameInvalid, 'nominees.0.name'],
      [NomineeErrors.relationshipInvalid, 'nominees.0.relationship'],
      [NomineeErrors.birthDateInvalid, 'nominees.0.dob'],
      [NomineeErrors.sharesExceeded, 'nominees.0.share_percentage'],
      [GeneralErrors.fieldInvalid, 'nominees.0.priority'],
      [GeneralErrors.fieldInvalid, 'nominees.2.pan'],
      [NomineeErrors.guardianInvalid, 'nominees.2.guardian.name'],
      [NomineeErrors.guardianInvalid, 'nominees.2.guardian.relationship'],
      [NomineeErrors.guardianInvalid, 'nominees.2.guardian.dob'],
    ]);
  });

  it('accepts a guardian who turns 18 today, and one without a date', () => {
    expect(refusal(input({ ...minor, guardian: { ...GUARDIAN, dob: '2008-11-21' } }))).toEqual([]);
    expect(refusal(input({ ...minor, guardian: { ...GUARDIAN, dob: null } }))).toEqual([]);
  });

  describe('changing a nominee', () => {
    const before: Nominee = {
      id: '0198c0de-0000-7000-8000-000000000000',
      person: {
        ...read(input({ email: 'asha@example.com', pan: 'ABCDE1234F', ...minor, guardian: GUARDIAN })).person,
      },
      type: 'SIMULTANEOUS',
      share: 4_000,
      priority: null,
    };

    it('keeps absent fields', () => {
      const { person, placement } = read(input({ name: 'Asha Gupta' }), before);
      expect(person).toEqual({ ...before.person, name: 'Asha Gupta' });
      expect(placement).toMatchObject({ type: 'SIMULTANEOUS', share: 4_000, priority: null });
    });

    it('removes fields that are null', () => {
      const { person, placement } = read(input({ email: null, share_percentage: null }), before);
      expect(person).toEqual({ ...before.person, email: null });
      expect(placement.share).toBeNull();
    });

    it('removes the guardian of an adult', () => {
      expect(read(input({ dob: '1990-01-01' }), before).person.guardian).toBeNull();
    });

    it.each([
      ['the guardian while a minor', { guardian: null }, NomineeErrors.guardianMissing, 'guardian'],
      ['the name', { name: null }, NomineeErrors.nameInvalid, 'name'],
      ['the relationship', { relationship: '' }, NomineeErrors.relationshipInvalid, 'relationship'],
    ])('refuses to remove %s', (_name, given, error, field) => {
      expect(refusal(input(given), before)).toEqual([error, field]);
    });
  });

  it('reads or refuses any input', () => {
    const fields = [
      'name',
      'relationship',
      'dob',
      'email',
      'address',
      'share_percentage',
      'priority',
      'guardian',
    ];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 3 })), (given) => {
        const [error] = refusal(input(given));
        expect([
          undefined,
          NomineeErrors.nameInvalid,
          NomineeErrors.relationshipInvalid,
          NomineeErrors.birthDateInvalid,
          NomineeErrors.guardianMissing,
          NomineeErrors.guardianInvalid,
          NomineeErrors.sharesExceeded,
          GeneralErrors.fieldInvalid,
        ]).toContain(error);
      }),
    );
  });
});
