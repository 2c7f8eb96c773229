import { createHash } from 'node:crypto';
import { canonicalJson, type FactSheet, isSignedFactSheet } from '@fd/contracts';
import { ApiKeyErrors, type ErrorDefinition, FactSheetErrors, MasterErrors, QuoteErrors } from '@fd/errors';
import { expectRefusal, HINDI } from '@fd/testing';
import {
  FACT_SHEET_KEY,
  shippedIssuers,
  startApp,
  startService,
  type TestService,
  USUAL_DAY,
} from '../support/master-app.js';
import { ISSUERS } from '../support/issuers.js';
import type { Changes } from '../support/quote-calls.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(() => service.clock.set(USUAL_DAY));

const GOOD = {
  tenure: '730',
  investment_amount: '100000',
  payout_frequency: 'Maturity',
  product_type: 'FD',
};
const queryOf = (changes: Changes) =>
  Object.fromEntries(
    Object.entries({ ...GOOD, ...changes }).filter(([, value]) => value !== undefined),
  ) as Record<string, string | string[]>;

const ask = (code: string, changes: Changes = {}, headers: Record<string, string> = {}) =>
  service.api.get(`/api/v1/fact-sheet/${code}`, { query: queryOf(changes), headers });

async function sheetOf(code: string, changes: Changes = {}): Promise<FactSheet> {
  const { status, body } = await ask(code, changes);
  expect([status, body.message]).toEqual([200, 'SUCCESS']);
  return body.payload as FactSheet;
}

const taxOf = async (code: string, changes: Changes = {}) => {
  const { years, total_tds: total } = (await sheetOf(code, changes)).tax;
  return {
    years: years.map(({ financial_year, interest, tds, reason }) => [financial_year, interest, tds, reason]),
    total,
  };
};

describe('GET /api/v1/fact-sheet/{issuer_code}', () => {
  it('contains the figures of the quote', async () => {
    for (const [code, changes] of [
      ['ARAVFIN', {}],
      ['KAVSFB', { payout_frequency: 'Monthly', senior_citizen: 'true' }],
      ['SAHCAP', { payout_frequency: 'Yearly', tenure: '1825' }],
    ] as const) {
      const { deposit } = await sheetOf(code, changes);
      const { body } = await service.api.get(`/api/v1/detail/maturity-amount/${code}`, {
        query: queryOf({ ...changes, explain: 'true' }),
      });
      expect(deposit).toMatchObject({
        product_interest: body.product_interest,
        average_yield: body.average_yield,
        maturity_amount: body.maturity_amount,
        maturity_date_ist: body.maturity_date_ist,
        interest_amount: body.interest_amount,
        payout: body.payout,
        f_investment_vehicle_id: body.f_investment_vehicle_id,
      });
    }
  });

  it('states that it is an estimate', async () => {
    const sheet = await sheetOf('ARAVFIN');
    expect(sheet.is_estimate).toBe(true);
    expect(sheet.estimate_text).toMatch(/^This is an estimate/);
  });

  describe('tax', () => {
    it('estimates the tax for each tax year from the interest that accrues in it', async () => {
      // 295 days: 31,722.60; a year and 296 days: 73,578.80; in all 81,581.13
      expect(await taxOf('ARAVFIN', { investment_amount: '500000' })).toEqual({
        years: [
          ['2026-27', 31_722.6, 3_172.26, 'DEDUCTED'],
          ['2027-28', 41_856.2, 4_185.62, 'DEDUCTED'],
          ['2028-29', 8_002.33, 0, 'UP_TO_THRESHOLD'],
        ],
        total: 7_357.88,
      });
    });

    it('doubles the tax without a PAN, and estimates none with the form of the year', async () => {
      const amount = { investment_amount: '500000', financial_year: '2026-27' };
      expect(await taxOf('ARAVFIN', { ...amount, pan_given: 'false' })).toEqual({
        years: [['2026-27', 31_722.6, 6_344.52, 'NO_PAN']],
        total: 6_344.52,
      });
      expect(await taxOf('ARAVFIN', { ...amount, declaration_form: '121' })).toEqual({
        years: [['2026-27', 31_722.6, 0, 'DECLARED']],
        total: 0,
      });
    });

    it('applies a higher tax limit at banks for senior citizens of the tax year, even without their rate', async () => {
      const limit = async (code: string, changes: Changes) =>
        (await sheetOf(code, changes)).tax.years.map(({ threshold }) => threshold)[0];
      expect(await limit('KAVSFB', {})).toBe(50_000);
      expect(await limit('KAVSFB', { senior_citizen: 'true' })).toBe(100_000);
      expect(await limit('KAVSFB', { senior_for_tax: 'true' })).toBe(100_000);
      expect(await limit('KAVSFB', { senior_citizen: 'true', senior_for_tax: 'false' })).toBe(50_000);
      expect(await limit('ARAVFIN', { senior_citizen: 'true' })).toBe(10_000);
    });

    it('names the law and the form of each year, and marks years that have not begun', async () => {
      service.clock.set('2026-01-15T06:30:00Z');
      const { years } = (await sheetOf('KAVSFB', { senior_citizen: 'true' })).tax;
      expect(
        years.map((year) => [year.label, year.rule.id, year.accepted_form, year.is_law_projected]),
      ).toEqual([
        ['Financial year 2025-26', 'TDS_194A_2025', '15H', false],
        ['Tax year 2026-27', 'TDS_393_2026', '121', true],
        ['Tax year 2027-28', 'TDS_393_2026', '121', true],
      ]);
    });
  });

  describe('deposit insurance', () => {
    it('states deposit insurance up to the limit for banks', async () => {
      const { insurance } = await sheetOf('KAVSFB', {
        investment_amount: '600000',
        payout_frequency: 'Yearly',
      });
      expect(insurance).toMatchObject({ is_insured: true, limit: 500_000, covered: 500_000 });
      expect(insurance.not_covered).toBeGreaterThan(100_000);
      expect((await sheetOf('KAVSFB')).insurance).toMatchObject({ not_covered: 0 });
    });

    it('states no deposit insurance for finance companies', async () => {
      expect((await sheetOf('ARAVFIN')).insurance).toMatchObject({
        is_insured: false,
        limit: 0,
        covered: 0,
        not_covered: 116_316.23,
        text: expect.stringMatching(/^Not insured/) as string,
      });
    });
  });

  describe('early withdrawal', () => {
    it("states the issuer's terms of early withdrawal", async () => {
      const { premature_withdrawal: withdrawal } = await sheetOf('ARAVFIN');
      expect(withdrawal).toMatchObject({
        is_allowed: true,
        allowed_from: '2026-09-10',
        steps: [
          { from: '2026-09-10', penalty: null },
          { from: '2026-12-10', penalty: '2.00' },
        ],
      });
      expect(
        withdrawal.examples.map(({ held_days, rate, interest, amount }) => [
          held_days,
          rate,
          interest,
          amount,
        ]),
      ).toEqual([
        [92, '0', 0, 100_000],
        // no deposit of 183 days is on sale: 3 points below the lowest rate, 7.16
        [183, '4.16', 2_085.7, 102_085.7],
        // 7.40 for a year, less than the agreed 7.85
        [365, '5.4', 5_400, 105_400],
        // 7.60; a year, and 364 days of 1,05,600
        [729, '5.6', 11_497.4, 111_497.4],
      ]);
    });

    it('subtracts interest that was paid out in excess from an early withdrawal', async () => {
      const { premature_withdrawal: withdrawal, deposit } = await sheetOf('KAVSFB', {
        payout_frequency: 'Quarterly',
      });
      for (const { amount, interest, paid_before: paid, date } of withdrawal.examples) {
        const rows = deposit.payout.flatMap(({ data }) => data).filter((row) => row.date <= date);
        expect(paid).toBeCloseTo(
          rows.reduce((sum, row) => sum + row.amount, 0),
          2,
        );
        expect(amount).toBeCloseTo(100_000 + interest - paid, 2);
      }
      expect(withdrawal.examples.at(-1)!.paid_before).toBeGreaterThan(0);
    });

    it('allows no early withdrawal from a tax saver', async () => {
      const { premature_withdrawal: withdrawal } = await sheetOf('KAVSFB', {
        tax_saver: 'true',
        tenure: '1826',
      });
      expect(withdrawal).toMatchObject({ is_allowed: false, allowed_from: null, steps: [], examples: [] });
    });

    it('states no early withdrawal for an issuer without terms, or with terms for later deposits only', async () => {
      const [first, ...others] = await shippedIssuers();
      for (const terms of [null, { ...first!.prematureWithdrawal!, effectiveFrom: '2026-06-11' }]) {
        await service.stores.importIssuers([{ ...first!, prematureWithdrawal: terms }, ...others]);
        await service.refreshCatalogue();
        const { premature_withdrawal: withdrawal } = await sheetOf('ARAVFIN');
        expect(withdrawal).toMatchObject({ is_allowed: true, allowed_from: null, steps: [], source: null });
        expect(withdrawal.text).toMatch(/not on record/);
      }
      await service.stores.importIssuers(await shippedIssuers());
      await service.refreshCatalogue();
    });
  });

  it('contains the rules of nomination for the type of issuer and the date', async () => {
    expect((await sheetOf('VINBANK')).nomination).toMatchObject({ most: 4, is_required: false });
    expect((await sheetOf('SAHCAP')).nomination).toMatchObject({ most: 1, is_required: true });
    service.clock.set('2025-10-31T06:30:00Z');
    expect((await sheetOf('VINBANK')).nomination).toMatchObject({ most: 1 });
  });

  describe('the hash', () => {
    it('hashes the canonical JSON of all other fields with SHA-256', async () => {
      const { hash, signature: _, ...rest } = await sheetOf('ARAVFIN', { lang: 'hi' });
      expect(hash).toBe(createHash('sha256').update(canonicalJson(rest)).digest('hex'));
    });

    it('is signed for the issuer, with the first key', async () => {
      const { hash, signature = '' } = await sheetOf('ARAVFIN');
      const keys = [{ id: 'f1', bytes: FACT_SHEET_KEY }];
      expect(isSignedFactSheet(keys, { issuerCode: 'ARAVFIN', hash, signature })).toBe(true);
      expect(isSignedFactSheet(keys, { issuerCode: 'KAVSFB', hash, signature })).toBe(false);
      const other = (await sheetOf('ARAVFIN', { tenure: '731' })).hash;
      expect(isSignedFactSheet(keys, { issuerCode: 'ARAVFIN', hash: other, signature })).toBe(false);
    });

    it('has no signature without a key', async () => {
      const { FACT_SHEET_KEYS: _, ...environment } = service.stores.environment;
      const app = await startApp(environment);
      try {
        const { body } = await app.api.get('/api/v1/fact-sheet/ARAVFIN', { query: queryOf({}) });
        expect(body.payload).not.toHaveProperty('signature');
      } finally {
        await app.close();
      }
    });

    it('returns the same hash for equal requests on a day, even on another replica', async () => {
      const { hash } = await sheetOf('ARAVFIN');
      service.clock.set('2026-06-10T18:29:59Z');
      const other = await startApp(service.stores.environment);
      other.clock.set('2026-06-09T18:30:00Z');
      const { body } = await other.api.get('/api/v1/fact-sheet/ARAVFIN', { query: GOOD });
      await other.close();
      expect([(await sheetOf('ARAVFIN')).hash, (body.payload as FactSheet).hash]).toEqual([hash, hash]);
    });

    it('returns another hash when any field of the sheet differs', async () => {
      const hashes = [
        await sheetOf('ARAVFIN'),
        await sheetOf('ARAVFIN', { investment_amount: '100001' }),
        await sheetOf('ARAVFIN', { pan_given: 'false' }),
        await sheetOf('ARAVFIN', { senior_for_tax: 'true' }),
        await sheetOf('ARAVFIN', { declaration_form: '121' }),
        await sheetOf('ARAVFIN', { financial_year: '2026-27' }),
        await sheetOf('ARAVFIN', { lang: 'hi' }),
      ].map(({ hash }) => hash);
      service.clock.set('2026-06-11T06:30:00Z');
      hashes.push((await sheetOf('ARAVFIN')).hash);
      expect(new Set(hashes).size).toBe(hashes.length);
    });
  });

  describe('in Hindi', () => {
    /** What a depositor reads, without the names of the issuer, its terms and the laws. */
    const wordsOf = (html: string, sheet: FactSheet): string => {
      const { tax, insurance, premature_withdrawal: withdrawal, nomination } = sheet;
      const rules = [...tax.years, insurance, withdrawal, nomination].map(({ rule }) => rule);
      const names = [sheet.issuer.name, sheet.hash, withdrawal.source ?? sheet.hash];
      const said = html.replace(/<style>[^]*<\/style>/, '').replace(/<[^>]+>/g, ' ');
      return [...names, ...rules.flatMap(({ law, section }) => [law, section])].reduce(
        (text, name) => text.replaceAll(name, ' '),
        said,
      );
    };

    const DEPOSITORS: readonly Changes[] = [
      {},
      { investment_amount: '2000000', payout_frequency: 'Quarterly', senior_citizen: 'true' },
      { investment_amount: '2000000', pan_given: 'false' },
      { investment_amount: '2000000', declaration_form: '121' },
    ];

    it.each(Object.entries(ISSUERS).map(([slug, { code }]) => [slug, code]))(
      'returns every text of the sheet, and the page, without an English word: %s',
      async (_slug, code) => {
        const reasons = new Set<string>();
        for (const depositor of DEPOSITORS) {
          const sheet = await sheetOf(code, { ...depositor, lang: 'hi' });
          expect(sheet.lang).toBe('hi');
          const texts = [
            sheet.estimate_text,
            sheet.deposit.holiday_text,
            ...sheet.tax.assumptions,
            ...sheet.tax.years.flatMap(({ text, label }) => [text, label]),
            sheet.insurance.text,
            sheet.premature_withdrawal.text,
            sheet.premature_withdrawal.law_text,
            ...sheet.premature_withdrawal.steps.map(({ text }) => text),
            sheet.nomination.text,
          ];
          for (const text of texts) expect(text).toMatch(HINDI);
          for (const { reason } of sheet.tax.years) reasons.add(reason);
          const { text: html } = await ask(code, { ...depositor, lang: 'hi', format: 'html' });
          expect(html).toContain('<html lang="hi">');
          expect(wordsOf(html, sheet)).toMatch(HINDI);
        }
        expect([...reasons].sort()).toEqual(['DECLARED', 'DEDUCTED', 'NO_PAN', 'UP_TO_THRESHOLD']);
      },
    );
  });

  describe('as a page', () => {
    it.each([
      ['format=html', { format: 'html' }, {}],
      ['Accept: text/html', {}, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }],
    ])('answers %s with HTML that has the same hash', async (_name, changes, headers) => {
      const { hash } = await sheetOf('KAVSFB');
      const answer = await ask('KAVSFB', changes, headers);
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      });
      expect(answer.text).toContain('<html lang="en">');
      expect(answer.text).toContain(hash);
      expect(answer.text).not.toMatch(/undefined|NaN|\{\w+\}|<script/);
    });

    it('answers with JSON when the client accepts anything or asks for JSON', async () => {
      expect((await ask('KAVSFB', {}, { accept: '*/*' })).body).toMatchObject({ success: 1 });
      const asked = await ask('KAVSFB', { format: 'json' }, { accept: 'text/html' });
      expect(asked.body).toMatchObject({ success: 1 });
    });

    it('escapes texts of the catalogue in HTML, and refuses with JSON', async () => {
      const [first, ...others] = await shippedIssuers();
      await service.stores.importIssuers([{ ...first!, name: '<b>"A" & B</b>' }, ...others]);
      await service.refreshCatalogue();
      const { text } = await ask('ARAVFIN', { format: 'html', lang: 'hi' });
      await service.stores.importIssuers(await shippedIssuers());
      await service.refreshCatalogue();
      expect(text).toContain('&#60;b&#62;&#34;A&#34; &#38; B&#60;/b&#62;');
      expect(text).not.toContain('<b>"A"');
      expectRefusal(await ask('ARAVFIN', { format: 'html', tenure: 'abc' }), QuoteErrors.tenureInvalid);
    });
  });

  it.each<[ErrorDefinition, string, Changes]>([
    [MasterErrors.issuerUnknown, 'NOBODY', {}],
    [QuoteErrors.tenureInvalid, 'ARAVFIN', { tenure: undefined }],
    [QuoteErrors.tenureOutOfRange, 'ARAVFIN', { tenure: '1' }],
    [QuoteErrors.amountInvalid, 'ARAVFIN', { investment_amount: 'abc' }],
    [QuoteErrors.amountOutOfRange, 'ARAVFIN', { investment_amount: '1' }],
    [QuoteErrors.frequencyUnknown, 'ARAVFIN', { payout_frequency: 'Weekly' }],
    [QuoteErrors.frequencyNotOffered, 'NILHFC', { payout_frequency: 'Yearly' }],
    [QuoteErrors.productTypeUnsupported, 'ARAVFIN', { product_type: 'RD' }],
    [QuoteErrors.womenRateNotOffered, 'NILHFC', { women_citizen: 'true' }],
    [QuoteErrors.taxSaverNotOffered, 'ARAVFIN', { tax_saver: 'true' }],
    [QuoteErrors.noProduct, 'KAVSFB', { tax_saver: 'true', tenure: '400' }],
    [QuoteErrors.flagInvalid, 'ARAVFIN', { senior_citizen: 'maybe' }],
    [QuoteErrors.flagInvalid, 'ARAVFIN', { pan_given: 'TRUE' }],
    [QuoteErrors.flagInvalid, 'ARAVFIN', { senior_for_tax: '' }],
    [FactSheetErrors.financialYearInvalid, 'ARAVFIN', { financial_year: '2026' }],
    [FactSheetErrors.financialYearInvalid, 'ARAVFIN', { financial_year: '2026-28' }],
    [FactSheetErrors.financialYearInvalid, 'ARAVFIN', { financial_year: ['2026-27', '2027-28'] }],
    [FactSheetErrors.financialYearOutside, 'ARAVFIN', { financial_year: '2019-20' }],
    [FactSheetErrors.declarationFormUnknown, 'ARAVFIN', { declaration_form: '15g' }],
    [FactSheetErrors.declarationFormNotAccepted, 'ARAVFIN', { declaration_form: '15G' }],
    [FactSheetErrors.languageUnknown, 'ARAVFIN', { lang: 'fr' }],
    [FactSheetErrors.formatUnknown, 'ARAVFIN', { format: 'pdf' }],
  ])('refuses with %p: %s %j', async (error, code, changes) => {
    expectRefusal(await ask(code, changes), error);
  });

  it.each([
    ['declaration_form', ['15G', '15H', '121']],
    ['lang', ['en', 'hi']],
    ['format', ['json', 'html']],
  ])('names every accepted value of an unknown %s', async (name, accepted) => {
    const { error } = (await ask('ARAVFIN', { [name]: 'zebra' })).body as { error: { error: string }[] };
    expect(error[0]!.error.replace(`${name} must be `, '').split(/, | or /)).toEqual(accepted);
  });

  it('refuses a day without a known law', async () => {
    service.clock.set('2025-03-31T06:30:00Z');
    expectRefusal(await ask('ARAVFIN', { tenure: '400' }), FactSheetErrors.lawUnknown);
  });

  it('requires an API key', async () => {
    expectRefusal(
      await service.anonymous.get('/api/v1/fact-sheet/ARAVFIN', { query: GOOD }),
      ApiKeyErrors.missing,
    );
  });
});
