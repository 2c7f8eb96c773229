import { v4 as uuidv4 } from 'uuid';
import { isRefused, type VendorCheck } from '../../../../integrations/index.js';
import { bankVerificationCheck, NOBODYS_ACCOUNT } from '../bank-verification.check.js';
import type { SetuBankAdapter } from './setu-bank.adapter.js';

export const setuBankChecks = (provider: SetuBankAdapter): readonly VendorCheck[] => [
  {
    name: 'credentials',
    // no code is documented for an unknown id, so this is any 404 with an error in Setu's own shape
    run: () => isRefused(provider.outcome(NOBODYS_ACCOUNT, uuidv4()), /^status 404: unknown code$/),
  },
  bankVerificationCheck(provider, { account: '1234567890', ifsc: 'ABCD0123456' }),
];
