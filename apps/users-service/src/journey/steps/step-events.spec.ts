import { BankErrors, LockerErrors, PanErrors } from '@fd/errors';
import type { Step, StepState } from './journey.table.js';
import { eventsOf } from './step-events.js';

describe('the events of a change of a step', () => {
  it.each<[step: Step, from: StepState, to: StepState, events: string, reason?: string | null]>([
    ['EMAIL', 'NOT_STARTED', 'IN_PROGRESS', ''],
    ['EMAIL', 'IN_PROGRESS', 'DONE', 'journey.step.completed'],
    ['NOMINEE', 'NOT_STARTED', 'SKIPPED', 'journey.step.completed'],
    ['NOMINEE', 'SKIPPED', 'DONE', ''],
    ['NOMINEE', 'DONE', 'NOT_STARTED', 'journey.step.reopened'],
    ['LEAD', 'NOT_STARTED', 'FAILED', 'journey.step.failed'],
    // the reason has changed
    ['LEAD', 'FAILED', 'FAILED', 'journey.step.failed'],
    ['LEAD', 'FAILED', 'IN_PROGRESS', ''],
    ['PAN', 'IN_PROGRESS', 'DONE', 'pan.verified journey.step.completed'],
    ['PAN', 'IN_PROGRESS', 'FAILED', 'pan.refused journey.step.failed', PanErrors.notFound.code],
    ['PAN', 'DONE', 'NOT_STARTED', 'pan.released journey.step.reopened', 'PAN_RELEASED'],
    ['EKYC', 'IN_PROGRESS', 'DONE', 'ekyc.verified journey.step.completed'],
    ['EKYC', 'IN_PROGRESS', 'FAILED', 'ekyc.failed journey.step.failed', 'EKYC_FAILED'],
    ['EKYC', 'IN_PROGRESS', 'FAILED', 'ekyc.expired journey.step.failed', 'EKYC_EXPIRED'],
    [
      ...(['EKYC', 'IN_PROGRESS', 'FAILED', 'ekyc.expired journey.step.failed'] as const),
      LockerErrors.sessionExpired.code,
    ],
    // the issuer has the KYC already
    ['EKYC', 'NOT_STARTED', 'SKIPPED', 'journey.step.completed'],
    ['EKYC', 'DONE', 'NOT_STARTED', 'journey.step.reopened'],
    // reviews have their events where they begin and end
    ['BANK', 'IN_PROGRESS', 'IN_PROGRESS', '', 'BANK_NAME_IN_REVIEW'],
    ['BANK', 'IN_PROGRESS', 'DONE', 'bank.registered journey.step.completed'],
    [
      ...(['BANK', 'IN_PROGRESS', 'FAILED', 'bank.refused journey.step.failed'] as const),
      BankErrors.holderDiffers.code,
    ],
    ['BANK', 'DONE', 'NOT_STARTED', 'journey.step.reopened'],
  ])('%s from %s to %s: %s', (step, from, to, events, reason = null) => {
    expect(eventsOf(step, { from, to, reason }).join(' ')).toBe(events);
  });
});
