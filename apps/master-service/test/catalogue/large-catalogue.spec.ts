import type { IssuerDetailPayload } from '@fd/contracts';
import { createStores, type MasterApp, type MasterStores, startApp } from '../support/master-app.js';
import { anIssuer, aVehicle } from '../support/vehicles.js';

/** More than two pages of the reader. */
const MANY = 4_100;

describe('GET /detail/{issuer_uuid} of a catalogue read in pages', () => {
  let stores: MasterStores;
  let app: MasterApp;
  const issuer = anIssuer({ vehicles: Array.from({ length: MANY }, () => aVehicle()) });
  beforeAll(async () => {
    stores = await createStores({ isEmpty: true });
    await stores.importIssuers([issuer]);
    app = await startApp(stores.environment);
  });
  afterAll(async () => {
    await app.close();
    await stores.drop();
  });

  it('lists each vehicle once', async () => {
    const { body } = await app.api.get(`/detail/${issuer.issuerId}`);
    const { vehiclesPayload } = body.payload as IssuerDetailPayload;
    const ids = vehiclesPayload.map(({ f_investment_vehicle_id: id }) => id);
    expect(ids.toSorted()).toEqual(issuer.vehicles.map(({ vehicleId }) => vehicleId).toSorted());
  });
});
