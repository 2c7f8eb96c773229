import { BankErrors } from '@fd/errors';
import { expectFailingIssuer } from '../support/bank-faults.js';
import { aCustomer, expectOnePenny, startWith, VENDORS } from '../support/bank-vendors.js';
import { bankBody, HOLDER, payloadOf, postBank } from '../support/bank.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import { answersJson } from '../support/scripted-provider.js';
import { startService } from '../support/users-app.js';
import { withProvider } from '../support/with-own.js';

describe('bank accounts verified by a vendor', () => {
  it.concurrent.each(VENDORS)(
    'sends no second penny at any vendor when a paid start was never answered (%s)',
    async (vendor) => {
      const service = await startWith(vendor);
      const customer = await aCustomer(service, '0505');
      if (vendor === 'cashfree') await customer.isAnswered(200);
      else {
        // Setu cannot report the outcome
        await customer.isTried(4);
        expect([(await customer.give()).status, (await customer.status()).status]).toEqual([202, 202]);
      }
      await expectOnePenny(vendor, customer.account);
      await service.close();
    },
  );
});

describe('failing bank or slow issuer, with a service for each test', () => {
  const issuerSettings = (url: string) => ({ ISSUER_API_URL: url });

  it(
    'answers 202 while the issuer decides, and does not send the registration again',
    withProvider(issuerSettings, async ({ service, provider: issuer }) => {
      const user = await logIn(service);
      await knownAs(service, user.user_id, HOLDER);
      const api = as(service.api, user);
      const body = bankBody({ issuer_code: 'KAVSFB' });
      const header = { responseCode: '01' };
      issuer.behaviour = answersJson(200, { header, body: { ackNo: 'a-1', benStatus: 'P' } });
      const response = await postBank(api, body);
      expect([response.status, payloadOf(response)]).toEqual([
        202,
        expect.objectContaining({
          is_bank_verified: true,
          is_synced: false,
          pending_code: BankErrors.pending.code,
        }),
      ]);
      expect((await postBank(api, body)).status).toBe(202);
      const additions = issuer.calls.filter(({ path }) => path.endsWith('/beneficiaryAdd'));
      expect(additions).toHaveLength(1);
    }),
  );

  it('answers 503 when the issuer hangs, and keeps the account verified', async () => {
    const service = await startService();
    await expectFailingIssuer(service, 'aravalli', '2404');
    await service.close();
  });
});
