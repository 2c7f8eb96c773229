export { bankCommand } from './reviews/bank.command.js';
export { BANKING_ENTITIES } from './banking.entities.js';
export { BankModule } from './bank.module.js';
export { bankVendors } from './verification/adapters/bank-adapters.js';
