export { BankAccountsRepository, type VerifiedBankAccount } from './accounts/bank-accounts.repository.js';
export { BankModule } from './accounts/bank.module.js';
export { isSameName } from './name-matching/index.js';
