import { ProviderList } from '../../integrations/index.js';
import type { BankAccounts } from './bank-accounts.port.js';

/** The providers of BANK_PROVIDERS. */
export class BankProviders extends ProviderList<BankAccounts> {
  /** @param inOrder verifications are begun at the first one that is not away */
  constructor(inOrder: readonly BankAccounts[]) {
    super('BANK_PROVIDERS', inOrder);
  }

  /** Whether the provider where a verification was begun, or is to be begun, mostly decides while a client waits. */
  isInteractive({ provider }: { readonly provider: string | null }): boolean {
    const known = provider === null ? this.inOrder[0] : this.inOrder.find(({ name }) => name === provider);
    return known?.isInteractive ?? false;
  }
}
