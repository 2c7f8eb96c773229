import { BankErrors, GeneralErrors } from '@fd/errors';
import { type BankSyncQuery, type BankSyncRequest, holderName } from './bank.js';

describe('holderName', () => {
  it.each<[string | undefined, Partial<BankSyncRequest>, BankSyncQuery]>([
    ['Asha Rao', { account_holder_full_name: 'Asha Rao', account_holder_first_name: 'Else' }, {}],
    ['Asha Rao', { account_holder_full_name: '  Asha \t Rao ' }, {}],
    ['Asha Rao', { account_holder_first_name: 'Asha', account_holder_last_name: 'Rao' }, {}],
    ['Asha', { account_holder_first_name: 'Asha', account_holder_last_name: '' }, {}],
    ['Zo\u00eb Rao', { account_holder_first_name: 'Zoe\u0308', account_holder_last_name: 'Rao' }, {}],
    ['Zo\u00eb', { account_holder_full_name: null }, { account_holder_name: 'Zoe\u0308' }],
    ['Asha', { account_holder_first_name: 'Asha', account_holder_last_name: ' . ' }, {}],
    ['Asha', { account_holder_first_name: 'Asha', account_holder_last_name: null }, {}],
    ['Rao', { account_holder_last_name: 'Rao' }, {}],
    [
      'Asha Rao',
      { account_holder_full_name: ' ', account_holder_last_name: '.' },
      { account_holder_name: 'Asha Rao' },
    ],
    ['Asha', { account_holder_first_name: 'Asha' }, { account_holder_name: 'Else' }],
    [undefined, { account_holder_full_name: null }, { account_holder_name: '' }],
    [undefined, {}, {}],
  ])('reads the holder name %s', (expected, body, query) => {
    expect(holderName({ account: '123456789', ifsc: 'HDFC0001234', ...body }, query)).toBe(expected);
  });

  it.each<[string, unknown]>([
    [BankErrors.fullNameInvalid.code, 'A5ha'],
    [BankErrors.fullNameInvalid.code, ['Asha', 'Rao']],
    [GeneralErrors.fieldInvalid.code, 'a'.repeat(201)],
  ])('refuses an unusable name in the query with %s', (code, account_holder_name) => {
    expect(() => holderName({ account: '123456789', ifsc: 'HDFC0001234' }, { account_holder_name })).toThrow(
      code,
    );
  });
});
