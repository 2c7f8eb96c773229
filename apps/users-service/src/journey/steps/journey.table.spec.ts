import { NomineeErrors, PanErrors } from '@fd/errors';
import fc from 'fast-check';
import {
  journeyOf,
  openBefore,
  openSteps,
  statesAfter,
  type Step,
  STEP_EVENTS,
  STEP_RULES,
  STEP_STATES,
  type StepState,
  type StepStates,
  STEPS,
} from './journey.table.js';

const ORDER: readonly Step[] = ['LOGIN', 'HOME', 'FD_DETAIL', 'PAN', 'EKYC', 'EMAIL', 'BANK', 'NOMINEE'];
const ISSUER = { steps: ORDER, nominee_required: false };
const REQUIRED = ORDER.filter((step) => STEP_RULES[step].isRequired);

const states = (given: Partial<Record<Step, StepState>>): StepStates =>
  Object.fromEntries(Object.entries(given).map(([step, state]) => [step, { state, reason: null }]));

describe('the states of a step', () => {
  it.each([
    ['NOT_STARTED', ['IN_PROGRESS', 'DONE', 'SKIPPED', 'FAILED', 'NOT_STARTED']],
    ['IN_PROGRESS', ['IN_PROGRESS', 'DONE', 'SKIPPED', 'FAILED', 'NOT_STARTED']],
    ['FAILED', ['IN_PROGRESS', 'DONE', 'SKIPPED', 'FAILED', 'NOT_STARTED']],
    ['DONE', ['DONE', 'DONE', 'DONE', 'DONE', 'NOT_STARTED']],
    ['SKIPPED', ['IN_PROGRESS', 'DONE', 'SKIPPED', 'SKIPPED', 'NOT_STARTED']],
  ] as const)('leads from %s by each event to %j', (from, to) => {
    expect(STEP_EVENTS.map((event) => statesAfter(event)[from])).toEqual(to);
  });

  it('reaches every state from the first one', () => {
    const reached = new Set<StepState>(['NOT_STARTED']);
    for (const state of reached) for (const event of STEP_EVENTS) reached.add(statesAfter(event)[state]);
    expect([...reached].sort()).toEqual([...STEP_STATES].sort());
  });

  it('ignores a repeated event', () => {
    for (const state of STEP_STATES) {
      for (const event of STEP_EVENTS) {
        const once = statesAfter(event)[state];
        expect(statesAfter(event)[once]).toBe(once);
      }
    }
  });
});

describe('a journey', () => {
  const anyStates = fc
    .dictionary(fc.constantFrom(...ORDER), fc.constantFrom(...STEP_STATES))
    .map((given) => states(given));

  it('opens a skipped nomination again for an issuer that requires a nominee', () => {
    const all = states({ ...Object.fromEntries(ORDER.map((step) => [step, 'DONE'])), NOMINEE: 'SKIPPED' });
    expect(journeyOf(ISSUER, all).nextStep).toBeNull();
    const { steps, nextStep, percentComplete } = journeyOf({ ...ISSUER, nominee_required: true }, all);
    expect(steps.at(-1)).toEqual({ step: 'NOMINEE', status: 'DUE', reason: NomineeErrors.required.code });
    expect(nextStep).toBe('NOMINEE');
    expect(percentComplete).toBeLessThan(100);
  });

  it('makes the steps without prerequisites due first', () => {
    const { steps, nextStep, percentComplete } = journeyOf(ISSUER, {});
    expect(steps.map(({ status }) => status)).toEqual([
      'DUE',
      'LOCKED',
      'LOCKED',
      'LOCKED',
      'LOCKED',
      'LOCKED',
      'LOCKED',
      'LOCKED',
    ]);
    expect([nextStep, percentComplete]).toEqual(['LOGIN', 0]);
  });

  it('returns no next step once every required step is done or skipped', () => {
    const all = states({
      ...Object.fromEntries(REQUIRED.map((step) => [step, 'DONE'])),
      EKYC: 'SKIPPED',
    });
    expect(journeyOf(ISSUER, all)).toMatchObject({ nextStep: null, percentComplete: 100 });
    expect(openSteps(ORDER, all)).toEqual([]);
    const stillShown = journeyOf(ISSUER, all).steps.filter(
      ({ status }) => !['DONE', 'SKIPPED'].includes(status),
    );
    expect(stillShown).toEqual([]);
  });

  it('does not let later steps wait for an informational one', () => {
    const { steps } = journeyOf(ISSUER, states({ LOGIN: 'DONE' }));
    expect(Object.fromEntries(steps.map(({ step, status }) => [step, status]))).toMatchObject({
      HOME: 'DUE',
      FD_DETAIL: 'DUE',
      PAN: 'DUE',
      EKYC: 'LOCKED',
    });
  });

  it.each<[string, Partial<Record<Step, StepState>>, string, string]>([
    ['nothing after it is done', { LOGIN: 'DONE' }, 'DUE', 'DUE'],
    ['a later step has begun', { LOGIN: 'DONE', PAN: 'IN_PROGRESS' }, 'DUE', 'DUE'],
    ['a later step that informs is done', { LOGIN: 'DONE', FD_DETAIL: 'DONE' }, 'SKIPPED', 'DONE'],
    ['a later step is done', { LOGIN: 'DONE', PAN: 'DONE' }, 'SKIPPED', 'SKIPPED'],
    ['a later step is skipped', { LOGIN: 'DONE', EKYC: 'SKIPPED' }, 'SKIPPED', 'SKIPPED'],
    ['it was done itself', { LOGIN: 'DONE', HOME: 'DONE', PAN: 'DONE' }, 'DONE', 'SKIPPED'],
  ])('shows steps that only inform, HOME and FD_DETAIL, when %s', (_when, given, home, detail) => {
    const { steps } = journeyOf(ISSUER, states(given));
    const statusOf = (name: Step) => steps.find(({ step }) => step === name)?.status;
    expect([statusOf('HOME'), statusOf('FD_DETAIL')]).toEqual([home, detail]);
  });

  it('returns the reason of a failed step', () => {
    const failed: StepStates = { PAN: { state: 'FAILED', reason: PanErrors.notFound.code } };
    expect(journeyOf({ ...ISSUER, steps: ['PAN'] }, failed).steps).toEqual([
      { step: 'PAN', status: 'FAILED', reason: PanErrors.notFound.code },
    ]);
  });

  it('allows only the eKYC to a user whose PAN belongs to another user', () => {
    const given: StepStates = {
      ...states({ LOGIN: 'DONE' }),
      PAN: { state: 'FAILED', reason: PanErrors.belongsToAnotherUser.code },
    };
    expect(openBefore('EKYC', ORDER, given)).toEqual([]);
    expect(openBefore('EMAIL', ORDER, given)).toEqual(['PAN', 'EKYC']);
    expect(journeyOf(ISSUER, given)).toMatchObject({ nextStep: 'PAN' });
    const refused: StepStates = { ...given, PAN: { state: 'FAILED', reason: PanErrors.notFound.code } };
    expect(openBefore('EKYC', ORDER, refused)).toEqual(['PAN']);
  });

  it('computes consistent statuses for any stored states', () => {
    fc.assert(
      fc.property(anyStates, (given) => {
        const { steps, nextStep, percentComplete } = journeyOf(ISSUER, given);
        const open = openSteps(ORDER, given);
        expect(nextStep).toBe(open[0] ?? null);
        expect(percentComplete === 100).toBe(open.length === 0);
        for (const { step, status } of steps) {
          const isUntouched = (given[step]?.state ?? 'NOT_STARTED') === 'NOT_STARTED';
          const mayBeSkipped = !STEP_RULES[step].isRequired && status === 'SKIPPED';
          expect(status === 'LOCKED' || status === 'DUE' || mayBeSkipped).toBe(isUntouched || mayBeSkipped);
          if (isUntouched && !mayBeSkipped)
            expect(status === 'LOCKED').toBe(openBefore(step, ORDER, given).length > 0);
        }
      }),
    );
  });

  it('names a call for every step, and no method and path twice', () => {
    const calls = STEPS.map((step) => `${STEP_RULES[step].api.method} ${STEP_RULES[step].api.path}`);
    expect(new Set(calls).size).toBe(STEPS.length);
  });
});
