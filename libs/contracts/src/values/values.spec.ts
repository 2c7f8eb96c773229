import { formatRupees, parseRupees } from './money.js';
import { isPrintableLine } from '../fields.decorator.js';
import { isPincode } from './address.js';
import { isAccountNumber, isIfsc, maskAccountNumber } from './bank-account.js';
import { emailKey, isEmailAddress, maskEmail, tidyEmail } from './email.js';
import { isPan, maskPan } from './pan.js';
import { isNationalNumber, isPhone, maskPhone } from './phone.js';

const NEVER = [
  undefined,
  null,
  '',
  ' ',
  0,
  1,
  true,
  {},
  [],
  NaN,
  '\u0000',
  '\ud800',
  "' OR 1=1 --",
  '９１９８１２３４５６７８',
];

describe.each([
  [
    'phone',
    isPhone,
    ['919812345678', '910000000000'],
    [
      '9812345678',
      '91981234567',
      '9198123456789',
      '929812345678',
      ' 919812345678',
      '919812345678\n',
      '+919812345678',
      '91981234567a',
      '91981234567.8',
      '91 9812345678',
      ['919812345678'],
      919812345678,
    ],
  ],
  [
    'national number',
    isNationalNumber,
    ['9812345678', '0000000000'],
    ['919812345678', '981234567', '981234567a'],
  ],
  [
    'PAN',
    isPan,
    ['ABCDE1234F', 'AAAAA0000A'],
    [
      'abcde1234f',
      'ABCDE12345',
      'ABCDE1234FG',
      'ABCDE1234',
      'ABCDE1234F\n',
      'ABCD 1234F',
      '1234567890',
      'ABCDEFGHIJ',
    ],
  ],
  [
    'IFSC',
    isIfsc,
    ['HDFC0001234', 'SBIN0ABC123'],
    ['hdfc0001234', 'HDFC1001234', 'HDFC000123', 'HDFC00012345', 'HDFC0001234\n'],
  ],
  ['pincode', isPincode, ['560001', '110001'], ['060001', '56000', '5600012', '560001\n', 560001]],
  [
    'account number',
    isAccountNumber,
    ['123456789', '012345678901234567'],
    ['12345678', '1234567890123456789', '12345678a', '123456789\n', 123456789],
  ],
  [
    'email',
    isEmailAddress,
    ['asha@example.com', 'a.b+c@sub.example.in', 'asha@example.com ', ' \u00a0asha@example.com\u3000'],
    [
      'asha',
      '@example.com',
      'asha@',
      'asha@example',
      `${'a'.repeat(250)}@example.com`,
      'asha@example.com\r\nBcc: x@example.com',
      'asha@example.com\n',
      'asha@example.com\t',
      'asha\u2003rao@example.com',
      '   ',
    ],
  ],
] as const)('%s', (_, check, good, bad) => {
  it.each(good.map((value) => [value]))('accepts %j', (value) => {
    expect(check(value)).toBe(true);
  });
  it.each([...bad, ...NEVER].map((value) => [value]))('refuses %j', (value) => {
    expect(check(value)).toBe(false);
  });
});

describe('a printable line', () => {
  it.each(['', 'Flat 4, MG Road', '\u0935\u093f\u0936\u094d\u0935', '\ud83c\udfe0', 'a'.repeat(20)])(
    'may be %j',
    (line) => {
      expect(isPrintableLine(line, 20)).toBe(true);
    },
  );
  it.each(['a'.repeat(21), 'a\nb', 'a\tb', '\u0000', '\ud800', undefined, null, 5])('is not %j', (value) => {
    expect(isPrintableLine(value, 20)).toBe(false);
  });
});

describe('masking', () => {
  it.each([
    [maskPhone('919812345678'), '91XXXXXX5678'],
    [maskPan('ABCDE1234F'), 'XXXXXX234F'],
    [maskAccountNumber('123456789'), 'XXXXX6789'],
    [maskEmail('asha.rao@example.com'), 'a***o@example.com'],
    [maskEmail('as@example.com'), 'a***@example.com'],
  ])('turns %s into %s', (masked, expected) => {
    expect(masked).toBe(expected);
  });
});

describe('rupees', () => {
  it.each([
    ['5000', 500000n],
    ['5000.', 500000n],
    ['0.5', 50n],
    ['0.005', 1n],
    ['0.0049', 0n],
    ['1.999', 200n],
    ['999999999999999.99', 99999999999999999n],
  ])('reads %s', (text, paise) => {
    expect(parseRupees(text)).toBe(paise);
  });

  it.each(['', '-1', '+1', '1e5', '1,000', 'abc', '.5', '1.2.3', ' 1', '1234567890123456'])(
    'refuses %j',
    (text) => {
      expect(parseRupees(text)).toBeUndefined();
    },
  );

  it.each([
    [0n, '0.00'],
    [5n, '0.05'],
    [500050n, '5000.50'],
    [-150n, '-1.50'],
  ])('writes %s', (paise, text) => {
    expect(formatRupees(paise)).toBe(text);
  });
});

describe('an email address', () => {
  it.each([
    ['Asha.Rao@Example.COM', 'Asha.Rao@example.com', 'asha.rao@example.com'],
    [' Asha@Example.COM\u00a0', 'Asha@example.com', 'asha@example.com'],
    ['asha+fd@example.com', 'asha+fd@example.com', 'asha+fd@example.com'],
    ['asha@Bücher.example', 'asha@xn--bcher-kva.example', 'asha@xn--bcher-kva.example'],
    ['asha@XN--BCHER-KVA.example', 'asha@xn--bcher-kva.example', 'asha@xn--bcher-kva.example'],
    ['JOSE\u0301@example.com', 'JOSE\u0301@example.com', 'jos\u00e9@example.com'],
  ])('stores %s as %s and compares it as %s', (typed, kept, compared) => {
    expect([tidyEmail(typed), emailKey(typed)]).toEqual([kept, compared]);
    expect([tidyEmail(kept), emailKey(kept)]).toEqual([kept, compared]);
  });
});
