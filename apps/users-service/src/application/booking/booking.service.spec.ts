import { JourneyErrors, NomineeErrors } from '@fd/errors';
import type { PanIdentity } from '../../kyc/index.js';
import type { Step, StepState } from '../../journey/index.js';
import type { Nominee } from '../nominees/nominee.js';
import { blockersOf } from './booking.service.js';

const STEPS: Step[] = ['LOGIN', 'HOME', 'FD_DETAIL', 'PAN', 'EKYC', 'NOMINEE'];
const applicant = { fullName: 'ASHA VIJAY RAO' } as PanIdentity;

const states = (given: Partial<Record<Step, StepState>>) =>
  Object.fromEntries(Object.entries(given).map(([step, state]) => [step, { state, reason: null }]));
const DONE = { LOGIN: 'DONE', PAN: 'DONE', EKYC: 'DONE', NOMINEE: 'DONE' } as const;

const nominee = (name: string, share = 10_000): Nominee => ({
  id: name,
  person: { name } as Nominee['person'],
  type: 'SIMULTANEOUS',
  share,
  priority: null,
});

const blockers = (more: Partial<Parameters<typeof blockersOf>[0]>, isRequired = false) =>
  blockersOf({
    issuer: { steps: STEPS, nominee_required: isRequired },
    states: states(DONE),
    nominees: [nominee('Meera Rao')],
    applicant,
    ...more,
  });
const STEP = (step: Step) => ({ code: JourneyErrors.stepMissing.code, step });
const NOMINEE = (code: string) => ({ code, step: 'NOMINEE' });

describe('blockersOf', () => {
  it('returns no blocker when every required step is done', () => {
    expect(blockers({})).toEqual([]);
  });

  it('returns the required steps that are not done, in their order', () => {
    expect(blockers({ states: {}, nominees: [] })).toEqual(
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
    expect(blockers(skipped, true)).toEqual([NOMINEE(NomineeErrors.required.code)]);
  });

  it('returns a missing nominee once', () => {
    const missing = { states: states({ ...DONE, NOMINEE: 'NOT_STARTED' }), nominees: [] };
    expect(blockers(missing, true)).toEqual([STEP('NOMINEE')]);
  });

  it('returns shares below 100 % as a blocker', () => {
    expect(blockers({ nominees: [nominee('Meera Rao', 6_000)] })).toEqual([
      NOMINEE(NomineeErrors.sharesIncomplete.code),
    ]);
    expect(blockers({ nominees: [nominee('Meera Rao', 6_000), nominee('Ravi Rao', 4_000)] })).toEqual([]);
  });

  it("returns any nominee with the applicant's name as a blocker, at every issuer", () => {
    const nominees = [nominee('Meera Rao', 5_000), nominee('Rao Asha Vijay', 5_000)];
    expect(blockers({ nominees })).toEqual([NOMINEE(NomineeErrors.isApplicant.code)]);
    expect(blockers({ nominees }, true)).toEqual([NOMINEE(NomineeErrors.isApplicant.code)]);
    expect(blockers({ nominees, applicant: undefined })).toEqual([]);
  });
});
