import type { EndState } from '../../bank-accounts.port.js';

/** Cashfree's codes of ended verifications, by meaning. A start that is refused has them in lower case. */
const GROUPS: Readonly<Record<Exclude<EndState, 'closed' | 'no-result'>, readonly string[]>> = {
  // Cashfree does not distinguish closed and unknown accounts
  'no-such-account': ['INVALID_ACCOUNT_FAIL', 'INVALID_IFSC_FAIL'],
  // the second and third: blocked at Cashfree after fraud, or too many verifications within a day
  frozen: ['ACCOUNT_BLOCKED', 'FRAUD_ACCOUNT', 'BAV_BLOCKED'],
  'not-usable': ['NRE_ACCOUNT_FAIL'],
  'put-off': [
    ...[
      'FAILED_AT_BANK',
      'NPCI_UNAVAILABLE',
      'CONNECTION_TIMEOUT',
      'SOURCE_BANK_DECLINED',
      'BENE_BANK_DECLINED',
    ],
    // the last one has the vendor's spelling
    ...['IMPS_MODE_FAIL', 'BENEFICIARY_BANK_OFFLINE', 'BENFICIARY_BANK_OFFLINE'],
    // of an ended verification of ours; a start that is refused so is looked up
    'VERIFICATION_ALREADY_UNDER_PROCESS',
  ],
};

const ENDS = new Map(
  (Object.keys(GROUPS) as (keyof typeof GROUPS)[]).flatMap((end) =>
    GROUPS[end].map((code) => [code, end] as const),
  ),
);

/** Returns the finding for a code in any case; undefined for an unknown code. */
export const endOf = (code: string): EndState | undefined => ENDS.get(code.toUpperCase());
