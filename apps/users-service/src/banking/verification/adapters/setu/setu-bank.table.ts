import type { AccountFinding } from '../../bank-accounts.port.js';

type Ended = Exclude<AccountFinding['state'], 'valid' | 'processing'>;

/** Setu's codes of failed verifications, by meaning. */
const GROUPS: Readonly<Record<Ended, readonly string[]>> = {
  // BAVM1 only with a specific message, see `endOf`
  'no-such-account': ['BAV52', 'BAVM1', 'BAVMS', 'BAVNR', 'BAV92', 'BAVMJ', 'BAV1008'],
  frozen: ['BAV84', 'BAVM3', 'BAV34'],
  closed: ['BAVM5'],
  'not-usable': ['BAVM4', 'BAVM7', 'BAVMN', 'BAVMW', 'BAV12', 'BAVMP', 'BAV03'],
  'put-off': [
    // the bank or a network is down
    ...['BAV08', 'BAVCU', 'BAVIU', 'BAV76', 'BAV91', 'BAVNC', 'BAVNF', 'BAVXU', 'BAVFLD', 'BAV51', 'BAVRM1'],
    ...['BAVRET', 'BAVREF', 'BAVMT', 'BAV2000', 'BAV2001', 'BAV20', 'BAVXF', 'BAV1012'],
    // limits of the account
    ...['BAV17', 'BAV78', 'BAVM2', 'BAVM6', 'BAVM8', 'BAVMI'],
  ],
};

const ENDS = new Map(
  (Object.keys(GROUPS) as Ended[]).flatMap((end) => GROUPS[end].map((code) => [code, end] as const)),
);

export const SETU_CODES = [...ENDS.keys()];

/**
 * Returns the finding for a failed verification. Setu's examples also use BAVM1 for limits, so its text decides.
 * @returns undefined for an unknown text of BAVM1
 */
export function endOf({
  code,
  message = '',
}: {
  code: string;
  message?: string | undefined;
}): Ended | undefined {
  if (code !== 'BAVM1') return ENDS.get(code);
  if (/\blimit\b/i.test(message)) return 'put-off';
  return /\bnot valid\b|\binvalid (?:beneficiary )?account\b/i.test(message) ? 'no-such-account' : undefined;
}
