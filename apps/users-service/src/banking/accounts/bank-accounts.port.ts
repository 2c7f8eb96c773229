/** The account that a bank is asked about, and whose it is said to be. */
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

/** Who knows bank accounts: it sends a penny to one and tells whose it is. */
export interface BankAccounts {
  /**
   * @param idempotencyKey the same for every try of one verification, so that one penny is sent
   * @throws ProviderError
   */
  verify(account: AccountToVerify, idempotencyKey: string): Promise<AccountFinding>;
  /** What became of a verification; undefined when it is not known, or no longer. @throws ProviderError */
  outcome(receipt: string): Promise<AccountFinding | undefined>;
}

/** Injection token of the bank. */
export const BANK_ACCOUNTS = Symbol('bank accounts');
