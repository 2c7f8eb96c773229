import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { recordEvidence } from '@fd/testing';
import { formatCivilDate } from '../dates/civil-date.js';
import { maturityDates } from '../maths/maturity.js';
import { effectiveRate } from './product-quote.js';
import { quoteFile, type QuoteFileResult } from './quote-file.js';

interface Published {
  quantity: 'maturity_amount' | 'total_interest' | 'average_yield' | 'payout_amount';
  value: number;
  tolerance: number;
}

interface Vector {
  id: string;
  expected?: Omit<QuoteFileResult, 'id'>;
  published?: Published;
}

interface VectorFile {
  vectors: Vector[];
  variants: Vector[];
  date_vectors: {
    request_instant_utc: string;
    tenure_days: number;
    note: string;
    expected: { start_date: string; maturity_date_ist: string; maturity_date: string };
  }[];
  rate_vectors: {
    card_rate: string;
    senior_citizen_benefit: string;
    women_benefit: string;
    senior_citizen: boolean;
    women_citizen: boolean;
    expected_rate: string;
  }[];
}

const file = JSON.parse(readFileSync(join(__dirname, '../../test/quote-vectors.json'), 'utf8')) as VectorFile;
const entries = [...file.vectors, ...file.variants];
const results = quoteFile(file);
const cases = entries.map((entry, index) => ({ ...entry, result: results[index]! }));

function publishedQuantity(result: QuoteFileResult, quantity: Published['quantity']): number {
  if (quantity === 'payout_amount') return result.payout[0]!.data[0]!.amount;
  return Number(result[quantity]);
}

it('quotes all vectors and variants in order', () => {
  expect(file.vectors).toHaveLength(261);
  expect(file.variants).toHaveLength(16);
  expect(results.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
});

describe('quoteFile: vectors', () => {
  const expected = cases.filter((entry) => entry.expected);

  it.each(expected)('quotes $id exactly', ({ id, expected: figures, result }) => {
    expect(result).toStrictEqual({ id, ...figures });
  });

  it('quotes every vector exactly', () => {
    expect(expected).toHaveLength(file.vectors.length);
    const different = expected.filter(
      ({ id, expected: figures, result }) => !isDeepStrictEqual(result, { id, ...figures }),
    );
    expect(different).toEqual([]);
    recordEvidence('quotes-exact', { vectors: expected.length, different: different.length });
  });
});

describe('quoteFile: published figures of issuers', () => {
  const published = cases.flatMap((entry) => (entry.published ? [{ ...entry, ...entry.published }] : []));

  it.each(published)(
    'quotes $id: $quantity $value within $tolerance',
    ({ result, quantity, value, tolerance }) => {
      const difference = Math.abs(publishedQuantity(result, quantity) - value);
      // both have two decimal places: the margin only covers the binary error of the subtraction
      expect(difference).toBeLessThanOrEqual(tolerance + 1e-9);
    },
  );

  it('covers every variant by a published figure', () => {
    expect(file.variants.every((entry) => entry.published)).toBe(true);
    expect(published.length).toBeGreaterThan(file.variants.length);
  });
});

describe('maturityDates', () => {
  it.each(file.date_vectors)(
    'adds to $request_instant_utc $tenure_days days ($note)',
    ({ request_instant_utc, tenure_days, expected }) => {
      const dates = maturityDates(new Date(request_instant_utc), tenure_days);
      expect({
        start_date: formatCivilDate(dates.startDate),
        maturity_date_ist: formatCivilDate(dates.maturityDateIst),
        maturity_date: formatCivilDate(dates.maturityDate),
      }).toEqual(expected);
    },
  );

  it.each([
    ['2025-06-10T18:29:59.999Z', '2025-06-10', '2025-06-10'],
    ['2025-06-10T18:30:00.000Z', '2025-06-11', '2025-06-10'],
    ['2025-06-10T23:59:59.999Z', '2025-06-11', '2025-06-10'],
    ['2025-06-11T00:00:00.000Z', '2025-06-11', '2025-06-11'],
  ])('starts at %s on %s in India and %s in UTC', (instant, india, utc) => {
    const { maturityDateIst, maturityDate } = maturityDates(new Date(instant), 365);
    const yearLater = (text: string) => text.replace('2025', '2026');
    expect(formatCivilDate(maturityDateIst)).toBe(yearLater(india));
    expect(formatCivilDate(maturityDate)).toBe(yearLater(utc));
  });

  it('refuses an invalid instant', () => {
    expect(() => maturityDates(new Date(Number.NaN), 365)).toThrow(RangeError);
  });
});

describe('effectiveRate', () => {
  it.each(file.rate_vectors)(
    'adds to $card_rate $senior_citizen_benefit ($senior_citizen) and $women_benefit ($women_citizen): $expected_rate',
    (vector) => {
      const { total } = effectiveRate(
        vector.card_rate,
        { seniorBenefit: vector.senior_citizen_benefit, womenBenefit: vector.women_benefit },
        { isSenior: vector.senior_citizen, isWoman: vector.women_citizen },
      );
      expect(total).toBe(vector.expected_rate);
    },
  );

  it('returns the parts, with 0 for a benefit that does not apply', () => {
    const benefits = { seniorBenefit: '0.50', womenBenefit: '0.10' };
    expect(effectiveRate('8.18', benefits, { isSenior: true, isWoman: false })).toEqual({
      base: '8.18',
      senior: '0.5',
      women: '0',
      total: '8.68',
    });
  });

  it('refuses a malformed benefit even when it does not apply', () => {
    const benefits = { seniorBenefit: '-0.5', womenBenefit: '0' };
    expect(() => effectiveRate('8', benefits, { isSenior: false, isWoman: false })).toThrow(
      /senior citizen benefit/,
    );
  });
});
