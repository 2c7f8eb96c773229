import { v4 as uuidv4 } from 'uuid';
import { unknownIdCheck, type VendorCheck } from '../../../../integrations/index.js';
import { bankVerificationCheck, NOBODYS_ACCOUNT } from '../bank-verification.check.js';
import type { HttpBankAccountsAdapter } from './http-bank-accounts.adapter.js';

export const httpBankChecks = (provider: HttpBankAccountsAdapter): readonly VendorCheck[] => [
  unknownIdCheck(async () => !(await provider.outcome(NOBODYS_ACCOUNT, uuidv4()))),
  bankVerificationCheck(provider, { account: '50100012345671', ifsc: 'HDFC0000001' }),
];
