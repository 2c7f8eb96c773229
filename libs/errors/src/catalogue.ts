import { AadhaarErrors } from './catalogue/aadhaar.js';
import { ApiKeyErrors } from './catalogue/api-key.js';
import { BankErrors } from './catalogue/bank.js';
import { ConsentErrors } from './catalogue/consent.js';
import { EkycErrors } from './catalogue/ekyc.js';
import { EmailErrors } from './catalogue/email.js';
import { EventErrors } from './catalogue/event.js';
import { FactSheetErrors } from './catalogue/fact-sheet.js';
import { GeneralErrors } from './catalogue/general.js';
import { IdempotencyErrors } from './catalogue/idempotency.js';
import { InsightErrors } from './catalogue/insight.js';
import { IssuerErrors } from './catalogue/issuer.js';
import { JourneyErrors } from './catalogue/journey.js';
import { LeadErrors } from './catalogue/lead.js';
import { LockerErrors } from './catalogue/locker.js';
import { LoginErrors } from './catalogue/login.js';
import { MasterErrors } from './catalogue/master.js';
import { NomineeErrors } from './catalogue/nominee.js';
import { OtpErrors } from './catalogue/otp.js';
import { PanErrors } from './catalogue/pan.js';
import { PersonalDetailsErrors } from './catalogue/personal-details.js';
import { QuoteErrors } from './catalogue/quote.js';
import { SessionErrors } from './catalogue/session.js';
import { WebhookErrors } from './catalogue/webhook.js';
import type { ErrorDefinition } from './define-errors.js';

const AREAS = [
  LoginErrors,
  OtpErrors,
  SessionErrors,
  PanErrors,
  ConsentErrors,
  IssuerErrors,
  EkycErrors,
  AadhaarErrors,
  LockerErrors,
  LeadErrors,
  JourneyErrors,
  EmailErrors,
  PersonalDetailsErrors,
  BankErrors,
  NomineeErrors,
  InsightErrors,
  IdempotencyErrors,
  WebhookErrors,
  EventErrors,
  GeneralErrors,
  QuoteErrors,
  ApiKeyErrors,
  MasterErrors,
  FactSheetErrors,
];

type CodeOf<Area> = Area extends Readonly<Record<string, { readonly code: infer Code }>> ? Code : never;

export type ErrorCode = CodeOf<(typeof AREAS)[number]>;

/**
 * Every refusal of both services, by code. Codes are never changed or removed, because clients branch on them. SVCUSER1xxx,
 * SVCINV165, SVCMAS005 and SVCMAS0109 belong to the published interface; ours are appended in the block of one hundred of
 * their area.
 */
const CATALOGUE = Object.fromEntries(
  AREAS.flatMap((area) => Object.values<ErrorDefinition>(area)).map((error) => [error.code, error]),
) as Record<ErrorCode, ErrorDefinition>;

/** The entry of a stored or received code. One of a newer release, which another replica knows, is "unavailable": the client repeats the call. */
export function errorOf(code: ErrorCode): ErrorDefinition {
  return Object.hasOwn(CATALOGUE, code) ? CATALOGUE[code] : GeneralErrors.unavailable;
}
