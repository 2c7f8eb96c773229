import { PanErrors } from '@fd/errors';
import fc from 'fast-check';
import { looksPersonal, plainText, type PropertyValue } from './personal-data.js';

/** Properties that identify a person. */
const PERSONAL: [key: string, value: PropertyValue][] = [
  // phones
  ['note', '9876543210'],
  ['note', 9876543210],
  ['note', '919876543210'],
  ['note', '91\u200b9876\u200b543210'],
  ['note', 'ABCDE\u00ad1234F'],
  ['note', 919876543210],
  ['note', '+91 98765 43210'],
  ['note', '+91-9876-543-210'],
  ['note', '0091 9876543210'],
  ['note', '09876543210'],
  ['note', '(987) 654-3210'],
  ['note', '987.654.3210'],
  ['note', '98765.43210'],
  ['note', '9 8 7 6 5 4 3 2 1 0'],
  ['note', '9.8.7.6.5.4.3.2.1.0'],
  ['note', '9_8_7_6_5_4_3_2_1_0'],
  ['note', '98765,43210'],
  ['note', '9876\u00a0543\u00a0210'],
  ['note', '98765–43210'],
  ['note', 'call me: 9876543210.'],
  ['note', 'tel9876543210x'],
  ['note', '９８７６５４３２１０'],
  ['note', '९८७६५४३२१०'],
  ['note', '௯௮௭௬௫௪௩௨௧௦'],
  ['note', '9\u03018\u03017\u03016\u03015\u03014\u03013\u03012\u03011\u03010\u0301'],
  ['note', '9\u20e38\u20e37\u20e36\u20e35\u20e34\u20e33\u20e32\u20e31\u20e30\u20e3'],
  ['note', '98765:43210'],
  ['note', '98765#43210'],
  ['note', '987|654|3210'],
  ['note', '98//// 76////54////3210'],
  ['note', '9876543.210'],
  ['note', '9,876,543,210'],
  ['note', '%2539876543210'],
  ['note', '%25398%252D765%252D43210'],
  ['amount', '9876543210'],
  ['amount', 9876543210],
  ['duration_ms', 919876543210],
  ['mobile', '98765'],
  ['phone_number', 987654],
  // PAN
  ['note', 'ABCDE1234F'],
  ['note', 'abcde1234f'],
  ['note', 'pan ABCDE1234F entered'],
  ['note', 'pan=ABCDE1234F&x=1'],
  ['note', 'ABCDE 1234 F'],
  ['note', 'ABCDE-1234F'],
  ['note', 'ABCDE_1234_F'],
  ['note', 'ABCDE.1234.F'],
  ['note', 'abcde-1234-f'],
  ['note', 'ＡＢＣＤＥ１２３４Ｆ'],
  ['pan', 'ABCD12345'],
  ['panNumber', 'ABCDE12345'],
  // Aadhaar
  ['note', '234567890123'],
  ['note', '2345 6789 0123'],
  ['note', '2345-6789-0123'],
  ['note', '2345.6789.0123'],
  ['note', '2345_6789_0123'],
  ['amount', '2345 6789 0123'],
  ['aadhaar', '67890'],
  // mail and payment addresses
  ['note', 'asha@example.com'],
  ['note', 'mail asha.rao+fd@mail.example.in now'],
  ['note', 'asha%40example.com'],
  ['note', 'asha@163.com'],
  ['note', 'asha@okbank'],
  ['note', 'आशा@उदाहरण.भारत'],
  ['email', 'asha＠example.com'],
  // accounts and cards
  ['note', '123456789'],
  ['note', 123456789],
  ['note', '501000123456789012'],
  ['note', '5010 0012 3456 78'],
  ['note', '5010-0012-3456-78'],
  ['note', '123-456-789'],
  ['note', '501000/123456'],
  ['note', '4111 1111 1111 1111'],
  ['note', 'acc501000123456'],
  ['account', '50100'],
  ['accountNumber', '123456'],
  ['bank_account_no', 123456],
  // personal values under personal keys
  ['name', 'Asha'],
  ['full_name', 'Asha Rao'],
  ['fullName', 'Asha Rao'],
  ['first-name', 'Asha'],
  ['user.lastName', 'Rao'],
  ['FATHER_NAME', 'Vijay Rao'],
  ['nominee_name', 'Meera'],
  ['nominee_name_2', 'Meera'],
  ['account_holder_name', 'A Rao'],
  ['surname', 'राव'],
  ['name_entered', 'Asha'],
  ['dob', '1990-04-21'],
  ['date_of_birth', '21/04/1990'],
  ['birth_date', '21041990'],
  ['address', '12 MG Road'],
  ['communication_address', 'Flat 4, Pune'],
  ['ip_address', '203.0.113.9'],
  ['otp', 123456],
  ['otp_entered', '1'],
  ['password', 'x'],
  // keys
  ['9876543210', true],
  ['phone_9876543210', 1],
  ['ABCDE1234F', null],
  ['pan_ABCDE1234F', true],
  ['asha@example.com', 1],
  ['2345 6789 0123', 'x'],
  ['a501000123456', 'x'],
];

/** Properties that clients report every day. */
const ORDINARY: [key: string, value: PropertyValue][] = [
  ['amount', 5000],
  ['amount', 10000000],
  ['amount', 10000000.55],
  ['amount', '10,00,000'],
  ['amount', '₹1,00,00,000.00'],
  ['x', '12,34,56,789'],
  ['amount', '9,876,543,210'],
  ['user_agent', 'Chrome/96.0.4664.110'],
  ['x', '10000000.50'],
  ['x', 99999999],
  ['amount_paise', 1000000000],
  ['maturity_amount', 123456789.12],
  ['investment_amount', '5000-10000000'],
  ['slab', '5000 - 10000000'],
  ['x', '60000-90000'],
  ['tenure', 365],
  ['tenure_days', '1825'],
  ['tenures', '365, 730, 1095, 1825'],
  ['tenure_range', '365-730-1095'],
  ['tenures_365_730_1095', true],
  ['x', '365-1825'],
  ['rate', 7.4],
  ['x', 0.1 + 0.2],
  ['x', 12.9715987123456],
  ['rate', '8.05%'],
  ['yield', '10.123456789'],
  ['x', '2026-11-21'],
  ['x', '2026-11-21T10:20:30.123Z'],
  ['x', '2026-11-21T10:20:30+05:30'],
  ['x', '2026-11-21 10:20:30'],
  ['x', 'from 2026-11-21 to 2027-11-21'],
  ['x', '21/11/2026'],
  ['x', '10:20:30'],
  ['timestamp', 1795256430000],
  ['started_at', 1795256430],
  ['duration_ms', 123456789],
  ['x', '6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e1001'],
  ['x', '12345678-1234-4123-8123-123456789012'],
  ['session_id', '0198c0de-0000-7000-8000-000000000000'],
  ['trace_id', '4bf92f3577b34da6a3ce929d0e0e4736'],
  ['commit', '12345678901234567890abcdef1234567890abcd'],
  ['app_version', '10.15.7.1234'],
  ['x', 'Chrome/120.0.6099.129'],
  ['x', '1.2.3-beta.4'],
  [
    'user_agent',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0',
  ],
  ['screen', '1920x1080'],
  ['payout_frequency', 'HalfYearly'],
  ['issuer', 'ARAVFIN'],
  ['issuer_name', 'Aravalli Finance'],
  ['bank_name', 'Kaveri Small Finance Bank'],
  ['product_name', 'FD 12 months'],
  ['screen_name', 'Pan details'],
  ['event_name', 'PAN_SUBMITTED'],
  ['field_name', 'nominee'],
  ['page_name', 'Home'],
  ['error_code', PanErrors.malformed.code],
  ['pan_status', 'VALID'],
  ['pan_verified', true],
  ['pan', true],
  ['pan', 'entered'],
  ['pan', 'XXXXXX234F'],
  ['account', '••••6789'],
  ['account', '********6789'],
  ['phone', '91XXXXXX5678'],
  ['pan_attempts', 3],
  ['email_domain', 'example.com'],
  ['email_verified', false],
  ['dob_match', true],
  ['dob_error_code', PanErrors.birthDateInFuture.code],
  ['account_type', 'SAVINGS'],
  ['account', 'savings'],
  ['address_type', 'HOME'],
  ['address', 'HOME'],
  ['name', null],
  ['name_match_score', 87],
  ['name_length', 12],
  ['otp_length', 6],
  ['otp', true],
  ['otp_attempts', 2],
  ['constructor', 'x'],
  ['toString', 1],
  ['nominee_relationship', 'SPOUSE'],
  ['utm_campaign', 'diwali-2026'],
  ['path', '/fd/aravalli/365'],
  ['experiment', 'B'],
  ['network', '4g'],
  ['', ''],
];

describe('a property of an event', () => {
  it.each(PERSONAL)('finds personal data in %j: %j', (key, value) => {
    expect(looksPersonal(key, value)).toBe(true);
  });

  it.each(ORDINARY)('finds no personal data in %j: %j', (key, value) => {
    expect(looksPersonal(key, value)).toBe(false);
  });

  const near = fc.string({ unit: fc.constantFrom(...'abXYZ ,;:!?~'), maxLength: 10 });
  const digits = (first: string, more: number) =>
    fc
      .tuple(
        fc.constantFrom(...first),
        fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: more, maxLength: more }),
      )
      .map((parts) => parts.join(''));
  const separator = fc.constantFrom('', ' ', '-', '_', '/', ' - ', ') ', '\u00a0');

  it.each([
    ['a phone', digits('6789', 9)],
    ['an Aadhaar number', digits('23456789', 11)],
    ['an account number', digits('123456789', 13)],
  ])('finds %s anywhere in a text, however its digits are separated', (_name, number) => {
    fc.assert(
      fc.property(
        number,
        separator,
        fc.integer({ min: 2, max: 5 }),
        near,
        near,
        (text, gap, size, before, after) => {
          // round numbers set apart are a range of amounts
          fc.pre(!/00/.test(text));
          const parts = text.match(new RegExp(`.{1,${size}}`, 'g'))!;
          expect(looksPersonal('note', `${before}${parts.join(gap)}${after}`)).toBe(true);
        },
      ),
    );
  });

  it('finds no personal data in whole numbers of up to 8 digits, dates, UUIDs and versions of four parts', () => {
    const ordinary = fc.oneof(
      fc.integer({ min: -99_999_999, max: 99_999_999 }),
      fc
        .date({ min: new Date('1000-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
        .map((date) => date.toISOString()),
      fc.uuid(),
      fc.tuple(fc.nat(999), fc.nat(99), fc.nat(9_999), fc.nat(999)).map((parts) => parts.join('.')),
      fc.double({ min: 0, max: 99_999_999, noNaN: true }).map((amount) => amount.toFixed(2)),
    );
    fc.assert(
      fc.property(ordinary, (value) => {
        expect(looksPersonal('x', value)).toBe(false);
      }),
    );
  });

  it('classifies any value', () => {
    for (const text of [
      'a@'.repeat(250),
      '1 '.repeat(250),
      '1.'.repeat(250),
      '1,'.repeat(250),
      '%'.repeat(500),
    ]) {
      expect(typeof looksPersonal(text, text)).toBe('boolean');
    }
    fc.assert(
      fc.property(
        fc.string(),
        fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean()),
        (key, value) => {
          expect(typeof looksPersonal(key, value)).toBe('boolean');
        },
      ),
    );
  });

  it('counts a text that expands beyond 500 characters as personal, without a search', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom('\u3316', '\ufdfa', '%EF%B7%BA', '\ufb03', '½', '१', 'a'),
    );
    const texts = fc.array(unit, { maxLength: 700 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const plain = plainText(text);
        expect(plain === undefined || plain.length <= 500).toBe(true);
        // unsearched values count as personal
        if (plain === undefined) expect(looksPersonal('note', text) && looksPersonal(text, null)).toBe(true);
      }),
    );
    for (const long of ['a'.repeat(501), '\u3316'.repeat(84), '\ufdfa'.repeat(28), '%EF%B7%BA'.repeat(28)])
      expect(plainText(long)).toBeUndefined();
    for (const short of ['a'.repeat(500), '\u3316'.repeat(83), '\ufdfa'.repeat(27), '%EF%B7%BA'.repeat(27)])
      expect(plainText(short)!.length).toBeLessThanOrEqual(500);
  });
});
