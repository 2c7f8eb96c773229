/** An account to verify, with the holder's name that the user gave. */
export interface AccountToVerify {
  readonly account: string;
  readonly ifsc: string;
  readonly holderName: string;
}

/** A provider's result of a verification. */
export type AccountFinding =
  | { readonly state: 'valid'; readonly nameAtBank: string; readonly bankName: string }
  /**
   * `not-usable`: the account exists, but accepts no such payments, has special rules, or its bank does not name its
   * holder.
   */
  | {
      readonly state: 'frozen' | 'closed' | 'not-usable' | 'no-such-account';
      readonly bankName: string;
    }
  /** The bank decides later: poll with the receipt. */
  | { readonly state: 'processing'; readonly receipt: string }
  /** Ended without result and payment, because the bank is down: restarted later. */
  | { readonly state: 'put-off' }
  /** Ended without a result for another reason, perhaps paid: only a new request of the user starts another one. */
  | { readonly state: 'no-result' };

/** Findings of a verification that ended without the name of a holder. */
export type EndState = Exclude<AccountFinding['state'], 'valid' | 'processing'>;

/** A provider that verifies bank accounts: it sends a penny to one and returns its holder's name. */
export interface BankAccounts {
  /** Name in BANK_PROVIDERS and in the rows of its verifications. */
  readonly name: string;
  /** Whether the provider usually decides within a request. Only the worker calls other providers. */
  readonly isInteractive: boolean;

  /**
   * Begins a verification, which sends a penny.
   * @param reference unique UUID
   * @throws ProviderError
   */
  begin(account: AccountToVerify, reference: string): Promise<AccountFinding>;

  /**
   * Looks up a verification whose start got no answer.
   * @returns undefined if a start with the same reference is safe: none arrived, or it sends no second penny
   * @throws ProviderError; always for a provider without look-up
   */
  find(account: AccountToVerify, reference: string): Promise<AccountFinding | undefined>;

  /**
   * Returns the result of a verification; undefined if the provider no longer knows the receipt: then `find` looks for
   * it.
   * @throws ProviderError
   */
  outcome(account: AccountToVerify, receipt: string): Promise<AccountFinding | undefined>;
}

/** The providers of BANK_PROVIDERS: a `ProviderList<BankAccounts>`. */
export const BANK_ACCOUNTS = Symbol('bank accounts');

/** Returns the bank code of an account, the first four letters of its IFSC, when the provider names no bank. */
export const bankOf = ({ ifsc }: Pick<AccountToVerify, 'ifsc'>): string => ifsc.slice(0, 4);

/** The finding for an account that exists, but whose bank does not name its holder: a limit of some banks. */
export const unnamed = (bankName: string): AccountFinding => ({ state: 'not-usable', bankName });

/** @param bankName unless the verification has ended without a result */
export const ended = (state: EndState, bankName: string): AccountFinding =>
  state === 'put-off' || state === 'no-result' ? { state } : { state, bankName };
