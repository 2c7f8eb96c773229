export { bankCommand } from './reviews/bank.command.js';
export { BankModule } from './bank.module.js';
export { bankVendors } from './verification/adapters/bank-adapters.js';
