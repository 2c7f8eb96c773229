/**
 * What a person agrees to, with the version of the notice that is shown with it. A new version of a notice asks for
 * a new consent; what was given to an older one stays on record.
 */
export const CONSENT_PURPOSES = {
  /** Using the service at all: asked at login. */
  TERMS_OF_USE: '2026-11',
  /** Asking the PAN registry who the holder is. */
  PAN_VERIFICATION: '2026-11',
  /** Verifying the customer with a code sent to the phone that is linked to their Aadhaar. */
  AADHAAR_EKYC: '2026-11',
  /** Reading the customer's Aadhaar from their document locker. */
  DOCUMENT_LOCKER: '2026-11',
} as const;

export type ConsentPurpose = keyof typeof CONSENT_PURPOSES;
