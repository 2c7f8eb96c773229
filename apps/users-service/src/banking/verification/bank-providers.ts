import { ProviderList } from '../../integrations/index.js';
import type { BankAccounts } from './bank-accounts.port.js';

export class BankProviders extends ProviderList<BankAccounts> {
  /** @param inOrder a verification begins at the first available one */
  constructor(inOrder: readonly BankAccounts[]) {
    super('BANK_PROVIDERS', inOrder);
  }

  /** Whether the provider of a verification, current or next, usually decides within a request. */
  isInteractive({ provider }: { readonly provider: string | null }): boolean {
    const known = provider === null ? this.inOrder[0] : this.inOrder.find(({ name }) => name === provider);
    return known?.isInteractive ?? false;
  }
}
