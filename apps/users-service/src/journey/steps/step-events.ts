import { LockerErrors } from '@fd/errors';
import type { EventType } from '../../events/index.js';
import type { Step, StepState } from './journey.table.js';

/** A change of a step: its state, its reason, or both. */
interface StateChange {
  readonly from: StepState;
  readonly formerReason: string | null;
  readonly to: StepState;
  readonly reason: string | null;
}

/** Reason of the step BANK while a person decides about the names. */
const IN_REVIEW = 'BANK_NAME_IN_REVIEW';

/** Reasons of the step EKYC if the time to complete it is over. */
const EXPIRED: readonly (string | null)[] = ['EKYC_EXPIRED', LockerErrors.sessionExpired.code];

const isOver = (state: StepState): boolean => state === 'DONE' || state === 'SKIPPED';

/** Outcomes of steps that have events of their own. */
const OWN_EVENTS: Readonly<Partial<Record<Step, (change: StateChange) => readonly (EventType | false)[]>>> = {
  PAN: ({ from, to }) => [
    to === 'DONE' && 'pan.verified',
    to === 'FAILED' && 'pan.refused',
    from === 'DONE' && to !== 'DONE' && 'pan.released',
  ],
  EKYC: ({ to, reason }) => [
    to === 'DONE' && 'ekyc.verified',
    to === 'FAILED' && (EXPIRED.includes(reason) ? 'ekyc.expired' : 'ekyc.failed'),
  ],
  BANK: ({ to, formerReason, reason }) => [
    formerReason !== IN_REVIEW && reason === IN_REVIEW && 'bank.review_started',
    to === 'DONE' && 'bank.registered',
    to === 'FAILED' && 'bank.refused',
  ],
};

/** The events of a change, in their order. */
export function eventsOf(step: Step, change: StateChange): EventType[] {
  const { from, to } = change;
  const types: readonly (EventType | false)[] = [
    ...(OWN_EVENTS[step]?.(change) ?? []),
    isOver(to) && !isOver(from) && 'journey.step.completed',
    to === 'FAILED' && 'journey.step.failed',
    isOver(from) && !isOver(to) && 'journey.step.reopened',
  ];
  return types.filter((type) => type !== false);
}
