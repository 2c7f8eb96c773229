import { statement } from '@fd/platform';

/** Tries with one Aadhaar code, independent of the provider's limit. */
export const MAX_AADHAAR_CHECKS = 5;

/** Counts a check of the latest code, and returns those left; no row without one left. Raw: the condition decides between parallel checks. */
export const TAKE_AADHAAR_CHECK = statement(
  { id: 'uuid', transaction: 'text' },
  `UPDATE onboarding.ekyc_requests SET aadhaar_checks = aadhaar_checks + 1
    WHERE id = :id AND aadhaar_transaction = :transaction AND aadhaar_checks < ${MAX_AADHAAR_CHECKS}
      AND status NOT IN ('VERIFIED', 'FAILED')
   RETURNING ${MAX_AADHAAR_CHECKS} - aadhaar_checks AS "checksLeft"`,
  { checksLeft: 'int4' },
);
