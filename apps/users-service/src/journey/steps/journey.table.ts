import type { AuditAction } from '../../core/index.js';
import { JOURNEY_STEPS, type JourneyStepName } from '@fd/contracts';

/** Every step that an issuer's journey may have. Which of them it has, and in which order, is in `issuers/`. */
export const STEPS = JOURNEY_STEPS;
export type Step = JourneyStepName;

/** What is remembered of a step. Whether a step that is not begun is LOCKED or DUE follows from the others. */
export const STEP_STATES = ['NOT_STARTED', 'IN_PROGRESS', 'DONE', 'SKIPPED', 'FAILED'] as const;
export type StepState = (typeof STEP_STATES)[number];

export const STEP_EVENTS = ['STARTED', 'COMPLETED', 'SKIPPED', 'FAILED', 'RESET'] as const;
export type StepEvent = (typeof STEP_EVENTS)[number];

/**
 * The whole life of a step: what each event makes of each state. What is done stays done until it is taken back:
 * a second try that fails does not undo the first that succeeded.
 */
export const TRANSITIONS: Readonly<Record<StepState, Readonly<Record<StepEvent, StepState>>>> = {
  NOT_STARTED: {
    STARTED: 'IN_PROGRESS',
    COMPLETED: 'DONE',
    SKIPPED: 'SKIPPED',
    FAILED: 'FAILED',
    RESET: 'NOT_STARTED',
  },
  IN_PROGRESS: {
    STARTED: 'IN_PROGRESS',
    COMPLETED: 'DONE',
    SKIPPED: 'SKIPPED',
    FAILED: 'FAILED',
    RESET: 'NOT_STARTED',
  },
  FAILED: {
    STARTED: 'IN_PROGRESS',
    COMPLETED: 'DONE',
    SKIPPED: 'SKIPPED',
    FAILED: 'FAILED',
    RESET: 'NOT_STARTED',
  },
  DONE: { STARTED: 'DONE', COMPLETED: 'DONE', SKIPPED: 'DONE', FAILED: 'DONE', RESET: 'NOT_STARTED' },
  SKIPPED: {
    STARTED: 'IN_PROGRESS',
    COMPLETED: 'DONE',
    SKIPPED: 'SKIPPED',
    FAILED: 'FAILED',
    RESET: 'NOT_STARTED',
  },
};

export interface StepCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

export interface StepRule {
  /** Whether the step is done once for a user, or once for each issuer. */
  readonly scope: 'user' | 'issuer';
  /** Whether later steps wait for it. What only informs does not hold anybody up. */
  readonly isRequired: boolean;
  /** The call that does it. */
  readonly api: StepCall;
  /** The call that goes on with it once it has begun, where that is another one. */
  readonly apiInProgress?: StepCall;
}

export const STEP_RULES: Readonly<Record<Step, StepRule>> = {
  LOGIN: {
    scope: 'user',
    isRequired: true,
    api: { method: 'POST', path: '/auth/api/v2/register/verify' },
  },
  HOME: { scope: 'user', isRequired: false, api: { method: 'GET', path: '/api/v1/user-profile' } },
  FD_DETAIL: {
    scope: 'issuer',
    isRequired: false,
    api: { method: 'POST', path: '/api/v1/insights-tracking' },
  },
  LEAD: {
    scope: 'issuer',
    isRequired: true,
    api: { method: 'POST', path: '/issuer-apis/{issuer_slug}/v1/lead' },
  },
  KYC_CONTEXT: {
    scope: 'issuer',
    isRequired: true,
    api: { method: 'POST', path: '/issuer-apis/{issuer_slug}/v1/kyc-context' },
  },
  PAN: { scope: 'user', isRequired: true, api: { method: 'POST', path: '/api/v1/pan-verification' } },
  EKYC: {
    scope: 'issuer',
    isRequired: true,
    api: { method: 'POST', path: '/issuer-apis/{issuer_slug}/v3/check-status' },
  },
  EMAIL: {
    scope: 'user',
    isRequired: true,
    api: { method: 'POST', path: '/api/v1/email/send-otp' },
    apiInProgress: { method: 'POST', path: '/api/v1/email/verify-otp' },
  },
  PERSONAL_DETAILS: {
    scope: 'issuer',
    isRequired: true,
    api: { method: 'POST', path: '/api/v1/personal-details' },
  },
  BANK: {
    scope: 'issuer',
    isRequired: true,
    api: { method: 'POST', path: '/api/v1/bank/sync-to-issuer' },
  },
  NOMINEE: { scope: 'user', isRequired: true, api: { method: 'POST', path: '/api/v1/user-nominee' } },
};

/**
 * The action that the audit trail records with an event of a step, beside the calls. A missing event concerns no data of a
 * person, or the feature or the call records it.
 */
export const STEP_ACTIONS: Readonly<
  Partial<Record<Step, Readonly<Partial<Record<StepEvent, AuditAction>>>>>
> = {
  LOGIN: { COMPLETED: 'LOGGED_IN' },
  LEAD: { COMPLETED: 'LEAD_OPENED' },
  KYC_CONTEXT: { COMPLETED: 'KYC_CONTEXT_READ' },
  PAN: { STARTED: 'PAN_SENT_TO_REGISTRY', COMPLETED: 'PAN_VERIFIED' },
  EKYC: {
    STARTED: 'EKYC_STARTED',
    COMPLETED: 'EKYC_VERIFIED',
    FAILED: 'EKYC_VERIFIED',
    SKIPPED: 'EKYC_SPARED',
  },
  EMAIL: { COMPLETED: 'EMAIL_VERIFIED' },
  BANK: { COMPLETED: 'BANK_ACCOUNT_REGISTERED', FAILED: 'BANK_ACCOUNT_REGISTERED' },
  NOMINEE: { COMPLETED: 'NOMINATION_MADE', SKIPPED: 'NOMINATION_MADE' },
};
