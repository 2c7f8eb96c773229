import {
  VEHICLE,
  OTHER_VEHICLE,
  TAX_SAVER,
  GOOD,
  load,
  loadText,
  changed,
} from '../../../test/support/issuer-file.js';
import { formatProblem } from './yaml-source.js';

describe('loadCatalogue', () => {
  it('reads a valid file without a problem and keeps decimals as written', () => {
    const { issuers, problems } = loadText(GOOD);
    expect(problems).toEqual([]);
    expect(issuers).toHaveLength(1);
    expect(issuers[0]).toMatchObject({
      slug: 'testbank',
      number: 7,
      code: 'TESTBANK',
      seniorBenefit: '0.50',
      womenBenefit: '0.10',
      heroTag: null,
      quoteSwitches: { dayCount: 'ACT/ACT', fullPeriods: 'nominal', places: 2 },
      renewalOptions: { principal: true, noRenewal: true, totalAmount: false },
    });
    expect(issuers[0]!.vehicles).toMatchObject([
      {
        vehicleId: VEHICLE,
        payoutFrequency: 'Maturity',
        rate: '7.40',
        tenureLabel: '1 to 5 years',
        details: 'NULL',
      },
      {
        vehicleId: OTHER_VEHICLE,
        payoutFrequency: 'Monthly',
        rate: '7.35',
        tenureLabel: '',
        lockInPeriod: '7',
      },
      { vehicleId: TAX_SAVER, rate: '7', isTaxSaver: true, lockInPeriod: '1825', hasEarlyWithdrawal: false },
    ]);
    expect(issuers[0]!.vehicles[0]).toMatchObject({
      effectiveAt: new Date('2025-03-31T18:30:00Z'),
      ineffectiveAt: null,
      rank: null,
      isVisible: true,
    });
  });

  it('prefers the terms of a row to its card, and of a card to the defaults', () => {
    const row = `days: [365, 1825], rate: 7.40, label: 1 to 5 years`;
    const { text } = changed(row, `${row}, rank: 3, amount: [1, 2], product_id: X`);
    const { issuers } = loadText(text.replace('    rates:', '    rank: 9\n    rates:'));
    expect(
      issuers[0]!.vehicles.map(({ rank, minInvestment, productId }) => [rank, minInvestment, productId]),
    ).toEqual([
      [3, 1, 'X'],
      [9, 1_000, ''],
      [null, 1_000, ''],
    ]);
  });

  const second = GOOD.replaceAll('testbank', 'secondbank');

  it('refuses files that share ids, codes or vehicles', () => {
    const { problems } = load(
      { file: 'testbank.yaml', text: GOOD },
      { file: 'secondbank.yaml', text: second },
    );
    expect(problems.map(formatProblem)).toEqual([
      'secondbank.yaml:3: id: 7 is used at testbank.yaml:3 already',
      'secondbank.yaml:4: f_issuer_id: 6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e2001 is used at testbank.yaml:4 already',
      'secondbank.yaml:5: f_code: TESTBANK is used at testbank.yaml:5 already',
      'secondbank.yaml:43: vehicle: aaaaaaaa-0000-4000-8000-000000000001 is used at testbank.yaml:43 already',
      'secondbank.yaml:45: vehicle: aaaaaaaa-0000-4000-8000-000000000002 is used at testbank.yaml:45 already',
      'secondbank.yaml:52: vehicle: aaaaaaaa-0000-4000-8000-000000000003 is used at testbank.yaml:52 already',
    ]);
  });

  it('refuses files that share a slug', () => {
    const { problems } = load({ file: 'testbank.yaml', text: GOOD }, { file: 'testbank.yml', text: GOOD });
    expect(problems.map(({ message }) => message)).toContain(
      'slug: testbank is used at testbank.yaml:1 already',
    );
  });

  it('lists all problems by file and line', () => {
    const bad = GOOD.replace('rate: 7.40', 'rate: 99')
      .replace('f_code: TESTBANK', 'f_code: x')
      .replace('[365, 1825]', '[9, 1]');
    const { problems, issuers } = load(
      { file: 'testbank.yaml', text: bad },
      { file: 'broken.yaml', text: 'slug: [' },
      { file: 'empty.yaml', text: '' },
    );
    expect(issuers).toEqual([]);
    expect(problems.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'broken.yaml:1',
      'empty.yaml:1',
      'testbank.yaml:5',
      'testbank.yaml:43',
      'testbank.yaml:43',
    ]);
  });

  it('loads no file when one is invalid', () => {
    const good = second
      .replace('id: 7', 'id: 8')
      .replace('e2001', 'e2002')
      .replace('TESTBANK', 'SECOND')
      .replaceAll('aaaaaaaa', 'bbbbbbbb');
    expect(
      load({ file: 'testbank.yaml', text: GOOD }, { file: 'secondbank.yaml', text: good }).issuers,
    ).toHaveLength(2);
    expect(
      load({ file: 'testbank.yaml', text: 'x' }, { file: 'secondbank.yaml', text: good }).issuers,
    ).toEqual([]);
  });

  it.each([
    [
      'a bomb of aliases',
      'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n',
    ],
    ['a key that reaches prototypes', '__proto__: { slug: x }\nconstructor: 1\n'],
    ['a scalar', 'just text'],
    ['a list', '- 1\n- 2\n'],
    ['two documents', 'a: 1\n---\nb: 2\n'],
    ['control characters', 'a: \u0000\u0001'],
    ['an unknown tag', 'slug: !!js/function "x"\n'],
  ])('reports a hostile file as a problem: %s', (_, text) => {
    const { issuers, problems } = loadText(text);
    expect(issuers).toEqual([]);
    expect(problems.length).toBeGreaterThan(0);
  });
});
