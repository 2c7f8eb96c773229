import type { AddressInfo } from 'node:net';
import { ClientWalk, clientAt } from './support/client-walk.js';
import { ISSUER_SLUGS } from './support/issuers.js';
import { aPerson } from './support/person.js';
import { startService, type TestService } from './support/users-app.js';

let service: TestService;
let url: string;
beforeAll(async () => {
  service = await startService();
  url = `http://127.0.0.1:${(service.app.getHttpServer() as { address(): AddressInfo }).address().port}`;
});
afterAll(() => service.close());

it.each(ISSUER_SLUGS)('the client takes a person to a deposit with %s', async (issuer) => {
  const client = clientAt(url);
  const booking = await new ClientWalk(client, issuer, aPerson()).all();
  expect(booking).toEqual({ is_bookable: true, blockers: [] });
  const journey = await client.users.get('/issuer-apis/{issuer_slug}/v1/journey', {
    path: { issuer_slug: issuer },
  });
  expect(journey.payload).toMatchObject({ next_step: null, percent_complete: 100 });
});
