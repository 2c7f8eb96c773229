import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@fd/testing';
import { afterBankWorker, bankBody, getVerification, HOLDER, payloadOf, postBank } from '../support/bank.js';
import { overFineract } from '../support/fineract.js';
import { ISSUER_CODES } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import { kindsOf, RegisteredUsers } from '../support/registered-users.js';
import { answersJson, type ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';
import { withProvider } from '../support/with-own.js';

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

/** Longer than PROVIDER_TIMEOUT_MS may be, and together longer than a request and a lease of the worker. */
const ANSWER_MS = 1_200;

/** Plays a Fineract whose every answer takes a while. Returns what it has stored. */
function playSlowFineract(provider: ScriptedProvider) {
  const stored = { clients: 0, rows: 0 };
  const answerTo = (method: string, path: string): object => {
    if (path.includes('/clients')) {
      if (method === 'POST') return { resourceId: ++stored.clients };
      return { pageItems: stored.clients > 0 ? [{ id: 1 }] : [] };
    }
    if (method === 'POST') return { resourceId: ++stored.rows };
    return stored.rows > 0 ? [{ id: 1, client_id: 1, status: 'ACTIVE' }] : [];
  };
  provider.behaviour = (response) => {
    const { method, path } = provider.calls.at(-1)!;
    const body = answerTo(method, path);
    void sleep(ANSWER_MS).then(() => answersJson(200, body)(response));
  };
  return stored;
}

describe('account at an issuer whose Fineract is slow', () => {
  it(
    'is registered once, after the answer 202',
    withProvider(
      (url) => overFineract(['kaveri'], url),
      async ({ service, provider }) => {
        const stored = playSlowFineract(provider);
        const user = await logIn(service);
        await knownAs(service, user.user_id, HOLDER);
        const api = as(service.api, user);
        const first = await postBank(api, bankBody({ issuer_code: ISSUER_CODES.kaveri }));
        expect([first.status, payloadOf(first).is_synced]).toEqual([202, false]);
        const { verification_id: id } = payloadOf(first);
        await eventually(async () => {
          const answer = await getVerification(api, id);
          expect([answer.status, payloadOf(answer).is_synced]).toEqual([200, true]);
        }, 40_000);
        expect(stored).toEqual({ clients: 1, rows: 1 });
      },
    ),
    60_000,
  );
});
