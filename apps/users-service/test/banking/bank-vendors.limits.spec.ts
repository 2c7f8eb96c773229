import { aCustomer, expectOnePenny, startWith, VENDORS } from '../support/bank-vendors.js';

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
