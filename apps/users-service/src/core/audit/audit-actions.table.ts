/**
 * Every action in the audit trail, with its meaning. Append-only: recorded names never change meaning. A route
 * has several actions only if one call may do several things.
 */
export const AUDIT_ACTIONS = {
  LOGGED_IN: 'a code was exchanged for a session (object: the session)',
  LOGGED_OUT: 'this session was ended (object), or all of the user (no object)',
  SESSIONS_READ: 'the devices of the user were listed',
  SESSION_ENDED:
    'the user logged a device out, or its login came too late to be answered (object: its session)',
  OLDEST_SESSION_ENDED:
    'a login ended the oldest of too many open sessions (object: the session of the login)',
  REFRESH_TOKEN_REUSED: 'a used refresh token came again: the session (object) was ended',
  ACCOUNT_CONFIRMED: 'the owner of a long unused phone proved that the account is still theirs',
  ACCOUNT_STARTED_ANEW:
    'the owner of a long unused phone gave the account up for a new one (object: its user)',
  CONSENT_GIVEN: 'the user agreed to something (object: the consent)',
  CONSENT_WITHDRAWN: 'the user withdrew a consent (object)',
  CONSENTS_READ: 'the consents of the user were listed',
  PROFILE_READ: 'the profile was read, masked',
  PAN_SENT_TO_REGISTRY: 'the PAN registry is about to be asked (object: the look-up)',
  PAN_VERIFIED:
    'a PAN was verified, or its result returned again, with the names of its holder (object: the verification)',
  PAN_CHECK_AWAITED: 'the user was informed that a PAN check is running',
  PAN_CHECK_READ: 'the status of a PAN check was read (object: the check)',
  PAN_TAKEN_OVER:
    'the eKYC of the user proved ownership of a PAN that another user had claimed (object: the verification)',
  PAN_RELEASED:
    'a PAN is no longer the user’s (object: its verification): an operator released it, with the reason, or it was taken over',
  PAN_CLAIMS_LISTED: 'the claims on PANs of other users were listed to an operator',
  PAN_NOTICE_SENT: 'the user was notified by SMS that a PAN is no longer theirs',
  ISSUER_ASKED: 'PAN, date of birth and phone are about to be sent to an issuer',
  EXISTING_CUSTOMER_CHECKED: "an issuer's data about the user was stored and returned",
  LEAD_OPENED: 'a lead was opened with an issuer, or returned again (object: the lead)',
  KYC_CONTEXT_READ: 'an issuer was asked for the texts and fields of a lead (object)',
  EKYC_STATUS_READ: 'the state of the eKYC was asked for, with its link',
  EKYC_STARTED: 'a request for eKYC was opened at the provider (object: the request)',
  EKYC_VERIFIED: 'a request for eKYC ended (object): verified, or refused with the code',
  EKYC_SPARED: 'an issuer has the KYC of the user already',
  AADHAAR_CODE_SENT: 'an Aadhaar number was passed on, which is never kept',
  AADHAAR_CODE_CHECKED: 'a code for an Aadhaar was passed on (object: the request)',
  LOCKER_SESSION_OPENED: 'a visit to the document locker was opened',
  LOCKER_SESSION_READ: 'the outcome of a visit to the document locker was asked for (object: the visit)',
  EMAIL_CODE_SENT: 'a code was mailed',
  EMAIL_VERIFIED: 'an email address became the user’s own',
  EMAIL_MOVED: 'the email address of the user moved to another account of the same person',
  CHANGE_MAILED: 'the user was told by mail of a change of the account, which the code names',
  PERSONAL_DETAILS_READ: 'the personal details were read',
  PERSONAL_DETAILS_SAVED: 'the personal details were changed',
  BANK_ACCOUNT_GIVEN: 'a bank account was given, or given again (object: its verification)',
  BANK_ACCOUNT_READ: 'the state of a bank account was asked for (object: its verification)',
  BANK_NAMES_DOUBTED:
    'names that were accepted before no longer match (object: the verification): an operator is to decide',
  BANK_NAMES_ACCEPTED: 'an operator accepted names that match in part, or differ (object: the verification)',
  BANK_NAMES_REFUSED: 'an operator refused names that match in part, or differ (object: the verification)',
  BANK_ACCOUNT_REGISTERED: 'an issuer has the bank account, or is refused it with the code',
  BANK_ACCOUNT_WITHDRAWN:
    'an issuer removed the bank account of another person, or still has it (object: the verification)',
  NOMINATION_MADE: 'nominees were named, or the user declared to name none',
  NOMINEES_READ: 'the nominees were listed, masked',
  NOMINEE_CHANGED: 'a nominee was changed (object)',
  NOMINEE_REMOVED: 'a nominee was removed (object)',
  BOOKING_CHECKED: 'names were compared for the booking check of an issuer',
  USER_SOUGHT: 'an operator searched for a user by phone or PAN: found, or REFUSED without a subject',
  USER_READ: 'the state of a user was shown to an operator, masked',
  SESSIONS_ENDED: 'an operator ended all sessions of the user',
  USER_BLOCKED: 'an operator blocked the user and ended all sessions',
  USER_UNBLOCKED: 'an operator let the user log in again',
  AFFECTED_USERS_LISTED: 'the people whom a breach concerns were listed to an operator',
  USER_EXPORTED: 'all that is held of the user was handed to them, or to an operator for them',
  NO_DEPOSIT_DECLARED: 'an operator who erased the user declared that issuers opened no deposit',
  USER_ERASED: "an operator erased the user's data, except records that the law requires",
  CALL_REPEATED: 'an operator had an open call to a provider (object) tried again',
  CALL_GIVEN_UP: 'an operator had an open call to a provider (object) tried for the last time',
  PARTNER_CREATED: 'a partner was registered (object)',
  PARTNER_DISABLED: 'a partner was disabled (object), which ends its sessions',
  PARTNER_ENABLED: 'a partner was enabled, perhaps with a new key (object)',
  PARTNER_KEY_ADDED: 'a partner has a new key, beside the one before it (object)',
  PARTNER_KEY_REMOVED: 'one of two keys of a partner was removed (object)',
  EVENTS_SET: 'events for the backend of a partner (object) were set up or changed',
  EVENTS_PAUSED: 'the deliveries of events to a partner (object) were paused',
  EVENTS_RESUMED: 'the deliveries of events to a partner (object) were resumed',
  EVENTS_SECRET_CHANGED: 'a secret that signs the events of a partner (object) was added or removed',
  EVENTS_KEY_CHANGED: 'a key of the backend of a partner (object) was added or removed',
  EVENTS_REPLAYED: 'an event (object), or those of a partner (object) since a time, are delivered again',
  EVENTS_LISTED: 'the partners that get events were listed to an operator',
  EVENT_READ: 'an event (object) was shown to an operator',
  PII_ROTATION_STARTED: 'encrypting all personal data with another key began',
  PII_ROTATION_ENDED: 'all personal data is encrypted with the newest key',
  OPEN_CALLS_LISTED: 'open calls to providers were listed to an operator',
  NAME_REVIEWS_LISTED: 'bank accounts that wait for a decision on names were listed to an operator',
  TRAIL_READ: 'the trail of a user was shown to an operator',
  FORGERY_ACKNOWLEDGED:
    'an operator examined an event that the service did not write (object: the event): later checks accept it',
  TRAIL_EXPORTED: 'the trail, or that of an issuer, was exported',
  VENDORS_PAID_CHECK: 'values of a person who consented were sent to vendors, to check them (doctor)',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** Outcome of an action. REPEATED: a stored answer was replayed, or nothing was left to change. FAILED: through a fault of ours. */
export const AUDIT_OUTCOMES = ['OK', 'REPEATED', 'REFUSED', 'FAILED'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];
