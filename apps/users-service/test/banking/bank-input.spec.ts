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
  const valid: [string, object, string][] = [
    ['no field at all', {}, 'SVCUSER1196'],
    ['account left out', { ...good, account: undefined }, 'SVCUSER1196'],
    ['account null', { ...good, account: null }, 'SVCUSER1196'],
    ['account empty', { ...good, account: '' }, 'SVCUSER1196'],
    ['account of 8 digits', { ...good, account: '12345678' }, 'SVCUSER1197'],
    ['account of 19 digits', { ...good, account: '1234567890123456789' }, 'SVCUSER1197'],
    ['account with letters', { ...good, account: '12345678A' }, 'SVCUSER1197'],
    ['account with spaces', { ...good, account: ' 123456789' }, 'SVCUSER1197'],
    ['account a number', { ...good, account: 123456789 }, 'SVCUSER1197'],
    ['account a list', { ...good, account: ['123456789'] }, 'SVCUSER1197'],
    ['account an object', { ...good, account: {} }, 'SVCUSER1197'],
    ['ifsc left out', { ...good, ifsc: undefined }, 'SVCUSER1196'],
    ['ifsc null', { ...good, ifsc: null }, 'SVCUSER1196'],
    ['ifsc empty', { ...good, ifsc: '' }, 'SVCUSER1196'],
    ['ifsc without its zero', { ...good, ifsc: 'HDFC1001234' }, 'SVCUSER1024'],
    ['ifsc in lower case', { ...good, ifsc: 'hdfc0001234' }, 'SVCUSER1024'],
    ['ifsc too short', { ...good, ifsc: 'HDFC000123' }, 'SVCUSER1024'],
    ['ifsc true', { ...good, ifsc: true }, 'SVCUSER1024'],
    ['a digit in the full name', { ...good, account_holder_full_name: 'A5ha' }, 'SVCUSER1234'],
    ['a digit of another script', { ...good, account_holder_full_name: 'आशा५' }, 'SVCUSER1234'],
    ['full name a number', { ...good, account_holder_full_name: 5 }, 'SVCUSER1234'],
    ['full name a list', { ...good, account_holder_full_name: ['Asha'] }, 'SVCUSER1234'],
    ['full name too long', { ...good, account_holder_full_name: 'a'.repeat(201) }, 'SVCUSER2904'],
    ['full name that cannot be printed', { ...good, account_holder_full_name: 'A\u0000' }, 'SVCUSER2904'],
    ['a sign in the first name', { ...good, account_holder_first_name: 'As#a' }, 'SVCUSER1199'],
    ['a digit in the first name', { ...good, account_holder_first_name: 'A5ha' }, 'SVCUSER1199'],
    ['first name an object', { ...good, account_holder_first_name: {} }, 'SVCUSER1199'],
    ['first name too long', { ...good, account_holder_first_name: 'a'.repeat(201) }, 'SVCUSER2904'],
    ['last name a number', { ...good, account_holder_last_name: 5 }, 'SVCUSER2904'],
    ['last name too long', { ...good, account_holder_last_name: 'a'.repeat(201) }, 'SVCUSER2904'],
    ['account and ifsc', { ...good, account: '1', ifsc: '1' }, 'SVCUSER1197'],
  ];

  it('is refused with its code, and never counted as an attempt', async () => {
    const { api } = await aUser();
    for (const [name, body, code] of valid) {
      const response = await postBank(api, body);
      expect({ name, codes: codesOf(response.body as Refusal) }).toEqual({ name, codes: [code] });
      expectRefusal(response, code as 'SVCUSER1196');
    }
    // more than 30 of them in a minute, and the next call is still taken
    expect(valid.length).toBeGreaterThan(30);
    expect(payloadOf(await postBank(api, good))).toMatchObject({ is_bank_verified: true });
  });

  it.each([
    ['a digit', 'A5ha', 'SVCUSER1234'],
    ['two values', ['Asha', 'Rao'], 'SVCUSER1234'],
    ['too long', 'a'.repeat(201), 'SVCUSER2904'],
  ] as const)('in the query, where the name is taken from it: %s', async (_name, given, code) => {
    const { api } = await aUser();
    const body = bankBody({ account_holder_full_name: null });
    expectRefusal(await postBank(api, body, { account_holder_name: given as string }), code);
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
        expectRefusal(await me.raw('post', BANK_PATH, undefined, type), 'SVCUSER1196');
      },
    );

    it('is no excuse for a body of another kind, or one that is no JSON', async () => {
      const me = as(service.api, await logIn(service));
      expectUnusable(await me.raw('post', BANK_PATH, '{}', 'text/plain'), 'Bad Request');
      expect((await me.raw('post', BANK_PATH, '{', 'application/json')).status).toBe(400);
    });
  });
});
