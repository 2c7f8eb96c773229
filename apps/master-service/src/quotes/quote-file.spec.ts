import { quoteFile, QuoteFileError } from './quote-file.js';

const entry = {
  id: 'A1',
  input: {
    principal: '100000',
    annual_rate_pct: '7.5',
    tenure_days: 730,
    start_date: '2025-01-15',
    compounding: 'Yearly',
    payout_frequency: 'Maturity',
  },
};

const withInput = (changes: Record<string, unknown>) => ({ ...entry, input: { ...entry.input, ...changes } });

function refusal(json: unknown): string {
  try {
    quoteFile(json);
  } catch (error) {
    expect(error).toBeInstanceOf(QuoteFileError);
    return (error as Error).message;
  }
  throw new Error('the file was accepted');
}

describe('quoteFile', () => {
  it('returns an object for each entry, vectors first', () => {
    const variant = { ...withInput({ options: { rounding: 'floor', places: 0 } }), id: 'V1' };
    expect(quoteFile({ variants: [variant], vectors: [entry] })).toEqual([
      {
        id: 'A1',
        maturity_date_ist: '2027-01-15',
        maturity_amount: 115562.5,
        total_interest: 15562.5,
        average_yield: '7.78',
        payout: [{ year: 2027, data: [{ date: '2027-01-15', amount: 15562.5 }] }],
      },
      expect.objectContaining({ id: 'V1', maturity_amount: 115562, total_interest: 15562 }),
    ]);
  });

  it('ignores unknown fields', () => {
    const extra = {
      ...withInput({ colour: 'blue', options: { colour: 'red' } }),
      note: 'x',
      published: null,
    };
    expect(quoteFile({ meta: {}, date_vectors: 7, vectors: [extra] })).toEqual(
      quoteFile({ vectors: [entry] }),
    );
  });

  it('returns an empty list for empty lists', () => {
    expect(quoteFile({ vectors: [] })).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a number as principal', { principal: 100000 }, 'input.principal: '],
    ['no principal', { principal: '0.00' }, 'input.principal: must be a decimal text of at least one paisa'],
    [
      'a negative rate',
      { annual_rate_pct: '-1' },
      'input.annual_rate_pct: must be a non-negative decimal text',
    ],
    ['a rate that is missing', { annual_rate_pct: undefined }, 'input.annual_rate_pct: '],
    ['half a day', { tenure_days: 1.5 }, 'input.tenure_days: '],
    ['days as text', { tenure_days: '730' }, 'input.tenure_days: '],
    ['30 February', { start_date: '2025-02-30' }, 'input.start_date: must be an existing date'],
    ['an unknown rest', { compounding: 'Daily' }, 'input.compounding: '],
    ['an unknown frequency', { payout_frequency: 'maturity' }, 'input.payout_frequency: '],
    ['an unknown switch value', { options: { places: 1 } }, 'input.options.places: '],
    ['a maturity after the year 9999', { start_date: '9999-12-01' }, 'no such calendar date'],
  ])('names entry and field for %s', (_, changes, problem) => {
    expect(refusal({ vectors: [entry, { ...withInput(changes), id: 'B2' }] })).toContain(
      `entry B2: ${problem}`,
    );
  });

  it('names an entry without a valid id by its index', () => {
    expect(refusal({ vectors: [entry], variants: [{ input: entry.input }] })).toMatch(
      /^entry variants\[0\]: id: /,
    );
    expect(refusal({ vectors: [null] })).toMatch(/^entry vectors\[0\]: /);
  });

  it('lists all problems, up to 20', () => {
    const bad = Array.from({ length: 30 }, (_, index) => ({
      ...withInput({ principal: 'x' }),
      id: `C${index}`,
    }));
    const lines = refusal({ vectors: bad }).split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[0]).toContain('entry C0: input.principal');
    expect(lines.at(-1)).toBe('and 10 more');
  });

  it.each([[null], [[]], ['text'], [{}], [{ vectors: {} }]])('refuses a file that is %j', (json) => {
    expect(refusal(json)).toMatch(/^the file is not usable: /);
  });
});
