import { BankErrors, type ErrorDefinition, GeneralErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { BANK_PATH, bankBody, payloadOf, postBank } from '../support/bank.js';
import { as, logIn } from '../support/login.js';
import { startService, type TestService } from '../support/users-app.js';

interface Refusal {
  readonly error: readonly { readonly errorCode: string }[];
}

const codesOf = ({ error }: Refusal): string[] => (error ?? []).map(({ errorCode }) => errorCode);

describe('POST /api/v1/bank/sync-to-issuer', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const newUser = async () => as(service.api, await logIn(service));

  const good = bankBody();
  const invalid: [string, object, ErrorDefinition][] = [
    ['account left out', { ...good, account: undefined }, BankErrors.fieldMissing],
    ['account null', { ...good, account: null }, BankErrors.fieldMissing],
    ['account empty', { ...good, account: '' }, BankErrors.fieldMissing],
    ['account of 8 digits', { ...good, account: '12345678' }, BankErrors.accountInvalid],
    ['account of 19 digits', { ...good, account: '1234567890123456789' }, BankErrors.accountInvalid],
    ['account with letters', { ...good, account: '12345678A' }, BankErrors.accountInvalid],
    ['account with spaces', { ...good, account: ' 123456789' }, BankErrors.accountInvalid],
    ['account a number', { ...good, account: 123456789 }, BankErrors.accountInvalid],
    ['account a list', { ...good, account: ['123456789'] }, BankErrors.accountInvalid],
    ['account in digits of another script', { ...good, account: '१२३४५६७८९' }, BankErrors.accountInvalid],
    ['account an object', { ...good, account: {} }, BankErrors.accountInvalid],
    ['ifsc left out', { ...good, ifsc: undefined }, BankErrors.fieldMissing],
    ['ifsc null', { ...good, ifsc: null }, BankErrors.fieldMissing],
    ['ifsc empty', { ...good, ifsc: '' }, BankErrors.fieldMissing],
    ['ifsc without its zero', { ...good, ifsc: 'HDFC1001234' }, BankErrors.ifscInvalid],
    ['ifsc in lower case', { ...good, ifsc: 'hdfc0001234' }, BankErrors.ifscInvalid],
    ['ifsc too short', { ...good, ifsc: 'HDFC000123' }, BankErrors.ifscInvalid],
    ['ifsc with a space behind it', { ...good, ifsc: 'HDFC0001234 ' }, BankErrors.ifscInvalid],
    ['ifsc true', { ...good, ifsc: true }, BankErrors.ifscInvalid],
    ['a digit in the full name', { ...good, account_holder_full_name: 'A5ha' }, BankErrors.fullNameInvalid],
    ['a digit of another script', { ...good, account_holder_full_name: 'आशा५' }, BankErrors.fullNameInvalid],
    ['full name a number', { ...good, account_holder_full_name: 5 }, BankErrors.fullNameInvalid],
    ['full name a list', { ...good, account_holder_full_name: ['Asha'] }, BankErrors.fullNameInvalid],
    [
      'full name too long',
      { ...good, account_holder_full_name: 'a'.repeat(201) },
      GeneralErrors.fieldInvalid,
    ],
    [
      'full name that cannot be printed',
      { ...good, account_holder_full_name: 'A\u0000' },
      GeneralErrors.fieldInvalid,
    ],
    ['a sign in the first name', { ...good, account_holder_first_name: 'As#a' }, BankErrors.firstNameInvalid],
    [
      'a digit in the first name',
      { ...good, account_holder_first_name: 'A5ha' },
      BankErrors.firstNameInvalid,
    ],
    ['first name an object', { ...good, account_holder_first_name: {} }, BankErrors.firstNameInvalid],
    [
      'first name too long',
      { ...good, account_holder_first_name: 'a'.repeat(201) },
      GeneralErrors.fieldInvalid,
    ],
    ['last name a number', { ...good, account_holder_last_name: 5 }, GeneralErrors.fieldInvalid],
    [
      'last name too long',
      { ...good, account_holder_last_name: 'a'.repeat(201) },
      GeneralErrors.fieldInvalid,
    ],
  ];

  it('rejects each invalid field with its own error, and does not count the call', async () => {
    const api = await newUser();
    for (const [name, body, error] of invalid) {
      const response = await postBank(api, body);
      expect({ name, codes: codesOf(response.body as Refusal) }).toEqual({ name, codes: [error.code] });
      expectRefusal(response, error);
    }
    // more calls than the limit of a minute, and the next one is still accepted
    expect(invalid.length).toBeGreaterThan(30);
    expect(payloadOf(await postBank(api, good))).toMatchObject({ is_bank_verified: true });
  });

  it('names each invalid field, in the order of the contract', async () => {
    const { body } = await postBank(await newUser(), {
      ...good,
      ifsc: '1',
      account: '1',
      account_holder_last_name: 5,
    });
    expect((body as { error: object[] }).error).toEqual([
      expect.objectContaining({ field: 'account', errorCode: BankErrors.accountInvalid.code }),
      expect.objectContaining({ field: 'ifsc', errorCode: BankErrors.ifscInvalid.code }),
      expect.objectContaining({
        field: 'account_holder_last_name',
        errorCode: GeneralErrors.fieldInvalid.code,
      }),
    ]);
  });

  it.each([
    ['a digit', 'A5ha', BankErrors.fullNameInvalid],
    ['two values', ['Asha', 'Rao'], BankErrors.fullNameInvalid],
    ['more than 200 characters', 'a'.repeat(201), GeneralErrors.fieldInvalid],
  ] as const)('rejects an account holder name in the query with %s', async (_name, given, error) => {
    const api = await newUser();
    const body = bankBody({ account_holder_full_name: null });
    expectRefusal(await postBank(api, body, { account_holder_name: given as string }), error);
  });

  it('ignores unknown fields', async () => {
    const api = await newUser();
    expect(payloadOf(await postBank(api, bankBody({ colour: 'red' })))).toMatchObject({
      is_bank_verified: true,
    });
  });

  describe('request body', () => {
    it.each([
      ['no media type', undefined],
      ['media type application/json', 'application/json'],
      ['media type text/plain', 'text/plain'],
    ])('reports the missing account and IFSC when a call has no body and %s', async (_name, type) => {
      const api = await newUser();
      const response = await api.raw('post', BANK_PATH, undefined, type);
      expectRefusal(response, BankErrors.fieldMissing, BankErrors.fieldMissing);
    });

    it('answers 400 to a body of another media type and to malformed JSON', async () => {
      const api = await newUser();
      expectRefusal(await api.raw('post', BANK_PATH, '{}', 'text/plain'), GeneralErrors.requestUnreadable);
      expect((await api.raw('post', BANK_PATH, '{', 'application/json')).status).toBe(400);
    });
  });
});
