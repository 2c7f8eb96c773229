export interface CustomerQuery {
  readonly pan: string;
  /** YYYY-MM-DD */
  readonly dateOfBirth: string;
  readonly phone: string;
}

export interface ExistingCustomer {
  readonly customerId: string;
  readonly isKycComplete: boolean;
  readonly matchedOn: readonly ('PAN' | 'PHONE')[];
}

/** The account that pays the deposit and receives its payouts. */
export interface Beneficiary {
  readonly holderName: string;
  readonly account: string;
  readonly ifsc: string;
  /** Our reference of the customer. */
  readonly customerReference: string;
  /** The issuer's id of a customer, from its latest answer. */
  readonly customerId?: string;
}

export type Registration =
  | { readonly state: 'registered'; readonly reference: string }
  /** The issuer decides later: poll with the receipt. */
  | { readonly state: 'accepted'; readonly receipt: string }
  | { readonly state: 'invalid-beneficiary' };

/** The deposit that the customer asks for, as far as known when the lead is opened. */
export interface LeadRequest {
  readonly reference: string;
  /** Rupees. */
  readonly amount: number | null;
  readonly tenureDays: number | null;
  readonly payoutFrequency: string | null;
  readonly source: string | null;
  readonly campaign: string | null;
}

export interface IssuerLead {
  readonly leadId: string;
  readonly state: 'OPEN' | 'EXPIRED' | 'CONVERTED';
  readonly expiresAt: Date;
}

export interface KycContext {
  readonly contextId: string;
  readonly documents: readonly string[];
  readonly declarations: readonly { readonly code: string; readonly text: string }[];
}

export interface LeadApi {
  /** @throws ProviderError */
  open(request: LeadRequest, idempotencyKey: string): Promise<IssuerLead>;
  /** Undefined for an unknown or expired lead. @throws ProviderError */
  find(leadId: string): Promise<IssuerLead | undefined>;
  /** @throws ProviderError */
  kycContext(leadId: string): Promise<KycContext | 'unknown-lead' | 'lead-expired'>;
}

export interface IssuerApi {
  /** Whether a registration takes several calls, so that only the worker makes them: a request has no time for all. */
  readonly registersInBackground?: boolean;
  /** @throws ProviderError */
  findCustomer(query: CustomerQuery): Promise<ExistingCustomer | undefined>;
  /**
   * @param idempotencyKey the same for every try of one registration, so that the issuer makes it once
   * @throws ProviderError
   */
  registerBeneficiary(beneficiary: Beneficiary, idempotencyKey: string): Promise<Registration>;
  /**
   * Returns the outcome of an accepted registration.
   * @throws ProviderError `refused` when the issuer does not know the receipt: register again, with the same key
   */
  registrationOutcome(receipt: string): Promise<Registration>;
  /**
   * Removes the registration of another person's account. An unknown registration counts as removed.
   * Undefined if the issuer's API has no such call.
   * @param idempotencyKey the same for every try of one withdrawal
   * @throws ProviderError
   */
  withdrawBeneficiary?(reference: string, idempotencyKey: string): Promise<void>;
  /** Undefined for an issuer without leads. */
  readonly leads?: LeadApi;
}
