import { ProviderError } from '@fd/errors';
import type { BankAccounts } from './bank-accounts.port.js';

/** The providers of BANK_PROVIDERS. */
export class BankProviders {
  /** @param inOrder verifications are begun at the first one that is not away */
  constructor(readonly inOrder: readonly BankAccounts[]) {}

  /** @throws ProviderError when the settings no longer name it */
  named(name: string): BankAccounts {
    const found = this.inOrder.find((provider) => provider.name === name);
    if (found) return found;
    throw new ProviderError(name, 'misconfigured', { detail: 'not in BANK_PROVIDERS' });
  }

  /** Whether the provider where a verification was begun, or is to be begun, mostly decides while a client waits. */
  isInteractive({ provider }: { readonly provider: string | null }): boolean {
    const known = provider === null ? this.inOrder[0] : this.inOrder.find(({ name }) => name === provider);
    return known?.isInteractive ?? false;
  }
}
