import { v4 as uuidv4 } from 'uuid';
import { isRefused, type VendorCheck } from '../../../../integrations/index.js';
import { bankVerificationCheck, NOBODYS_ACCOUNT } from '../bank-verification.check.js';
import type { SetuBankAdapter } from './setu-bank.adapter.js';

export const setuBankChecks = (provider: SetuBankAdapter): readonly VendorCheck[] => [
  {
    name: 'credentials',
    // for an unknown id only the status is documented
    run: () =>
      isRefused(
        provider.outcome(NOBODYS_ACCOUNT, uuidv4()),
        ({ detail }) => detail?.startsWith('status 404') === true,
      ),
  },
  bankVerificationCheck(provider, { account: '1234567890', ifsc: 'ABCD0123456' }),
];
