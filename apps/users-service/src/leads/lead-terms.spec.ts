import { AppError } from '@fd/errors';
import fc from 'fast-check';
import { leadTerms, tellsTerms } from './lead-terms.js';

const terms = (fd_info: Record<string, unknown>) => leadTerms({ fd_info });

describe('the terms of a lead', () => {
  it('are read from numbers and from their texts alike', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e11 }), fc.integer({ min: 1, max: 36_500 }), (paise, days) => {
        const amount = paise / 100;
        const read = { amount, tenureDays: days, payoutFrequency: null, source: null, campaign: null };
        expect(terms({ amount, tenure: days })).toEqual(read);
        expect(terms({ amount: String(amount), tenure: String(days) })).toEqual(read);
      }),
    );
  });

  it('are null where nothing is given', () => {
    const nothing = { amount: null, tenureDays: null, payoutFrequency: null, source: null, campaign: null };
    for (const given of [undefined, null, ''] as const) {
      expect(terms({ amount: given, tenure: given, payout_frequency: given })).toEqual(nothing);
      expect(tellsTerms({ fd_info: { amount: given } })).toBe(false);
    }
    expect(leadTerms({})).toEqual(nothing);
    expect(tellsTerms({})).toBe(false);
    expect(tellsTerms({ fd_info: { anything: 0 } })).toBe(true);
  });

  it('are read or refused with SVCUSER2904, whatever is sent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('amount', 'tenure', 'payout_frequency'), (value, field) => {
        try {
          const { amount, tenureDays, payoutFrequency } = terms({ [field]: value });
          expect(amount === null || (amount > 0 && Number.isFinite(amount))).toBe(true);
          expect(tenureDays === null || (Number.isInteger(tenureDays) && tenureDays > 0)).toBe(true);
          expect(payoutFrequency === null || payoutFrequency.length <= 30).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          expect((error as AppError).refusals).toEqual([{ code: 'SVCUSER2904', field: `fd_info.${field}` }]);
        }
      }),
      { numRuns: 500 },
    );
  });
});
