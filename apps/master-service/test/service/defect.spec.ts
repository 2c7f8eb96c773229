import { MasterErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { CatalogueSnapshot } from '../../src/catalogue/catalogue-snapshot.service.js';
import { startService, type TestService } from '../support/master-app.js';

describe('a defect', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('answers a defect without its cause, and serves the next call', async () => {
    const broken = jest
      .spyOn(service.app.get(CatalogueSnapshot), 'catalogue', 'get')
      .mockImplementation(() => {
        throw new TypeError('something of the inside');
      });
    const answer = await service.api.get('/api/v1/issuers');
    expectRefusal(answer, MasterErrors.internal);
    expect(JSON.stringify(answer.body)).not.toContain('inside');
    broken.mockRestore();
    expect((await service.api.get('/api/v1/issuers')).status).toBe(200);
  });
});
