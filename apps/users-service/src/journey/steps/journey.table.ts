import { NomineeErrors, PanErrors } from '@fd/errors';
import type { Issuer } from '../../config/index.js';
import type { AuditAction } from '../../core/index.js';
import { type InsightEventName, JOURNEY_STEPS, type JourneyStepName } from '@fd/contracts';

/** All steps that an issuer's journey may have; `issuers/` lists and orders those of each issuer. */
export const STEPS = JOURNEY_STEPS;
export type Step = JourneyStepName;

/** Stored states of a step. Whether a step that has not started is LOCKED or DUE follows from the other steps. */
export const STEP_STATES = ['NOT_STARTED', 'IN_PROGRESS', 'DONE', 'SKIPPED', 'FAILED'] as const;
export type StepState = (typeof STEP_STATES)[number];

export const STEP_EVENTS = ['STARTED', 'COMPLETED', 'SKIPPED', 'FAILED', 'RESET'] as const;
export type StepEvent = (typeof STEP_EVENTS)[number];

const BEFORE_DONE = {
  STARTED: 'IN_PROGRESS',
  COMPLETED: 'DONE',
  SKIPPED: 'SKIPPED',
  FAILED: 'FAILED',
  RESET: 'NOT_STARTED',
} as const;

/**
 * The state machine of a step: the next state for each state and event. A done step remains done until a reset: a failed
 * second try does not undo a successful first one, nor what made a step unnecessary.
 */
export const TRANSITIONS: Readonly<Record<StepState, Readonly<Record<StepEvent, StepState>>>> = {
  NOT_STARTED: BEFORE_DONE,
  IN_PROGRESS: BEFORE_DONE,
  FAILED: BEFORE_DONE,
  SKIPPED: { ...BEFORE_DONE, FAILED: 'SKIPPED' },
  DONE: { STARTED: 'DONE', COMPLETED: 'DONE', SKIPPED: 'DONE', FAILED: 'DONE', RESET: 'NOT_STARTED' },
};

interface StepCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

interface StepRule {
  /** Whether the step is done once for a user, or once for each issuer. */
  readonly scope: 'user' | 'issuer';
  /** Whether later steps wait for this one. Any other step never blocks, and counts as skipped once a later one is done. */
  readonly isRequired: boolean;
  readonly api: StepCall;
  /** The call that continues a started step, if it differs. */
  readonly apiInProgress?: StepCall;
  /** The reported events that complete the step, if its call accepts any event. */
  readonly doneByEvents?: readonly InsightEventName[];
}

/** Events which show that a user has looked at a deposit of an issuer. */
export const DEPOSIT_SEEN: readonly InsightEventName[] = ['FD_SELECTED', 'FD_DETAIL_VIEWED'];

const get = (path: string): StepCall => ({ method: 'GET', path });
const post = (path: string): StepCall => ({ method: 'POST', path });
const required = (scope: StepRule['scope'], api: StepCall): StepRule => ({ scope, isRequired: true, api });
const informing = (scope: StepRule['scope'], api: StepCall): StepRule => ({ scope, isRequired: false, api });

export const STEP_RULES: Readonly<Record<Step, StepRule>> = {
  LOGIN: required('user', post('/auth/api/v2/register/verify')),
  HOME: informing('user', get('/api/v1/user-profile')),
  FD_DETAIL: { ...informing('issuer', post('/api/v1/insights-tracking')), doneByEvents: DEPOSIT_SEEN },
  LEAD: required('issuer', post('/issuer-apis/{issuer_slug}/v1/lead')),
  KYC_CONTEXT: required('issuer', post('/issuer-apis/{issuer_slug}/v1/kyc-context')),
  PAN: required('user', post('/api/v1/pan-verification')),
  EKYC: required('issuer', post('/issuer-apis/{issuer_slug}/v3/check-status')),
  EMAIL: {
    ...required('user', post('/api/v1/email/send-otp')),
    apiInProgress: post('/api/v1/email/verify-otp'),
  },
  PERSONAL_DETAILS: required('issuer', post('/api/v1/personal-details')),
  BANK: required('issuer', post('/api/v1/bank/sync-to-issuer')),
  NOMINEE: required('user', post('/api/v1/user-nominee')),
};

/**
 * The audit action that is recorded with an event of a step. An event without one concerns no personal data, or the
 * feature or the call records it.
 */
export const STEP_ACTIONS: Readonly<
  Partial<Record<Step, Readonly<Partial<Record<StepEvent, AuditAction>>>>>
> = {
  LOGIN: { COMPLETED: 'LOGGED_IN' },
  LEAD: { COMPLETED: 'LEAD_OPENED' },
  PAN: { STARTED: 'PAN_SENT_TO_REGISTRY', COMPLETED: 'PAN_VERIFIED' },
  EKYC: {
    STARTED: 'EKYC_STARTED',
    COMPLETED: 'EKYC_VERIFIED',
    FAILED: 'EKYC_VERIFIED',
    SKIPPED: 'EKYC_SPARED',
  },
  EMAIL: { COMPLETED: 'EMAIL_VERIFIED', RESET: 'EMAIL_MOVED' },
  BANK: { COMPLETED: 'BANK_ACCOUNT_REGISTERED', FAILED: 'BANK_ACCOUNT_REGISTERED' },
  NOMINEE: { COMPLETED: 'NOMINATION_MADE', SKIPPED: 'NOMINATION_MADE' },
};

/** Status of a step for clients. */
type StepStatus = 'LOCKED' | 'DUE' | Exclude<StepState, 'NOT_STARTED'>;

/** Stored states of one journey: steps of the user and of the issuer. */
export type StepStates = Partial<Readonly<Record<Step, { state: StepState; reason: string | null }>>>;

/** What decides about the journey of an issuer. */
type JourneyIssuer = Pick<Issuer, 'nominee_required'> & { readonly steps: readonly Step[] };

export interface JourneyStep {
  readonly step: Step;
  readonly status: StepStatus;
  readonly reason: string | null;
}

export interface Journey {
  readonly steps: readonly JourneyStep[];
  /** The first required step that is still open; null if none is. */
  readonly nextStep: Step | null;
  /** Completed required steps in percent, 0 to 100. */
  readonly percentComplete: number;
}

export function statesAfter(event: StepEvent): Readonly<Record<StepState, StepState>> {
  const after = STEP_STATES.map((state) => [state, TRANSITIONS[state][event]]);
  return Object.fromEntries(after) as Record<StepState, StepState>;
}

const NOMINEE_REQUIRED = { state: 'NOT_STARTED', reason: NomineeErrors.required.code } as const;

const isOver = (state: StepState | undefined): boolean => state === 'DONE' || state === 'SKIPPED';

/** Returns the required steps that are still open, in their order. */
export function openSteps(order: readonly Step[], states: StepStates): Step[] {
  return order.filter((step) => STEP_RULES[step].isRequired && !isOver(states[step]?.state));
}

/** Returns the open required steps before STEP; empty: STEP may be done now. */
export function openBefore(step: Step, order: readonly Step[], states: StepStates): Step[] {
  const open = openSteps(order.slice(0, Math.max(0, order.indexOf(step))), states);
  const { state, reason } = states.PAN ?? {};
  const isContested = state === 'FAILED' && reason === PanErrors.belongsToAnotherUser.code;
  // the eKYC decides which of two claimants owns a PAN
  return step === 'EKYC' && isContested ? open.filter((before) => before !== 'PAN') : open;
}

/**
 * Returns the order up to STEP for a user without an issuer: the steps that precede it at every issuer that has it. So a
 * call that names no issuer opens no step early.
 */
export function commonOrder(step: Step, orders: readonly (readonly Step[])[]): Step[] {
  const earlier = orders
    .filter((order) => order.includes(step))
    .map((order) => order.slice(0, order.indexOf(step)));
  return [
    ...STEPS.filter((before) => earlier.length > 0 && earlier.every((steps) => steps.includes(before))),
    step,
  ];
}

export function journeyOf(
  { steps: order, nominee_required: isNomineeRequired }: JourneyIssuer,
  given: StepStates,
): Journey {
  // skipped for another issuer
  const isNomineeMissing = isNomineeRequired && given.NOMINEE?.state === 'SKIPPED';
  const states = isNomineeMissing ? { ...given, NOMINEE: NOMINEE_REQUIRED } : given;
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
  const later = order.slice(order.indexOf(step) + 1);
  if (!STEP_RULES[step].isRequired && later.some((other) => isOver(states[other]?.state))) return 'SKIPPED';
  return openBefore(step, order, states).length > 0 ? 'LOCKED' : 'DUE';
}
