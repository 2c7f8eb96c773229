export { ACCOUNTS_OF_PAN } from './accounts/accounts-of-pan.js';
export { bankIssuersOf } from './accounts/bank-issuers.js';
export { BANK_CALLS } from './bank.calls.js';
export { bankCommand } from './reviews/bank.command.js';
export { BANKING_ENTITIES, BankModule } from './bank.module.js';
export { bankVendors } from './verification/adapters/bank-adapters.js';
export { BANKING_USER_DATA } from './user-data.table.js';
