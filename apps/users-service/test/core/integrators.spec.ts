import { join } from 'node:path';
import { ERROR_CODES, errorOf, type Example, EXAMPLES } from '@fd/errors';
import { BrunoCollection, recordEvidence } from '@fd/testing';
import { provoke, WAITS } from '../support/error-example.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const examples = ERROR_CODES.filter((code) => !code.startsWith('SVCMAS') && !WAITS.includes(code)).flatMap(
  (code) => {
    const how = EXAMPLES[code];
    return 'none' in how ? [] : [[errorOf(code).text, code, how] as [string, string, Example]];
  },
);

describe('examples of the error codes', () => {
  let provoked = 0;

  it.each(examples)('provokes the error "%s" by its example', async (_text, code, example) => {
    expect(await provoke(service, example)).toContain(code);
    provoked++;
  });

  it('provokes every error code that has an example', () => {
    expect(provoked).toBe(examples.length);
    recordEvidence('errors-provoked', { examples: provoked });
  });
});

it('takes a new person with the API collection to a bookable deposit on every run', async () => {
  const collection = await BrunoCollection.open(
    join(import.meta.dirname, '../../../../docs/collection'),
    'npm-start',
    {
      usersUrl: service.url,
      sandboxUrl: sandboxUrl(),
    },
  );
  for (let runs = 0; runs < 2; runs++) {
    const made = await collection.run('onboarding');
    expect([made[0], made.at(-1), made.length]).toEqual(['Ask for a code', 'Log out', 23]);
  }
});
