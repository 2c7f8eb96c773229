import {
  type CompareRequest,
  type MaturityQuoteRequest,
  type Paise,
  type PayoutFrequency,
  readAmount,
} from '@fd/contracts';

/** What somebody wants to invest, and who they are as far as the rate depends on it. */
export interface ProductWish {
  readonly amountPaise: Paise;
  readonly tenureDays: number;
  readonly payoutFrequency: PayoutFrequency;
  readonly isSenior: boolean;
  readonly isWoman: boolean;
  readonly isTaxSaver: boolean;
}

/** What a checked request asks for. */
export function wishOf(request: MaturityQuoteRequest | CompareRequest): ProductWish {
  return {
    amountPaise: readAmount('amount' in request ? request.amount : request.investment_amount)!,
    // with too many digits it would become Infinity, which JSON does not have
    tenureDays: Math.min(Number(request.tenure), Number.MAX_SAFE_INTEGER),
    payoutFrequency: request.payout_frequency ?? 'Maturity',
    isSenior: request.senior_citizen === 'true',
    isWoman: request.women_citizen === 'true',
    isTaxSaver: request.tax_saver === 'true',
  };
}
