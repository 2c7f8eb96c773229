import { ERROR_CODES, type Example, EXAMPLES } from '@fd/errors';
import { codesIn } from '@fd/testing';
import { startService, type TestService } from './support/master-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const examples = ERROR_CODES.filter((code) => code.startsWith('SVCMAS')).flatMap((code) => {
  const how = EXAMPLES[code];
  return 'none' in how ? [] : [[code, how] as [string, Example]];
});

describe('the example of a code provokes it', () => {
  it.each(examples)('%s', async (code, { as, call, headers = {} }) => {
    const api = as === 'nobody' ? service.anonymous : service.api;
    const { body } = await api.get(call.replace('GET ', ''), as === 'nobody' ? { headers } : {});
    expect(codesIn(body)).toContain(code);
  });
});
