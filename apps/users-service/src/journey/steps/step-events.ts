import { LockerErrors } from '@fd/errors';
import type { EventType } from '../../events/index.js';
import type { Step, StepState } from './journey.table.js';

interface StateChange {
  readonly from: StepState;
  readonly to: StepState;
  readonly reason: string | null;
}

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
  // reviews have theirs where they begin and end: several accounts may share a step
  BANK: ({ to }) => [to === 'DONE' && 'bank.registered', to === 'FAILED' && 'bank.refused'],
};

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
