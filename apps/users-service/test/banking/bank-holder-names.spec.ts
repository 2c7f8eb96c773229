import { BankErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { bankBody, payloadOf, postBank } from '../support/bank.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

describe('holder in the writing of a bank', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  /** Sends an account, which the sandbox's bank then knows under the sent name. */
  async function sendAccount(panName: string, atBank: string) {
    const user = await logIn(service);
    await knownAs(service, user.user_id, panName);
    const body = bankBody({ account_holder_full_name: atBank, issuer_code: 'ARAVFIN' });
    return postBank(as(service.api, user), body);
  }

  it.concurrent.each([
    ['SH RAMESH KR SHARMA', 'Ramesh Kumar Sharma'],
    ['RAJENDRA PD YADAV', 'Rajendra Prasad Yadav'],
    ['MST FATIMA KHATUN', 'Fatima Khatun'],
    ['MUHD ASIF KHAN', 'Mohammed Asif Khan'],
    ['LT COL RAMESH RAO RETD', 'Ramesh Rao'],
    ['VIJAYALAKSHMI RAO', 'Vijay Lakshmi Rao'],
    ['Zoe\u0308 Fernandes', 'Zoë Fernandes'],
  ])('verifies the account of %s with the PAN of %s', async (atBank, panName) => {
    const response = await sendAccount(panName, atBank);
    expect([response.status, payloadOf(response).is_bank_verified]).toEqual([200, true]);
  });

  it.concurrent.each([
    ['SURESH KR', 'Suresh Kumar'],
    ['ABHISHEK KUMAR BHATT', 'Abhishek Kumar Bhattacharya'],
    ['KOPPARAPU VENKATA LAKSHMI', 'Kopparapu Venkata Lakshmi Prasanna'],
    ['KOPPARAPU VENKATA SATYANARAYANA MURTHY R', 'Kopparapu Venkata Satyanarayana Murthy Rao'],
  ])('leaves the account of %s with the PAN of %s to an operator', async (atBank, panName) => {
    const response = await sendAccount(panName, atBank);
    const { is_bank_verified, pending_code, name_match } = payloadOf(response);
    expect([response.status, is_bank_verified, pending_code, name_match?.band]).toEqual([
      202,
      true,
      BankErrors.pending.code,
      'REVIEW',
    ]);
  });

  it.concurrent.each([
    ['SH RAKESH KR SHARMA', 'Ramesh Kumar Sharma'],
    ['ASHA KR RAO', 'Asha Kumari Rao'],
    ['KR SHARMA', 'Kumar Sharma'],
    ['ABHISHEK KUMAR MUKHE', 'Abhishek Kumar Mukhopadhyay'],
    ['RAMESH RAO JT', 'Ramesh Rao'],
  ])('refuses the account of %s with the PAN of %s', async (atBank, panName) => {
    expectRefusal(await sendAccount(panName, atBank), BankErrors.holderDiffers);
  });
});
