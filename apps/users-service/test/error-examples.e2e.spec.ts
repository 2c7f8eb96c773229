import { ERROR_CODES, type Example, EXAMPLES } from '@fd/errors';
import { provoke } from './support/error-example.js';
import { startService, type TestService } from './support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const examples = ERROR_CODES.filter((code) => !code.startsWith('SVCMAS')).flatMap((code) => {
  const how = EXAMPLES[code];
  return 'none' in how ? [] : [[code, how] as [string, Example]];
});

describe('the example of a code provokes it', () => {
  it.each(examples)('%s', async (code, example) => {
    expect(await provoke(service, example)).toContain(code);
  });
});
