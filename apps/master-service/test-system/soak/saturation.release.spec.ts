import { resolve } from 'node:path';
import { expectToEndure, saturate, ServiceProcesses } from '@fd/testing';
import { API_KEY, createStores, type MasterStores } from '../../test/support/master-app.js';

const QUERY = new URLSearchParams({
  tenure: '730',
  investment_amount: '100000',
  payout_frequency: 'Monthly',
  senior_citizen: 'false',
  women_citizen: 'false',
  tax_saver: 'false',
  product_type: 'FD',
});

describe('load above the capacity of the service', () => {
  let stores: MasterStores;
  let processes: ServiceProcesses;
  beforeAll(async () => {
    stores = await createStores();
    processes = new ServiceProcesses(resolve(import.meta.dirname, '../../dist'), stores.environment);
  });
  afterAll(async () => {
    await processes.killAll();
    await stores.drop();
  });

  it('keeps most of its throughput, with answered probes and bounded memory', async () => {
    const { url } = await processes.start({
      RATE_LIMIT_PER_MINUTE: '1000000',
      MAX_EVENT_LOOP_DELAY_MS: '200',
    });
    const saturation = await saturate(url, {
      url: `${url}/api/v1/detail/maturity-amount/ARAVFIN?${QUERY.toString()}`,
      headers: { apikey: API_KEY },
    });
    expectToEndure(saturation);
  }, 240_000);
});
