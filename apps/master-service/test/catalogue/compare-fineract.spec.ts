import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PAYOUT_FREQUENCIES } from '@fd/contracts';
import type { Environment } from '@fd/platform';
import { eventually, ServiceProcesses } from '@fd/testing';
import { compareFineractCommand } from '../../src/catalogue/fineract/compare.command.js';
import { type CommandOutcome, runCommand } from '../support/command-line.js';
import { CATALOGUE_FOLDER } from '../support/master-app.js';

/** A day with the shipped catalogue's usual rates. */
const now = () => new Date('2025-11-10T12:00:00+05:30');
/** The sandbox's products of vindhya, by their short names. */
const PRODUCTS = ['VMAT', 'VMON', 'VQUA', 'VHAL', 'VYEA'].map(
  (name, i) => `${name}=${PAYOUT_FREQUENCIES[i]!}`,
);
const SHIPPED = join(CATALOGUE_FOLDER, 'vindhya.yaml');

/** Of a product that pays at maturity. */
const USUAL_TERMS = {
  interestCompoundingPeriodType: { code: 'savings.interest.period.quarterly' },
  interestPostingPeriodType: { code: 'savings.interest.posting.period.annual' },
  interestCalculationDaysInYearType: { id: 365 },
  preClosurePenalApplicable: true,
  preClosurePenalInterest: 0.5,
  preClosurePenalInterestOnType: { code: 'preClosurePenalInterestOnType.tillPrematureWithdrawal' },
};

/**
 * Amounts of the sandbox and of our quotes that differ, both checked by another calculation. A deposit of 29 days ends before the
 * next quarter begins, so that both are equal.
 */
const AMOUNTS = (
  [
    [90, 100000, '101050.62', '101047.95'],
    [180, 100000, '102609.94', '102589.04'],
    [364, 100000, '106124.89', '106132.06'],
    [545, 100000, '110275.42', '110253.69'],
    [729, 100000, '114311.83', '114319.63'],
    [1095, 100000, '122790.08', '122775.64'],
    [1824, 100000, '140077.60', '140061.77'],
    [3650, 100000, '190567.55', '190514.14'],
    [90, 10000000, '10107540.93', '10107260.27'],
    [180, 10000000, '10266005.98', '10263835.62'],
    [364, 10000000, '10622939.77', '10623658.94'],
    [545, 10000000, '11043773.06', '11041553.74'],
    [729, 10000000, '11453677.78', '11454459.43'],
    [1095, 10000000, '12315294.55', '12313812.89'],
    [1824, 10000000, '14076779.82', '14075151.39'],
    [3650, 10000000, '19245214.35', '19239719.64'],
  ] as const
).map(
  ([days, amount, theirs, ours]) =>
    `Maturity: ${days} days, ${amount} rupees: pays ${theirs} in Fineract, ${ours} by our quote`,
);

const run = (
  env: Environment,
  file = SHIPPED,
  products: readonly string[] = PRODUCTS,
): Promise<CommandOutcome> =>
  runCommand(
    compareFineractCommand(env, now),
    file,
    ...products.flatMap((product) => ['--product', product]),
  );

describe('catalogue:compare-fineract', () => {
  const folder = mkdtempSync(join(tmpdir(), 'compare-'));
  const processes = new ServiceProcesses(join(import.meta.dirname, '../../../sandbox/dist'), {
    HTTPS_PORT: '0',
    SMTP_PORT: '0',
  });
  let fineract: Environment;
  beforeAll(async () => {
    const { url } = await processes.start();
    fineract = {
      FINERACT_URL: `${url}/vendors/fineract/fineract-provider/api`,
      FINERACT_TENANT: 'vindhya',
      FINERACT_USER: 'catalogue',
      FINERACT_PASSWORD: 'any',
    };
  });
  afterAll(async () => {
    await processes.killAll();
    rmSync(folder, { recursive: true });
  });

  /** The shipped file with a replaced text. */
  function changed(from: string, to: string): string {
    const text = readFileSync(SHIPPED, 'utf8');
    expect(text).toContain(from);
    const file = join(folder, 'vindhya.yaml');
    writeFileSync(file, text.replace(from, to));
    return file;
  }

  it('finds the shipped catalogue equal to the products of the sandbox', async () => {
    expect(await run(fineract)).toEqual({
      code: 0,
      stdout: 'Equal: the catalogue has the rates, benefits and terms of Fineract.\n',
      stderr: '',
    });
  });

  it.each([
    [
      'another rate',
      'days: [30, 90], rate: 4.25',
      'days: [30, 90], rate: 4.20',
      ['Maturity: 30 to 90 days, 1000 to 9999999 rupees: 4.25 in Fineract, 4.2 in the catalogue'],
    ],
    [
      'other days',
      'days: [1825, 3650], rate: 6.47',
      'days: [1825, 3000], rate: 6.47',
      [
        'Monthly: 1825 to 3650 days, 1000 to 9999999 rupees: 6.47 in Fineract, none in the catalogue',
        'Monthly: 1825 to 3000 days, 1000 to 9999999 rupees: none in Fineract, 6.47 in the catalogue',
      ],
    ],
    [
      'another benefit',
      'senior_citizen: 0.50',
      'senior_citizen: 0.25',
      PAYOUT_FREQUENCIES.map(
        (name) => `${name}: senior citizens get 0.5 more in Fineract, 0.25 in the catalogue`,
      ),
    ],
    [
      'another rest',
      'compounding_freq: Quarterly',
      'compounding_freq: Yearly',
      [
        'Maturity: interest compounds quarterly in Fineract, every 12 months in the catalogue',
        'HalfYearly: interest compounds quarterly in Fineract, every 6 months in the catalogue',
        'Yearly: interest compounds quarterly in Fineract, every 12 months in the catalogue',
      ],
    ],
    [
      'another penalty of early withdrawal',
      '{ held: 7 days, penalty: 0.50 }',
      [
        '{ held: 7 days, interest: none }',
        '{ held: 30 days, penalty: 1.00 }',
        '{ held: 91 days, penalty: 0.50 }',
      ].join('\n    - '),
      PAYOUT_FREQUENCIES.flatMap((name) => [
        `${name}: early withdrawal after 7 days costs 0.5 per cent in Fineract, all interest in the catalogue`,
        `${name}: early withdrawal after 30 days costs 0.5 per cent in Fineract, 1.00 per cent in the catalogue`,
      ]),
    ],
  ])('prints %s, and exits with 2', async (_what, from, to, lines) => {
    const count = lines.length === 1 ? '1 difference' : `${lines.length} differences`;
    expect(await run(fineract, changed(from, to))).toEqual({
      code: 2,
      stdout: [...lines, `${count}.`, ''].join('\n'),
      stderr: '',
    });
  });

  it('names products that are missing or not compared', async () => {
    const { code, stdout } = await run(fineract, SHIPPED, [...PRODUCTS.slice(0, 4), 'NONE=Yearly']);
    expect([code, stdout.split('\n')]).toEqual([
      2,
      ['Yearly: Fineract has no product NONE', 'not compared: product VYEA (Yearly)', '2 differences.', ''],
    ]);
  });

  it.each<[string, Environment, readonly string[], string, RegExp]>([
    ['without products', {}, [], SHIPPED, /name at least one product/],
    ['with an unknown frequency', {}, ['VMAT=Weekly'], SHIPPED, /must be SHORT=FREQUENCY, one of Maturity, /],
    ['without a file', {}, PRODUCTS, '/nowhere.yaml', /cannot be read/],
    [
      'without settings',
      { FINERACT_URL: '', FINERACT_USER: '' },
      PRODUCTS,
      SHIPPED,
      /FINERACT_URL: is not set\n.*FINERACT_USER: is not set/,
    ],
    [
      'over http in production',
      { NODE_ENV: 'production' },
      PRODUCTS,
      SHIPPED,
      /FINERACT_URL: must be an https URL/,
    ],
    [
      'when the tenant is unknown',
      { FINERACT_TENANT: 'nobody' },
      PRODUCTS,
      SHIPPED,
      /Fineract answers 40\d to fixeddepositproducts/,
    ],
    [
      'when no server answers',
      { FINERACT_URL: 'http://127.0.0.1:1' },
      PRODUCTS,
      SHIPPED,
      /Fineract does not answer/,
    ],
  ])('fails %s, and compares nothing', async (_when, overrides, products, file, message) => {
    const { code, stdout, stderr } = await run({ ...fineract, ...overrides }, file, products);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('any');
  });

  describe('with a client for trials', () => {
    /** An active client: a customer that the sandbox knows by the PAN. */
    async function aClient(): Promise<string> {
      const found = await fetch(`${fineract['FINERACT_URL']}/v2/clients/search`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: 'Basic YTpi',
          'fineract-platform-tenantid': 'vindhya',
        },
        body: JSON.stringify({ request: { text: 'ABCPR0200K' }, page: 0, size: 1 }),
      });
      const { content } = (await found.json()) as { content: [{ id: number }] };
      return String(content[0].id);
    }

    /** Calls about applications, by method. */
    async function applications(): Promise<Record<string, number>> {
      const wire = await fetch(new URL('/api/wire', fineract['FINERACT_URL']));
      const { calls } = (await wire.json()) as { calls: { method: string; path: string; status: number }[] };
      const counts: Record<string, number> = {};
      for (const { method, path, status } of calls)
        if (path.includes('/fixeddepositaccounts') && status === 200)
          counts[method] = (counts[method] ?? 0) + 1;
      return counts;
    }

    const compare = async (...args: string[]) =>
      runCommand(compareFineractCommand(fineract, now), SHIPPED, '--product', 'VMAT=Maturity', ...args);

    it('prints amounts that differ from our quotes, and deletes each application', async () => {
      const { code, stdout, stderr } = await compare('--client', await aClient());
      expect([code, stderr]).toEqual([2, '']);
      const amounts = stdout.split('\n').filter((line) => line.includes('by our quote'));
      expect(amounts).toEqual(AMOUNTS);
      // a call is recorded once its connection is done with it
      await eventually(async () => expect(await applications()).toEqual({ POST: 18, GET: 18, DELETE: 18 }));
    });

    it('accepts small differences', async () => {
      const names = PRODUCTS.flatMap((product) => ['--product', product]);
      const outcome = await compare(...names, '--client', await aClient(), '--within', '60');
      expect(outcome).toEqual({
        code: 0,
        stdout:
          'Equal: the catalogue has the rates, benefits and terms of Fineract, and our quotes its amounts.\n',
        stderr: '',
      });
    });

    it.each([
      [
        'a client that Fineract does not know',
        ['--client', '1'],
        /Fineract answers 404 to fixeddepositaccounts/,
      ],
      ['a client that is no id', ['--client', 'asha'], /--client: must be the id/],
      ['an invalid amount', ['--client', '1', '--within', 'much'], /--within: must be an amount/],
    ])('fails for %s, and leaves nothing behind', async (_what, args, message) => {
      const { POST, DELETE } = await applications();
      const { code, stderr } = await compare(...args);
      expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
      await eventually(async () => expect(await applications()).toMatchObject({ POST, DELETE }));
    });
  });

  describe('with another Fineract', () => {
    let server: Server;
    let charts: object[];
    let currency: string;
    let terms: object;
    /** The answers to an application: of its submission, its reading and its deletion. */
    let application: readonly [submitted: object, read: object, deleted: number] = [{}, {}, 200];
    let deletions = 0;
    beforeAll(async () => {
      server = createServer((request, response) => {
        const products = [
          { id: 1, name: 'All', shortName: 'ALL', currency: { code: currency }, ...USUAL_TERMS, ...terms },
        ];
        const [submitted, read, deleted] = application;
        const { method, url } = request;
        if (method === 'DELETE') deletions++;
        const ofApplications = { POST: submitted, GET: read, DELETE: { resourceId: 7 } }[method!];
        const isApplication = url!.startsWith('/v1/fixeddepositaccounts');
        const answer = url!.startsWith('/v1/fixeddepositproducts') ? products : charts;
        response
          .writeHead(isApplication && method === 'DELETE' ? deleted : 200, {
            'content-type': 'application/json',
          })
          .end(JSON.stringify(isApplication ? ofApplications : answer));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    afterAll(() => server.close());

    const slab = {
      periodType: { code: 'interestChartPeriodType.days' },
      fromPeriod: 7,
      toPeriod: 29,
      amountRangeFrom: 1_000,
      amountRangeTo: 9_999_999,
      annualInterestRate: 3,
    };
    const fromApril = (chartSlabs?: object[]) => ({ fromDate: [2025, 4, 1], chartSlabs });
    const incentive = {
      attributeName: { code: 'InterestIncentiveAttributeName.age' },
      conditionType: { code: 'incentiveConditionType.greaterthan' },
      attributeValue: '70',
      incentiveType: { code: 'InterestIncentiveType.incentive' },
      amount: 0.5,
    };

    const compareWith = async (
      given: { readonly charts: object[]; readonly currency?: string; readonly terms?: object },
      ...args: string[]
    ) => {
      charts = given.charts;
      currency = given.currency ?? 'INR';
      terms = given.terms ?? {};
      const { port } = server.address() as AddressInfo;
      const env = { ...fineract, FINERACT_URL: `http://127.0.0.1:${port}` };
      const all = ['--product', 'ALL=Maturity', ...args];
      return runCommand(compareFineractCommand(env, now), SHIPPED, ...all);
    };

    const period = (kind: string, name: string) => ({ code: `savings.interest.${kind}.${name}` });

    it.each<[string, object, RegExp]>([
      [
        'a period of compounding that the catalogue lacks',
        { interestCompoundingPeriodType: period('period', 'daily') },
        /^Maturity: interest compounds daily in Fineract, every 3 months in the catalogue$/m,
      ],
      [
        'a year of 360 days',
        { interestCalculationDaysInYearType: { id: 360 } },
        /^Maturity: a year has 360 days in Fineract, ACT\/365 in the catalogue$/m,
      ],
      [
        'a penalty off the rate of the whole term',
        { preClosurePenalInterestOnType: { code: 'preClosurePenalInterestOnType.wholeTerm' } },
        /^Maturity: early withdrawal earns the rate of the whole term in Fineract/m,
      ],
      [
        'no penalty',
        { preClosurePenalApplicable: false },
        /^Maturity: early withdrawal after 7 days costs 0 per cent in Fineract, 0.50 per cent in the catalogue$/m,
      ],
    ])('reports %s', async (_what, changed, message) => {
      const { code, stdout } = await compareWith({ charts: [fromApril([slab])], terms: changed });
      expect([code, stdout]).toEqual([2, expect.stringMatching(message)]);
    });

    it('reports interest that is posted at other times than it is paid', async () => {
      const { stdout } = await compareWith({ charts: [fromApril([slab])] }, '--product', 'ALL=Quarterly');
      expect(stdout).toMatch(/^Quarterly: interest is posted annual in Fineract, and paid every 3 months/m);
    });

    it('reports another date of maturity', async () => {
      application = [{ resourceId: 7 }, { maturityAmount: 1, maturityDate: [2025, 12, 10] }, 200];
      const { stdout } = await compareWith({ charts: [fromApril([slab])] }, '--client', '5');
      expect(stdout).toMatch(/29 days, 100000 rupees: matures on 2025-12-10 in Fineract, 2025-12-09 by our/);
    });

    it('deletes an application whose answer it cannot read', async () => {
      application = [{ resourceId: 7 }, { maturityAmount: 'much' }, 200];
      const before = deletions;
      const { code, stderr } = await compareWith({ charts: [fromApril([slab])] }, '--client', '5');
      expect([code, deletions - before]).toEqual([1, 1]);
      expect(stderr).toMatch(/answers fixeddepositaccounts\/7 in another format: see maturityAmount/);
    });

    it('names an application that it could not delete', async () => {
      application = [{ resourceId: 7 }, { maturityAmount: 1, maturityDate: [2025, 12, 9] }, 403];
      const { code, stderr } = await compareWith({ charts: [fromApril([slab])] }, '--client', '5');
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/403 .*; delete the application 7 of client 5$/),
      ]);
    });

    it.each<[string, { readonly charts: object[]; readonly currency?: string }, number, RegExp]>([
      [
        'another currency',
        { charts: [fromApril([slab])], currency: 'USD' },
        2,
        /^Maturity: Fineract sells it in USD$/m,
      ],
      ['no chart', { charts: [] }, 2, /^Maturity: Fineract has 0 charts in force$/m],
      [
        'a chart of the past',
        { charts: [{ ...fromApril([slab]), endDate: [2025, 11, 9] }] },
        2,
        /has 0 charts in force/,
      ],
      [
        'a chart of the future',
        { charts: [{ ...fromApril([slab]), fromDate: [2025, 11, 11] }] },
        2,
        /has 0 charts in force/,
      ],
      ['two charts', { charts: [fromApril([slab]), fromApril([slab])] }, 2, /has 2 charts in force/],
      [
        'months',
        { charts: [fromApril([{ ...slab, periodType: { code: 'interestChartPeriodType.months' } }])] },
        2,
        /a slab from 7 is not in days/,
      ],
      [
        'an open end',
        { charts: [fromApril([{ ...slab, toPeriod: undefined, amountRangeTo: undefined }])] },
        2,
        /^Maturity: 7 and more days, 1000 and more rupees: 3 in Fineract/m,
      ],
      [
        'an incentive from 71',
        { charts: [fromApril([{ ...slab, incentives: [incentive] }])] },
        2,
        /cannot express the incentive age greaterthan 70: incentive 0\.5$/m,
      ],
      [
        'the sum of incentives',
        {
          charts: [
            fromApril([
              {
                ...slab,
                incentives: [0.1, 0.2].map((amount) => ({ ...incentive, attributeValue: '59', amount })),
              },
            ]),
          ],
        },
        2,
        /senior citizens get 0\.3 more in Fineract/,
      ],
      [
        'another format',
        { charts: [fromApril([{ ...slab, annualInterestRate: '3 %' }])] },
        1,
        /another format: see 0\.chartSlabs\.0\.annualInterestRate/,
      ],
    ])('reports %s', async (_what, given, code, message) => {
      const outcome = await compareWith(given);
      expect([outcome.code, outcome.stdout + outcome.stderr]).toEqual([code, expect.stringMatching(message)]);
    });
  });
});
