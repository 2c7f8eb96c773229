import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BrunoCollection } from '@fd/testing';
import { API_KEY, startService, type TestService } from './support/master-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

it('the collection shows the catalogue and a quote', async () => {
  const { port } = service.app.getHttpServer().address() as AddressInfo;
  const collection = new BrunoCollection(join(import.meta.dirname, '../../../docs/collection'), 'npm-start', {
    masterUrl: `http://127.0.0.1:${port}`,
    apiKey: API_KEY,
  });
  expect(await collection.run('catalogue')).toEqual([
    'List the issuers',
    'See one with its products',
    'Get a quote',
    'Compare all issuers',
  ]);
});
