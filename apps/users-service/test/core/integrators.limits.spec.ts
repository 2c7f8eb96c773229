import { errorOf, type Example, EXAMPLES } from '@fd/errors';
import { recordEvidence } from '@fd/testing';
import { provoke, WAITS } from '../support/error-example.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('examples of the error codes', () => {
  it.each(WAITS.map((code) => [errorOf(code).text, code] as const))(
    'provokes the error "%s" by its example',
    async (_text, code) => {
      expect(await provoke(service, EXAMPLES[code] as Example)).toContain(code);
      recordEvidence('errors-provoked', { examples: 1 });
    },
  );
});
