import { v4 as uuidv4 } from 'uuid';
import { CheckFault, type VendorCheck } from '../../../../integrations/index.js';
import { bankVerificationCheck, NOBODYS_ACCOUNT } from '../bank-verification.check.js';
import type { CashfreeBankAdapter } from './cashfree-bank.adapter.js';

export const cashfreeBankChecks = (provider: CashfreeBankAdapter): readonly VendorCheck[] => [
  {
    name: 'credentials',
    run: async () => {
      if (!(await provider.find(NOBODYS_ACCOUNT, uuidv4())))
        return 'a new reference is not known, as it should be';
      throw new CheckFault(
        'a new reference is known',
        'Check CASHFREE_URL, then ask the support of Cashfree: a look-up by reference must prevent a second payment.',
      );
    },
  },
  bankVerificationCheck(provider, { account: '026291800001191', ifsc: 'YESB0000262' }),
];
