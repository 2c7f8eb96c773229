import { type Step, STEP_RULES, type StepEvent, type StepState, TRANSITIONS } from './journey.table.js';

/** What a client is told of a step. */
export type StepStatus = 'LOCKED' | 'DUE' | Exclude<StepState, 'NOT_STARTED'>;

/** What is remembered of the steps of one journey: those of the user and those of the issuer. */
export type StepStates = Partial<Readonly<Record<Step, { state: StepState; reason: string | null }>>>;

export interface JourneyStep {
  readonly step: Step;
  readonly status: StepStatus;
  readonly reason: string | null;
}

export interface Journey {
  readonly steps: readonly JourneyStep[];
  /** The first required step that is still to be done; null when none is. */
  readonly nextStep: Step | null;
  /** Of the required steps, 0 to 100. */
  readonly percentComplete: number;
}

/** What an event makes of a state. */
export function stateAfter(state: StepState, event: StepEvent): StepState {
  return TRANSITIONS[state][event];
}

const isOver = (state: StepState | undefined): boolean => state === 'DONE' || state === 'SKIPPED';

/** The required steps before one that are still open; empty: the step may be done now. */
export function openBefore(step: Step, order: readonly Step[], states: StepStates): Step[] {
  const before = order.slice(0, Math.max(0, order.indexOf(step)));
  return before.filter((other) => STEP_RULES[other].isRequired && !isOver(states[other]?.state));
}

/** The required steps that are still open, in their order. */
export function openSteps(order: readonly Step[], states: StepStates): Step[] {
  return order.filter((step) => STEP_RULES[step].isRequired && !isOver(states[step]?.state));
}

export function journeyOf(order: readonly Step[], states: StepStates): Journey {
  const open = openSteps(order, states);
  const required = order.filter((step) => STEP_RULES[step].isRequired);
  return {
    steps: order.map((step) => ({
      step,
      status: statusOf(step, order, states),
      reason: states[step]?.reason ?? null,
    })),
    nextStep: open[0] ?? null,
    percentComplete: Math.round((100 * (required.length - open.length)) / Math.max(1, required.length)),
  };
}

function statusOf(step: Step, order: readonly Step[], states: StepStates): StepStatus {
  const state = states[step]?.state ?? 'NOT_STARTED';
  if (state !== 'NOT_STARTED') return state;
  return openBefore(step, order, states).length > 0 ? 'LOCKED' : 'DUE';
}
