import { BankErrors, type ErrorDefinition, GeneralErrors } from '@fd/errors';
import { expectRefusal, expectUnusable } from '@fd/testing';
import { BANK_PATH, bankBody, payloadOf, postBank } from '../support/bank.js';
import { as, logIn } from '../support/login.js';
import { startService, type TestService } from '../support/users-app.js';

interface Refusal {
  readonly error: readonly { readonly errorCode: string }[];
}

const codesOf = ({ error }: Refusal): string[] => (error ?? []).map(({ errorCode }) => errorCode);

describe('a bank call that is malformed', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  async function aUser() {
    return { api: as(service.api, await logIn(service)) };
  }

  const good = bankBody();
  const valid: [string, object, ErrorDefinition][] = [
    ['no field at all', {}, BankErrors.fieldMissing],
    ['account left out', { ...good, account: undefined }, BankErrors.fieldMissing],
    ['account null', { ...good, account: null }, BankErrors.fieldMissing],
    ['account empty', { ...good, account: '' }, BankErrors.fieldMissing],
    ['account of 8 digits', { ...good, account: '12345678' }, BankErrors.accountInvalid],
    ['account of 19 digits', { ...good, account: '1234567890123456789' }, BankErrors.accountInvalid],
    ['account with letters', { ...good, account: '12345678A' }, BankErrors.accountInvalid],
    ['account with spaces', { ...good, account: ' 123456789' }, BankErrors.accountInvalid],
    ['account a number', { ...good, account: 123456789 }, BankErrors.accountInvalid],
    ['account a list', { ...good, account: ['123456789'] }, BankErrors.accountInvalid],
    ['account an object', { ...good, account: {} }, BankErrors.accountInvalid],
    ['ifsc left out', { ...good, ifsc: undefined }, BankErrors.fieldMissing],
    ['ifsc null', { ...good, ifsc: null }, BankErrors.fieldMissing],
    ['ifsc empty', { ...good, ifsc: '' }, BankErrors.fieldMissing],
    ['ifsc without its zero', { ...good, ifsc: 'HDFC1001234' }, BankErrors.ifscInvalid],
    ['ifsc in lower case', { ...good, ifsc: 'hdfc0001234' }, BankErrors.ifscInvalid],
    ['ifsc too short', { ...good, ifsc: 'HDFC000123' }, BankErrors.ifscInvalid],
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
    ['account and ifsc', { ...good, account: '1', ifsc: '1' }, BankErrors.accountInvalid],
  ];

  it('is refused with its code, and never counted as an attempt', async () => {
    const { api } = await aUser();
    for (const [name, body, error] of valid) {
      const response = await postBank(api, body);
      expect({ name, codes: codesOf(response.body as Refusal) }).toEqual({ name, codes: [error.code] });
      expectRefusal(response, error);
    }
    // more than 30 of them in a minute, and the next call is still taken
    expect(valid.length).toBeGreaterThan(30);
    expect(payloadOf(await postBank(api, good))).toMatchObject({ is_bank_verified: true });
  });

  it.each([
    ['a digit', 'A5ha', BankErrors.fullNameInvalid],
    ['two values', ['Asha', 'Rao'], BankErrors.fullNameInvalid],
    ['too long', 'a'.repeat(201), GeneralErrors.fieldInvalid],
  ] as const)('in the query, where the name is taken from it: %s', async (_name, given, error) => {
    const { api } = await aUser();
    const body = bankBody({ account_holder_full_name: null });
    expectRefusal(await postBank(api, body, { account_holder_name: given as string }), error);
  });

  it('takes fields that nobody knows for nothing', async () => {
    const { api } = await aUser();
    expect(payloadOf(await postBank(api, bankBody({ colour: 'red' })))).toMatchObject({
      is_bank_verified: true,
    });
  });

  describe('a call without a body', () => {
    it.each([undefined, 'application/json', 'text/plain'])(
      'lacks the account (media type %j)',
      async (type) => {
        const me = as(service.api, await logIn(service));
        expectRefusal(await me.raw('post', BANK_PATH, undefined, type), BankErrors.fieldMissing);
      },
    );

    it('is no excuse for a body of another kind, or one that is no JSON', async () => {
      const me = as(service.api, await logIn(service));
      expectUnusable(await me.raw('post', BANK_PATH, '{}', 'text/plain'), 'Bad Request');
      expect((await me.raw('post', BANK_PATH, '{', 'application/json')).status).toBe(400);
    });
  });
});
