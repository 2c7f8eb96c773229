import type { BankSyncQuery, BankSyncRequest } from '@fd/contracts';
import { BankErrors, GeneralErrors, IssuerErrors } from '@fd/errors';
import { readBankSyncInput } from './bank-sync-input.js';

const read = (body: Partial<BankSyncRequest> = {}, query: BankSyncQuery = {}) =>
  readBankSyncInput({ account: '123456789', ifsc: 'HDFC0001234', ...body }, query);

describe('readBankSyncInput', () => {
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
    expect(read(body, query).holderName).toBe(expected);
  });

  it.each<[string | undefined, unknown, unknown]>([
    ['ARAVFIN', 'ARAVFIN', 'KAVSFB'],
    ['KAVSFB', undefined, 'KAVSFB'],
    ['KAVSFB', null, 'KAVSFB'],
    ['KAVSFB', '', 'KAVSFB'],
    [undefined, undefined, undefined],
  ])('takes the issuer from the body, else from the query: %s', (expected, inBody, inQuery) => {
    expect(read({ issuer_code: inBody }, { issuer_code: inQuery }).issuerCode).toBe(expected);
  });

  it.each<[string, Partial<BankSyncRequest>, BankSyncQuery]>([
    [BankErrors.fullNameInvalid.code, {}, { account_holder_name: 'A5ha' }],
    [BankErrors.fullNameInvalid.code, {}, { account_holder_name: ['Asha', 'Rao'] }],
    [GeneralErrors.fieldInvalid.code, {}, { account_holder_name: 'a'.repeat(201) }],
    [IssuerErrors.unknown.code, { issuer_code: 5 }, {}],
    [IssuerErrors.unknown.code, {}, { issuer_code: ['ARAVFIN', 'KAVSFB'] }],
  ])('refuses an unusable name or issuer with %s', (code, body, query) => {
    expect(() => read(body, query)).toThrow(code);
  });
});
