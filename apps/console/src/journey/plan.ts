import { bodySchemaOf, type OpenApi } from '../forms/open-api.js';
import type { Facts } from './facts.js';
import {
  type BookingCheck,
  type Call,
  firstOpen,
  isOpen,
  type Journey,
  type JourneyStep,
} from './journey.js';

/** Titles of steps. A step without a title is shown by its name. */
export const STEP_TEXTS: Readonly<Record<string, { readonly title: string; readonly what: string }>> = {
  LOGIN: { title: 'Log in', what: 'A one-time code verifies the phone.' },
  HOME: {
    title: 'Home',
    what: 'Shows the known data of the person. Informational: later steps do not wait for it.',
  },
  FD_DETAIL: { title: 'Choose a deposit', what: 'Reports the chosen deposit. Informational.' },
  LEAD: { title: 'Open a lead', what: 'This issuer requires a lead first.' },
  KYC_CONTEXT: { title: 'KYC context', what: 'Documents and declarations that the issuer requires.' },
  PAN: { title: 'Verify the PAN', what: 'The PAN registry confirms the identity.' },
  EKYC: { title: 'eKYC', what: 'By the method of the issuer.' },
  EMAIL: { title: 'Verify the email', what: 'A code by mail verifies the address.' },
  PERSONAL_DETAILS: { title: 'Personal details', what: 'The fields that this issuer requires.' },
  BANK: { title: 'Link a bank account', what: 'Verified at the bank, then registered at the issuer.' },
  NOMINEE: { title: 'Name a nominee', what: 'Receives the deposit after the death of the person.' },
};

export const stepTitle = (step: string): string => STEP_TEXTS[step]?.title ?? step;

/** Whether the journey has the step; before the login, whether the journey of any issuer may have it. */
export const isStepOf = (journey: Journey | undefined, step: string): boolean =>
  journey ? journey.steps.some((listed) => listed.step === step) : Object.hasOwn(STEP_TEXTS, step);

/** Further calls of a step beside the journey's. Names in braces are parameters. */
interface FurtherCall {
  readonly key: string;
  readonly step: string;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** Its purpose, if it differs from that of its step. */
  readonly what?: string;
  /** Only for issuers with this eKYC method. */
  readonly ekycMethod?: string;
  /** Whether the call is possible yet. */
  readonly isPossible?: (facts: Facts) => boolean;
}

const FURTHER_CALLS: readonly FurtherCall[] = [
  { key: 'register', step: 'LOGIN', title: 'Send a code', method: 'POST', path: '/auth/register' },
  {
    ...{ key: 'check-etb', step: 'PAN', title: 'Check for an existing customer' },
    ...{ method: 'POST', path: '/issuer-apis/{issuer_slug}/v2/check-etb' },
    what: 'The issuer says whether it knows the person: a customer with complete KYC needs no eKYC.',
  },
  {
    ...{ key: 'pan-look', step: 'PAN', title: 'PAN status' },
    ...{ method: 'GET', path: '/api/v1/pan-verification/{pan_verification_id}' },
    isPossible: ({ isPanPending }) => isPanPending,
  },
  {
    key: 'email-send',
    step: 'EMAIL',
    title: 'Send a new code',
    method: 'POST',
    path: '/api/v1/email/send-otp',
  },
  {
    ...{ key: 'aadhaar-send', step: 'EKYC', title: 'Send an Aadhaar code', ekycMethod: 'AADHAAR_OTP' },
    ...{ method: 'POST', path: '/issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/send-otp' },
  },
  {
    ...{ key: 'aadhaar-verify', step: 'EKYC', title: 'Verify the Aadhaar code', ekycMethod: 'AADHAAR_OTP' },
    ...{ method: 'POST', path: '/issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/verify-otp' },
    isPossible: ({ ekyc }) => ekyc?.stage === 'code-sent',
  },
  {
    ...{ key: 'locker-open', step: 'EKYC', title: 'Open the document locker', ekycMethod: 'DIGILOCKER' },
    ...{ method: 'POST', path: '/issuer-apis/{issuer_slug}/v1/document-locker/session' },
  },
  {
    ...{ key: 'locker-look', step: 'EKYC', title: 'Locker status', ekycMethod: 'DIGILOCKER' },
    ...{ method: 'GET', path: '/issuer-apis/{issuer_slug}/v1/document-locker/session/{session_id}' },
    isPossible: ({ lockerSessionId }) => lockerSessionId !== '',
  },
  {
    ...{ key: 'bank-look', step: 'BANK', title: 'Bank account status' },
    ...{ method: 'GET', path: '/api/v1/bank/verification/{verification_id}' },
    isPossible: ({ verificationId }) => verificationId !== '',
  },
];

export interface Surroundings {
  readonly slug: string;
  readonly facts: Facts;
  readonly document: OpenApi | undefined;
}

/** Before the login the journey is unknown: it begins with the login. */
const LOGIN_CALL = { method: 'POST', path: '/auth/api/v2/register/verify' };

const MAIN_TITLES: Readonly<Record<string, string>> = {
  LOGIN: 'Log in with the code',
  EKYC: 'eKYC status',
};

/** The call that the journey names for a step; before the login there is only the login's. */
function mainCall(step: string, journey: Journey | undefined, { document }: Surroundings): Call {
  const listed = journey?.steps.find((one) => one.step === step);
  const { method, path } = listed?.api ?? LOGIN_CALL;
  const asked = listed?.expected_params ?? (document && bodySchemaOf(document, method, path));
  const title = MAIN_TITLES[step] ?? (path.endsWith('/verify-otp') ? 'Verify the code' : stepTitle(step));
  return { key: step, step, title, method, path, schema: method === 'GET' ? undefined : asked };
}

function furtherCall({ key, step, title, method, path }: FurtherCall, around: Surroundings): Call {
  const { slug, facts, document } = around;
  const filled = path
    .replace('{issuer_slug}', slug)
    .replace('{session_id}', facts.lockerSessionId)
    .replace('{pan_verification_id}', facts.panVerificationId)
    .replace('{verification_id}', facts.verificationId);
  return {
    key,
    step,
    title,
    method,
    path: filled,
    schema: document && bodySchemaOf(document, method, filled),
  };
}

/** All calls of a step that can be made now, including the journey's. */
export function callsOf(step: string, journey: Journey | undefined, around: Surroundings): readonly Call[] {
  const { facts } = around;
  const main = mainCall(step, journey, around);
  const further = FURTHER_CALLS.filter((call) => call.step === step)
    .filter(({ ekycMethod }) => ekycMethod === undefined || ekycMethod === facts.ekyc?.method)
    .filter(({ isPossible }) => isPossible?.(facts) ?? true)
    .map((call) => furtherCall(call, around))
    .filter(({ path }) => path !== main.path);
  // sending a code comes before checking it
  return step === 'LOGIN' ? [...further, main] : [main, ...further];
}

export const bookingCall = ({ slug }: Surroundings): Call => ({
  ...{ key: 'booking', step: 'BOOKING', title: 'Check for blockers', schema: undefined },
  ...{ method: 'GET', path: `/issuer-apis/${slug}/v1/booking-check` },
});

/** Returns the next action. */
export type Action =
  | { readonly kind: 'call'; readonly step: string; readonly key: string }
  | { readonly kind: 'decide'; readonly step: 'EKYC'; readonly what: 'ekyc' | 'locker' }
  | { readonly kind: 'book' }
  | { readonly kind: 'over'; readonly isReady: boolean };

const call = (step: string, key: string): Action => ({ kind: 'call', step, key });

/** The step of an action; undefined at the booking check. */
export const stepOf = (action: Action): string | undefined =>
  action.kind === 'call' || action.kind === 'decide' ? action.step : undefined;

/** Title and purpose of the next action: of its call, or of its step. */
export function textOf(
  action: Action,
  journey: Journey | undefined,
  around: Surroundings,
): { readonly title: string; readonly what: string } {
  const step = stepOf(action);
  if (step === undefined)
    return { title: 'Booking check', what: 'all steps are done. It shows blockers, if any.' };
  const key = action.kind === 'call' ? action.key : step;
  const further = callsOf(step, journey, around).find((one) => one.key === key && key !== step);
  return { title: further?.title ?? stepTitle(step), what: whatOf(step, key) };
}

/** The purpose of a call, else of its step. */
export const whatOf = (step: string, key: string): string =>
  FURTHER_CALLS.find((one) => one.key === key)?.what ?? STEP_TEXTS[step]?.what ?? '';

/** The next thing to do on the way to a booking. */
export function nextAction(
  journey: Journey | undefined,
  facts: Facts,
  booking: BookingCheck | undefined,
): Action {
  if (facts.replacement) return call(facts.replacement.step, facts.replacement.key);
  if (!journey) return call('LOGIN', facts.isCodeAsked ? 'LOGIN' : 'register');
  const open = begun(journey, facts) ?? firstOpen(journey);
  if (open) return actionOf(open, facts);
  return booking ? { kind: 'over', isReady: booking.is_bookable } : { kind: 'book' };
}

/** The step whose result is pending, else the one that failed: earlier steps that the user has skipped come after it. */
const begun = ({ steps }: Journey, { ekyc }: Facts): JourneyStep | undefined =>
  steps.find((one) => one.status === 'IN_PROGRESS' || (one.step === 'EKYC' && ekyc && isOpen(one))) ??
  steps.find(({ status }) => status === 'FAILED');

function actionOf({ step }: JourneyStep, facts: Facts): Action {
  if (step === 'EKYC')
    return facts.isCustomerAsked || facts.ekyc ? ekycAction(facts) : call('PAN', 'check-etb');
  if (step === 'PAN' && facts.isPanPending) return call(step, 'pan-look');
  if (step === 'BANK' && facts.isBankPending) return call(step, 'bank-look');
  return call(step, step);
}

function ekycAction({ ekyc }: Facts): Action {
  const stage = ekyc?.stage;
  if (ekyc?.method === 'AADHAAR_OTP' && stage === 'begun') return call('EKYC', 'aadhaar-send');
  if (stage === 'code-sent') return call('EKYC', 'aadhaar-verify');
  if (ekyc?.method === 'DIGILOCKER' && stage === 'begun') return call('EKYC', 'locker-open');
  if (stage === 'locker-open') return { kind: 'decide', step: 'EKYC', what: 'locker' };
  if (stage === 'locker-decided') return call('EKYC', 'locker-look');
  if (stage === 'begun') return { kind: 'decide', step: 'EKYC', what: 'ekyc' };
  return call('EKYC', 'EKYC');
}
