/**
 * Codes that one user may cause within any 24 hours, to whatever Aadhaar numbers and with whatever issuers. Each goes to
 * a phone that may be a stranger's, costs money, and tells something of the number.
 */
export const MAX_AADHAAR_CODES_PER_DAY = 10;

/** Tries with one Aadhaar code, whatever the provider itself puts up with. */
export const MAX_AADHAAR_CHECKS = 5;

/** Visits to the document locker that one user may open within any 24 hours. */
export const MAX_LOCKER_SESSIONS_PER_DAY = 20;
