/** The vendor's two status fields for each result of a verification. */
export type CashfreeOutcome = readonly [status: string, code: string | null];

export const VALID: CashfreeOutcome = ['VALID', 'ACCOUNT_IS_VALID'];
export const IN_PROGRESS: CashfreeOutcome = ['RECEIVED', 'VALIDATION_IN_PROGRESS'];

/** The test accounts in the vendor's documentation, and their holders. */
export const CASHFREE_ACCOUNTS: Readonly<
  Record<string, { readonly outcome: CashfreeOutcome; readonly holder?: string }>
> = {
  '026291800001191': { outcome: VALID, holder: 'JOHN DOE' },
  '1233943142': { outcome: VALID, holder: 'TOM WELLS' },
  '7766666585146': { outcome: ['INVALID', 'INVALID_ACCOUNT_FAIL'] },
  '7766667287515': { outcome: ['INVALID', 'INVALID_IFSC_FAIL'] },
  '7766667989884': { outcome: ['INVALID', 'ACCOUNT_BLOCKED'] },
  '7766667755761': { outcome: ['INVALID', 'NRE_ACCOUNT_FAIL'] },
  '7766674831270': { outcome: ['FAILED', 'SOURCE_BANK_DECLINED'] },
  '7766668692253': { outcome: ['FAILED', 'BENEFICIARY_BANK_OFFLINE'] },
  '50101329442375': { outcome: ['REJECTED', 'INSUFFICIENT_BALANCE'] },
};
