import { setTimeout as sleep } from 'node:timers/promises';
import { timeLimit } from '@fd/envelope';
import { v4 as uuidv4 } from 'uuid';
import { CheckFault, type CheckValues, type VendorCheck } from '../../../integrations/index.js';
import type { AccountFinding, BankAccounts } from '../bank-accounts.port.js';

/** A penny drop takes up to half a minute. */
const LIMIT_MS = timeLimit(40_000);
const PAUSE_MS = 1_000;

/** Makes a whole verification, as for a customer. */
export const bankVerificationCheck = (provider: BankAccounts, testValues: CheckValues): VendorCheck => ({
  name: 'account verification',
  paid: {
    cost: 'one penny drop',
    // the service always sends a name, and our own format requires it
    needs: ['account', 'ifsc', 'holderName'],
    testValues: { holderName: 'John Doe', ...testValues },
  },
  run: async ({ account = '', ifsc = '', holderName = '' }) => {
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
export const NOBODYS_ACCOUNT = { account: '000000000', ifsc: 'SBIN0000000', holderName: 'Nobody' };
