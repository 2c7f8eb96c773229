import type { EndState } from '../../bank-accounts.port.js';

/** Setu's codes of failed verifications, by meaning. */
const GROUPS: Readonly<Partial<Record<EndState, readonly string[]>>> = {
  // a text decides about BAVM1, see `endOf`
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
  // Setu's own request to the bank was wrong
  'no-result': [
    ...[
      'BAV19',
      'BAV94',
      'BAVMQ',
      'BAV1000',
      'BAV1001',
      'BAV1004',
      'BAV1009',
      'BAV1010',
      'BAV1013',
      'BAV1014',
    ],
    ...['BAV1015', 'BAV1016', 'BAV1017'],
  ],
};

const ENDS = new Map(
  (Object.keys(GROUPS) as EndState[]).flatMap((end) => GROUPS[end]!.map((code) => [code, end] as const)),
);

export const SETU_CODES = [...ENDS.keys()];

/**
 * The texts in Setu's documents, in lower case without the full stop. Its guide has the first, third and fourth with the
 * code BAVM1, its OpenAPI document has the first two without a code.
 */
const TEXTS: ReadonlyMap<string, EndState> = new Map([
  ['this account does not exist or is invalid', 'no-such-account'],
  ['either ifsc or bank account is invalid', 'no-such-account'],
  ['this transaction is not valid for this account', 'not-usable'],
  ['the transaction limit for this account may have been reached', 'put-off'],
]);

/**
 * Returns the finding for a failed verification. The text decides without a code, and with BAVM1, which Setu also uses
 * for limits and for accounts without IMPS.
 * @returns undefined for an unknown text
 */
export function endOf({
  code,
  message,
}: {
  code?: string | null | undefined;
  message?: string | null | undefined;
}): EndState | undefined {
  if (code && (code !== 'BAVM1' || !message)) return ENDS.get(code);
  return TEXTS.get((message ?? '').trim().toLowerCase().replace(/\.$/, ''));
}
