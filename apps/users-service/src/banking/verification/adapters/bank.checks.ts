import { setTimeout as sleep } from 'node:timers/promises';
import { timeLimit } from '@fd/envelope';
import { v4 as uuidv4 } from 'uuid';
import {
  CheckFault,
  type CheckValues,
  isRefused,
  unknownIdCheck,
  type VendorCheck,
} from '../../../integrations/index.js';
import type { AccountFinding, BankAccounts } from '../bank-accounts.port.js';

/** A penny drop takes up to half a minute. */
const LIMIT_MS = timeLimit(40_000);
const PAUSE_MS = 1_000;

/** Makes a whole verification, as for a customer. */
const bankVerificationCheck = (provider: BankAccounts, testValues: CheckValues): VendorCheck => ({
  name: 'account verification',
  paid: {
    cost: 'one penny drop',
    // the service always sends a name, and our own format requires it
    needs: ['account_number', 'ifsc', 'holder_name'],
    testValues: { holder_name: 'John Doe', ...testValues },
  },
  run: async ({ account_number: account = '', ifsc = '', holder_name: holderName = '' }) => {
    const given = { account, ifsc, holderName };
    const until = performance.now() + LIMIT_MS;
    let finding: AccountFinding | undefined = await provider.begin(given, uuidv4());
    while (finding?.state === 'processing' && performance.now() < until) {
      await sleep(PAUSE_MS);
      finding = await provider.outcome(given, finding.receipt);
    }
    if (finding?.state === 'valid') return 'outcome valid, with the name at the bank';
    throw new CheckFault(
      `the account of a known person is ${finding?.state ?? 'forgotten'}`,
      'Check the account that was given. If it is right, see the status page of the vendor, and run this again.',
    );
  },
});

/** Looks up an unused reference. */
const NOBODYS_ACCOUNT = { account: '000000000', ifsc: 'SBIN0000000', holderName: 'Nobody' };

export const httpBankChecks = (provider: BankAccounts): readonly VendorCheck[] => [
  unknownIdCheck(async () => !(await provider.outcome(NOBODYS_ACCOUNT, uuidv4()))),
  bankVerificationCheck(provider, { account_number: '50100012345671', ifsc: 'HDFC0000001' }),
];

export const setuBankChecks = (provider: BankAccounts): readonly VendorCheck[] => [
  {
    name: 'credentials',
    // no code is documented for an unknown id, so this is any 404 with an error in Setu's own shape
    run: () => isRefused(provider.outcome(NOBODYS_ACCOUNT, uuidv4()), /^status 404: unknown code$/),
  },
  bankVerificationCheck(provider, { account_number: '1234567890', ifsc: 'ABCD0123456' }),
];

export const cashfreeBankChecks = (provider: BankAccounts): readonly VendorCheck[] => [
  unknownIdCheck(async () => !(await provider.find(NOBODYS_ACCOUNT, uuidv4()))),
  bankVerificationCheck(provider, { account_number: '026291800001191', ifsc: 'YESB0000262' }),
];
