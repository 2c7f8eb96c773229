import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@fd/testing';
import { bankBody, getVerification, HOLDER, payloadOf, postBank } from '../support/bank.js';
import { overFineract } from '../support/fineract.js';
import { ISSUER_CODES } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import { answersJson, type ScriptedProvider } from '../support/scripted-provider.js';
import { withProvider } from '../support/with-own.js';

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
