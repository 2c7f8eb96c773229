import { AppError, GeneralErrors } from '@fd/errors';
import fc from 'fast-check';
import { leadTerms, hasTerms } from './lead-terms.js';

const terms = (fd_info: Record<string, unknown>) => leadTerms({ fd_info });

describe('leadTerms', () => {
  it('reads terms from numbers and from their texts alike', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e11 }), fc.integer({ min: 1, max: 36_500 }), (paise, days) => {
        const amount = paise / 100;
        const read = { amount, tenureDays: days, payoutFrequency: null, source: null, campaign: null };
        expect(terms({ amount, tenure: days })).toEqual(read);
        expect(terms({ amount: String(amount), tenure: String(days) })).toEqual(read);
      }),
    );
  });

  it('returns null for missing terms', () => {
    const nothing = { amount: null, tenureDays: null, payoutFrequency: null, source: null, campaign: null };
    for (const given of [undefined, null, ''] as const) {
      expect(terms({ amount: given, tenure: given, payout_frequency: given })).toEqual(nothing);
      expect(hasTerms({ fd_info: { amount: given } })).toBe(false);
    }
    expect(leadTerms({})).toEqual(nothing);
    expect(hasTerms({})).toBe(false);
    expect(hasTerms({ fd_info: { anything: 0 } })).toBe(true);
  });

  it('reads any input, or refuses it with FIELD_INVALID', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('amount', 'tenure', 'payout_frequency'), (value, field) => {
        try {
          const { amount, tenureDays, payoutFrequency } = terms({ [field]: value });
          expect(amount === null || (amount > 0 && Number.isFinite(amount))).toBe(true);
          expect(tenureDays === null || (Number.isInteger(tenureDays) && tenureDays > 0)).toBe(true);
          expect(payoutFrequency === null || payoutFrequency.length <= 30).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          expect((error as AppError).refusals).toEqual([
            { error: GeneralErrors.fieldInvalid, field: `fd_info.${field}` },
          ]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('names every field that it cannot read', () => {
    const read = () => terms({ amount: 'x', tenure: 0, payout_frequency: 'Monthly' });
    expect(read).toThrow(AppError);
    try {
      read();
    } catch (error) {
      expect((error as AppError).refusals.map(({ field }) => field)).toEqual([
        'fd_info.amount',
        'fd_info.tenure',
      ]);
    }
  });

  it('keeps an amount to the paisa, or refuses it as too large', () => {
    const digits = (max: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max });
    fc.assert(
      fc.property(digits(15), digits(2), (whole, fraction) => {
        const text = `${whole}.${fraction}`;
        const paise = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'));
        fc.pre(paise > 0n);
        if (paise > 10n ** 15n) {
          expect(() => terms({ amount: text })).toThrow(GeneralErrors.fieldInvalid.code);
          return;
        }
        // as it goes to the database and to the issuer
        const written = String(terms({ amount: text }).amount);
        const [rupees = '', rest = ''] = written.split('.');
        expect(BigInt(rupees) * 100n + BigInt(rest.padEnd(2, '0'))).toBe(paise);
        expect(rupees.length + 2).toBeLessThanOrEqual(17);
      }),
      { numRuns: 1_000 },
    );
  });

  it('accepts amounts that a number represents exactly, and no larger ones', () => {
    expect(terms({ amount: '10000000000000' }).amount).toBe(10_000_000_000_000);
    expect(terms({ amount: '9999999999999.99' }).amount).toBe(9_999_999_999_999.99);
    for (const amount of ['10000000000000.01', '999999999999999.99', '1'.repeat(30), 1e21, 1e300]) {
      expect(() => terms({ amount })).toThrow(GeneralErrors.fieldInvalid.code);
    }
  });
});
