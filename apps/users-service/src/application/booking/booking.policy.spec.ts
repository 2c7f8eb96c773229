import { ConsentErrors, JourneyErrors, NomineeErrors, PanErrors } from '@fd/errors';
import { HINDI } from '@fd/testing';
import type { Step, StepState } from '../../journey/index.js';
import type { Guardian, Nominee } from '../nominees/nominee.js';
import { BOOKING_LAW } from './booking.law.js';
import { BOOKING_RULES, type BookingFacts, type BookingIssuer, findingsOf } from './booking.policy.js';
import { textsOf } from './booking.texts.js';

const STEPS: Step[] = ['LOGIN', 'HOME', 'FD_DETAIL', 'PAN', 'EKYC', 'NOMINEE'];
const TODAY = '2026-11-28';

const applicant = {
  fullName: 'ASHA VIJAY RAO',
  pan: 'ABCPR1234K',
  dateOfBirth: '1990-04-21',
  aadhaarSeedingStatus: 'LINKED',
} as const;

const states = (given: Partial<Record<Step, StepState>>) =>
  Object.fromEntries(Object.entries(given).map(([step, state]) => [step, { state, reason: null }]));
const DONE = { LOGIN: 'DONE', PAN: 'DONE', EKYC: 'DONE', NOMINEE: 'DONE' } as const;

const anIssuer = (
  more: Partial<BookingIssuer> = {},
  booking: Partial<BookingIssuer['booking']> = {},
): BookingIssuer => ({
  ...{ type: 'BANK', steps: STEPS, nominee_required: false },
  ...more,
  booking: { minor_applicant: 'BLOCK', inoperative_pan: 'WARN', fact_sheet: 'OPTIONAL', ...booking },
});

const nominee = (name: string, share = 10_000, person: Partial<Nominee['person']> = {}): Nominee => ({
  id: name,
  person: { name, dob: null, guardian: null, ...person } as Nominee['person'],
  type: 'SIMULTANEOUS',
  share,
  priority: null,
});
const minor = (guardian: Pick<Guardian, 'name' | 'dob'>, dob = '2012-05-05') =>
  nominee('Meera Rao', 10_000, { dob, guardian: { relationship: 'MOTHER', ...guardian } });

const check = (more: Partial<BookingFacts> = {}) =>
  findingsOf({
    issuer: anIssuer(),
    states: states(DONE),
    nominees: [nominee('Meera Rao')],
    applicant,
    hasSeenFactSheet: false,
    today: TODAY,
    ...more,
  });
const blockers = (more: Partial<BookingFacts> = {}) => check(more).blockers;
const STEP = (step: Step) => ({ code: JourneyErrors.stepMissing.code, step });
const NOMINEE = (code: string) => ({ code, step: 'NOMINEE' });

describe('textsOf', () => {
  const codes = [JourneyErrors.stepMissing.code, ...BOOKING_RULES.map(({ code }) => code)];
  it.each(codes)('has a text and a way out in Hindi: %s', (code) => {
    const { message, way_out: wayOut } = textsOf(code, 'hi');
    expect(message).toMatch(HINDI);
    expect(wayOut).toMatch(HINDI);
  });
});

describe('findingsOf', () => {
  it('returns nothing when every required step is done', () => {
    expect(check()).toEqual({ blockers: [], warnings: [] });
  });

  it('returns the required steps that are not done, in their order', () => {
    expect(blockers({ states: {}, nominees: [], applicant: undefined })).toEqual(
      ['LOGIN', 'PAN', 'EKYC', 'NOMINEE'].map((step) => STEP(step as Step)),
    );
    expect(blockers({ states: states({ ...DONE, PAN: 'FAILED', EKYC: 'IN_PROGRESS' }) })).toEqual([
      STEP('PAN'),
      STEP('EKYC'),
    ]);
  });

  it('returns a skipped nominee as a blocker if the issuer requires one', () => {
    const skipped = { states: states({ ...DONE, NOMINEE: 'SKIPPED' }), nominees: [] };
    expect(blockers(skipped)).toEqual([]);
    const issuer = anIssuer({ nominee_required: true });
    expect(blockers({ ...skipped, issuer })).toEqual([NOMINEE(NomineeErrors.required.code)]);
  });

  it('returns a missing nominee once', () => {
    const missing = { states: states({ ...DONE, NOMINEE: 'NOT_STARTED' }), nominees: [] };
    expect(blockers({ ...missing, issuer: anIssuer({ nominee_required: true }) })).toEqual([STEP('NOMINEE')]);
  });

  it('returns shares below 100 % as a blocker', () => {
    expect(blockers({ nominees: [nominee('Meera Rao', 6_000)] })).toEqual([
      NOMINEE(NomineeErrors.sharesIncomplete.code),
    ]);
    expect(blockers({ nominees: [nominee('Meera Rao', 6_000), nominee('Ravi Rao', 4_000)] })).toEqual([]);
  });

  it("returns any nominee with the applicant's name as a blocker, at every issuer", () => {
    const nominees = [nominee('Meera Rao', 5_000), nominee('Rao Asha Vijay', 5_000)];
    for (const type of ['BANK', 'NBFC'] as const)
      expect(blockers({ nominees, issuer: anIssuer({ type }) })).toEqual([
        NOMINEE(NomineeErrors.isApplicant.code),
      ]);
    expect(blockers({ nominees, applicant: undefined })).toEqual([]);
  });

  it('blocks by the guardian of a minor: without a date of birth, or with the name of the minor', () => {
    const adult = { name: 'Sita Rao', dob: '1985-01-01' };
    expect(blockers({ nominees: [minor(adult)] })).toEqual([]);
    expect(blockers({ nominees: [minor({ ...adult, dob: null })] })).toEqual([
      NOMINEE(NomineeErrors.guardianAgeUnknown.code),
    ]);
    expect(blockers({ nominees: [minor({ ...adult, name: 'Smt. Rao Meera' })] })).toEqual([
      NOMINEE(NomineeErrors.guardianIsNominee.code),
    ]);
    // who has come of age needs no guardian
    expect(blockers({ nominees: [minor({ ...adult, dob: null }, '2008-11-28')] })).toEqual([]);
  });

  it.each([
    ['BANK', '2026-11-28', 4, undefined, [], []],
    ['BANK', '2025-10-31', 2, undefined, [NomineeErrors.tooManyForIssuer.code], []],
    ['BANK', '2025-10-31', 2, 'WARN', [], [NomineeErrors.tooManyForIssuer.code]],
    ['NBFC', '2026-11-28', 1, undefined, [], []],
    ['NBFC', '2026-11-28', 2, undefined, [], [NomineeErrors.tooManyForIssuer.code]],
    ['NBFC', '2026-11-28', 2, 'BLOCK', [NomineeErrors.tooManyForIssuer.code], []],
  ] as const)(
    'applies the law of nomination of a %s on %s to %i nominees (setting: %s)',
    (type, today, count, setting, blocking, warning) => {
      const nominees = Array.from({ length: count }, (_, nth) => nominee(`Nominee ${nth}`, 10_000 / count));
      const found = check({
        ...{ today, nominees },
        issuer: anIssuer({ type }, setting && { excess_nominees: setting }),
      });
      expect(found).toEqual({ blockers: blocking.map(NOMINEE), warnings: warning.map(NOMINEE) });
    },
  );

  it.each([
    ['2008-11-28', 'BLOCK', false],
    ['2008-11-29', 'BLOCK', true],
    ['2008-11-29', 'WARN', true],
  ] as const)(
    'an applicant born on %s (setting: %s) is a minor today: %s',
    (dateOfBirth, effect, isMinor) => {
      const found = check({
        applicant: { ...applicant, dateOfBirth },
        issuer: anIssuer({}, { minor_applicant: effect }),
      });
      const finding = isMinor ? [{ code: PanErrors.applicantMinor.code, step: 'PAN' }] : [];
      expect(effect === 'BLOCK' ? found.blockers : found.warnings).toEqual(finding);
    },
  );

  it('blocks by the fourth letter of PANs that are not of persons, and by no other letter', () => {
    const letters = Array.from({ length: 26 }, (_, nth) => String.fromCharCode(65 + nth));
    const blocked = letters.filter((letter) => {
      const found = blockers({ applicant: { ...applicant, pan: `ABC${letter}R1234K` } });
      if (found.length > 0) expect(found).toEqual([{ code: PanErrors.notOfPerson.code, step: 'PAN' }]);
      return found.length > 0;
    });
    expect(blocked.join('')).toBe('ABCFGHJLT');
  });

  it.each(['WARN', 'BLOCK'] as const)('a PAN without an Aadhaar: %s, and not before the law', (effect) => {
    const facts = {
      applicant: { ...applicant, aadhaarSeedingStatus: 'NOT_LINKED' as const },
      issuer: anIssuer({}, { inoperative_pan: effect }),
    };
    const finding = [{ code: PanErrors.inoperative.code, step: 'PAN' }];
    expect(check(facts)).toEqual(
      effect === 'BLOCK' ? { blockers: finding, warnings: [] } : { blockers: [], warnings: finding },
    );
    expect(check({ ...facts, today: '2023-06-30' })).toEqual({ blockers: [], warnings: [] });
  });

  it.each([
    ['BY_LAW', '2026-12-31', false],
    ['BY_LAW', '2027-01-01', true],
    ['OPTIONAL', '2027-01-01', false],
    ['ALWAYS', '2026-11-28', true],
  ] as const)('a fact sheet %s on %s must have been shown: %s', (fact_sheet, today, isNeeded) => {
    const facts = { today, issuer: anIssuer({}, { fact_sheet }) };
    expect(blockers(facts)).toEqual(
      isNeeded ? [{ code: ConsentErrors.factSheetNotShown.code, step: 'FD_DETAIL' }] : [],
    );
    expect(blockers({ ...facts, hasSeenFactSheet: true })).toEqual([]);
  });
});

describe('BOOKING_LAW', () => {
  it.each(Object.entries(BOOKING_LAW))(
    'has rules of %s without gaps, each with its source',
    (_name, rules) => {
      for (const [nth, { law, section, source, to }] of rules.entries()) {
        expect([law, section, source]).not.toContain('');
        const next = (rules as readonly { readonly from: string }[])[nth + 1];
        if (next) expect(Date.parse(next.from) - Date.parse(to!)).toBe(86_400_000);
        else expect(to).toBeNull();
      }
    },
  );
});
