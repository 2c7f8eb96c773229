import { BankAccountRow } from './accounts/bank-account.entity.js';
import { BankSync } from './accounts/bank-sync.entity.js';
import { BankWithdrawal } from './accounts/bank-withdrawal.entity.js';
import { BankCheck } from './verification/bank-check.entity.js';
import { BankMismatch } from './verification/bank-mismatch.entity.js';

export const BANKING_ENTITIES = [BankAccountRow, BankCheck, BankMismatch, BankSync, BankWithdrawal];
