/** An account to verify, with the holder's name that the user gave. */
export interface AccountToVerify {
  readonly account: string;
  readonly ifsc: string;
  readonly holderName: string;
}

/** A provider's result of a verification. */
export type AccountFinding =
  | { readonly state: 'valid'; readonly nameAtBank: string; readonly bankName: string }
  /** `not-usable`: it exists, but takes no such payments, or is of a kind with rules of its own. */
  | {
      readonly state: 'frozen' | 'closed' | 'not-usable' | 'no-such-account';
      readonly bankName: string;
    }
  /** The bank decides later: ask with the receipt. */
  | { readonly state: 'processing'; readonly receipt: string }
  /** It has ended without a result and without a payment, since the bank is away: another one is begun later. */
  | { readonly state: 'put-off' };

/** A provider that verifies bank accounts: it sends a penny to one and returns its holder's name. */
export interface BankAccounts {
  /** As in BANK_PROVIDERS, and in the row of each verification that was begun there. */
  readonly name: string;
  /** Whether it mostly decides while a client waits. Others are asked by the worker only. */
  readonly isInteractive: boolean;

  /**
   * Begins a verification: a penny is sent.
   * @param reference UUID; no other verification has it
   * @throws ProviderError
   */
  begin(account: AccountToVerify, reference: string): Promise<AccountFinding>;

  /**
   * Looks for a verification that may have been begun without our getting to know.
   * @returns undefined when it was not, or when beginning it again with its reference sends no second penny
   * @throws ProviderError, always of a provider that cannot say what became of it
   */
  find(account: AccountToVerify, reference: string): Promise<AccountFinding | undefined>;

  /** Result of a verification; undefined when the provider has forgotten it: it is looked for then. @throws ProviderError */
  outcome(account: AccountToVerify, receipt: string): Promise<AccountFinding | undefined>;
}
