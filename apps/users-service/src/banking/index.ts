export { type BankAccount, BankAccountsRepository } from './accounts/bank-accounts.repository.js';
export { BankModule } from './bank.module.js';
export { isSameName } from './name-matching/name-matching.js';
