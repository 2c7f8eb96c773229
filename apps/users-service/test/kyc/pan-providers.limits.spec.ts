import { PanErrors } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import { DurableCalls } from '../../src/core/index.js';
import { PanChecks } from '../../src/kyc/pan/pan-checks.service.js';
import { as, logIn } from '../support/login.js';
import { aPan, getPan, panBody, postPan } from '../support/pan.js';
import { byCall, holderOf, kindsOf, lookupsOf, vendors, WALLET_EMPTY } from '../support/pan-vendors.js';
import { answersJson, type Behaviour, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';
import { withProvider } from '../support/with-own.js';

describe('POST /api/v1/pan-verification over real vendors', () => {
  let cashfree: ScriptedProvider;
  beforeAll(async () => {
    cashfree = await ScriptedProvider.start();
  });
  afterAll(() => cashfree.stop());

  it('uses up no try of the user when our wallet is empty after a process died between the two calls', async () => {
    const body = panBody();
    const held: (() => void)[] = [];
    cashfree.behaviour = byCall(
      cashfree,
      holderOf(body.number),
      (response) => void held.push(() => WALLET_EMPTY(response)),
    );
    const own = await startService(
      vendors({ PAN_PROVIDERS: 'cashfree', CASHFREE_URL: new URL(cashfree.url).origin }),
    );
    const user = await logIn(own);
    const me = as(own.api, user);
    const pending = await postPan(me, body);
    expect(pending.status).toBe(202);
    const { verification_id: id } = (pending.body as { payload: { verification_id: string } }).payload;
    cashfree.behaviour = WALLET_EMPTY;
    await own.dataSource.query(
      "UPDATE onboarding.pan_checks SET leased_until = now() - interval '1 second', next_try_at = now() WHERE id = $1",
      [id],
    );
    await eventually(async () => expectRefusal(await getPan(me, id), PanErrors.registryUnavailable));
    expect(await lookupsOf(own, user.user_id)).toEqual([]);
    held.forEach((answer) => answer());
    await own.close();
  });
});

/** The time of each answer: two of them take longer than one call may. */
const ANSWER_MS = 3_500;
const CALL_LIMIT = { PAN_LOOKUP_TIMEOUT_MS: '5000' };

describe('PAN look-ups over slow vendors', () => {
  it.concurrent(
    'verifies by both of two paid calls, each within its own limit',
    withProvider(
      (url) => vendors({ ...CALL_LIMIT, PAN_PROVIDERS: 'cashfree', CASHFREE_URL: new URL(url).origin }),
      async ({ service, provider: cashfree }) => {
        const body = panBody();
        const answers: Readonly<Record<string, Behaviour>> = {
          '/pan': holderOf(body.number),
          '/pan-lite': answersJson(200, { pan_status: 'E', name_match: 'Y', dob_match: 'Y' }),
        };
        cashfree.behaviour = (response) => {
          const answer = answers[cashfree.calls.at(-1)!.path]!;
          setTimeout(() => answer(response), ANSWER_MS);
        };
        const me = as(service.api, await logIn(service));
        const pending = await postPan(me, body);
        expect(pending.status).toBe(202);
        const { verification_id: id } = (pending.body as { payload: { verification_id: string } }).payload;
        await eventually(async () => {
          const { status } = await getPan(me, id);
          // a refusal would end the check
          expect(status).not.toBe(503);
          expect(status).toBe(200);
        }, 15_000);
        expect(cashfree.calls.map(({ path }) => path)).toEqual(['/pan', '/pan-lite']);
      },
    ),
  );

  it.concurrent(
    'gives the second vendor the whole limit when the first says slowly that it did nothing',
    withProvider(
      (url) => vendors({ ...CALL_LIMIT, CASHFREE_URL: new URL(url).origin, SETU_URL: new URL(url).origin }),
      async ({ service, provider }) => {
        provider.behaviour = (response) => {
          const isCashfree = provider.calls.at(-1)!.path === '/pan';
          const data = { full_name: 'ASHA RAO', category: 'Individual' };
          const answer = isCashfree
            ? answersJson(503, {})
            : answersJson(200, { verification: 'success', data });
          setTimeout(() => answer(response), ANSWER_MS);
        };
        const me = as(service.api, await logIn(service));
        const pending = await postPan(me, panBody());
        const { verification_id: id } = (pending.body as { payload: { verification_id: string } }).payload;
        await eventually(async () => expect((await getPan(me, id)).status).toBe(200), 15_000);
      },
    ),
  );
});

describe.each([
  ['cashfree', 'setu'],
  ['setu', 'cashfree'],
] as const)('payments for a PAN over %s before %s', (vendor, other) => {
  const order = { PAN_PROVIDERS: `${vendor},${other}`, PAN_LOOKUP_TIMEOUT_MS: '1000' };
  let service: TestService;
  beforeAll(async () => {
    service = await startService(vendors(order));
  });
  afterAll(() => service.close());

  it('pays once when the answer comes too late, and not again in the background', async () => {
    const user = await logIn(service);
    const number = aPan({ digits: '0202' });
    expectRefusal(await postPan(as(service.api, user), panBody(number)), PanErrors.registryUnavailable);
    const { app } = service;
    await app.get(DurableCalls).advanceDue(app.get(PanChecks));
    expect([await kindsOf(vendor, number), await kindsOf(other, number)]).toEqual([['pan'], []]);
    expect(await lookupsOf(service, user.user_id)).toHaveLength(1);
  });
});
