import { randomUUID } from 'node:crypto';
import { eventually } from '@fd/testing';
import { afterBankWorker, getVerification, payloadOf, postBank } from '../support/bank.js';
import { startService, type TestService } from '../support/users-app.js';
import { kindsOf, RegisteredUsers } from '../support/registered-users.js';

// waits for the lease of a worker that found the registration blocked
describe('registered bank account whose user verifies the PAN of another person or loses the PAN', () => {
  let service: TestService;
  let users: RegisteredUsers;
  beforeAll(async () => {
    service = await startService();
    // its worker competes for the same rows
    await service.replica();
    users = new RegisteredUsers(service);
  });
  afterAll(() => service.close());

  it('registers an account again only after an interrupted withdrawal', async () => {
    const user = await users.registered('nilgiri');
    await users.query(
      `INSERT INTO onboarding.bank_withdrawals
         (id, account_id, issuer_slug, reference, idempotency_key, lease_id, leased_until)
       VALUES ($1, $2, 'nilgiri', $3, $1, $1, now() + interval '1 hour')`,
      [randomUUID(), user.id, user.references[0]],
    );
    await users.query(
      `UPDATE onboarding.bank_syncs SET state = 'DROPPED', reference = NULL, idempotency_key = $2 WHERE account_id = $1`,
      [user.id, randomUUID()],
    );
    const body = { ...user.body, issuer_code: 'NILHFC' };
    const response = await postBank(user.api, body);
    expect([response.status, payloadOf(response)]).toEqual([
      202,
      expect.objectContaining({ is_bank_verified: true, is_synced: false }),
    ]);
    await afterBankWorker(service, user.user_id);
    expect(await kindsOf('nilgiri', user.body.account)).toEqual([['account_registration', 1]]);
    await users.query('UPDATE onboarding.bank_withdrawals SET leased_until = now() WHERE account_id = $1', [
      user.id,
    ]);
    await eventually(async () => {
      const verification = await getVerification(user.api, user.id);
      expect([verification.status, payloadOf(verification).is_synced]).toEqual([200, true]);
    });
    expect(await kindsOf('nilgiri', user.body.account)).toEqual([
      ['account_registration', 1],
      ['account_withdrawal', 1],
      ['account_registration', 1],
    ]);
  });
});
