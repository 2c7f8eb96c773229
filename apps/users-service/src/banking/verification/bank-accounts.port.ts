/** An account to verify, with the holder's name that the user gave. */
export interface AccountToVerify {
  readonly account: string;
  readonly ifsc: string;
  readonly holderName: string;
}

export type AccountFinding =
  | { readonly state: 'valid'; readonly nameAtBank: string; readonly bankName: string }
  | { readonly state: 'frozen' | 'closed' | 'no-such-account'; readonly bankName: string }
  /** The bank decides later: ask with the receipt. */
  | { readonly state: 'processing'; readonly receipt: string };

/** Verifies bank accounts: sends a penny to one and returns its holder's name. */
export interface BankAccounts {
  /**
   * @param idempotencyKey the same for every try of one verification, so that one penny is sent
   * @throws ProviderError
   */
  verify(account: AccountToVerify, idempotencyKey: string): Promise<AccountFinding>;
  /** Result of a verification; undefined when the bank does not know it, or no longer. @throws ProviderError */
  outcome(receipt: string): Promise<AccountFinding | undefined>;
}

export const BANK_ACCOUNTS = Symbol('bank accounts');
