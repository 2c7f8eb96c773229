import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BrunoCollection } from '@fd/testing';
import { sandboxUrl } from './support/sandbox.config.js';
import { startService, type TestService } from './support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

it('the collection takes a new person from the first call to a deposit that can be booked, each time it is run', async () => {
  const { port } = (service.app.getHttpServer() as { address(): AddressInfo }).address();
  const collection = new BrunoCollection(join(import.meta.dirname, '../../../docs/collection'), 'npm-start', {
    usersUrl: `http://127.0.0.1:${port}`,
    sandboxUrl: sandboxUrl(),
  });
  for (let runs = 0; runs < 2; runs++) {
    const made = await collection.run('onboarding');
    expect([made[0], made.at(-1), made.length]).toEqual(['Ask for a code', 'Log out', 22]);
  }
});
