import { Logger } from '@nestjs/common';
import { ProviderError } from '@fd/errors';
import { partyClient } from '../../../test/support/provider-calls.js';
import { answersJson, ScriptedProvider } from '../../../test/support/scripted-provider.js';
import type { ProviderClient } from '../../integrations/index.js';
import { HttpAadhaarAdapter } from './http-aadhaar.adapter.js';
import { HttpDocumentLockerAdapter } from './http-document-locker.adapter.js';
import { HttpHostedEkycAdapter } from './http-hosted-ekyc.adapter.js';

const EXPECTED = { name: 'ASHA RAO', dateOfBirth: '1990-04-21' };

let provider: ScriptedProvider;
beforeAll(async () => {
  Logger.overrideLogger(false);
  provider = await ScriptedProvider.start();
});
afterAll(() => provider.stop());

const client = (): ProviderClient => partyClient(provider.url);

/** What a call came to: its outcome, or the kind of failure. */
const resultOf = (call: Promise<{ outcome: string }>): Promise<string> =>
  call.then(
    ({ outcome }) => outcome,
    (error: unknown) => (error instanceof ProviderError ? error.failure : 'a defect'),
  );

type Said = 'YES' | 'NO' | null | undefined;

describe('a comparison with the expected person', () => {
  it.each<[name: Said, dateOfBirth: Said, ifCompared: string, ifNot: string]>([
    ['YES', 'YES', 'right', 'right'],
    ['NO', 'YES', 'another-person', 'another-person'],
    ['YES', 'NO', 'another-person', 'another-person'],
    ['NO', null, 'another-person', 'another-person'],
    [null, 'YES', 'malformed', 'right'],
    ['YES', null, 'malformed', 'right'],
    [null, null, 'malformed', 'right'],
    [undefined, 'YES', 'malformed', 'right'],
    ['YES', undefined, 'malformed', 'right'],
    [undefined, undefined, 'malformed', 'right'],
  ])('by the Aadhaar provider: name %j, date of birth %j', async (name, dateOfBirth, ifCompared, ifNot) => {
    provider.behaviour = answersJson(200, {
      reference_id: 'r-1',
      last_four: '2346',
      name_match: name,
      date_of_birth_match: dateOfBirth,
    });
    const adapter = new HttpAadhaarAdapter(client());
    expect(await resultOf(adapter.check('t-1', '123456', EXPECTED))).toBe(ifCompared);
    expect(await resultOf(adapter.check('t-1', '123456', null))).toBe(ifNot);
  });

  it.each<[name: Said, dateOfBirth: Said, yearOfBirth: Said, ifCompared: string, ifNot: string]>([
    ['YES', 'YES', undefined, 'same', 'same'],
    ['YES', 'YES', 'YES', 'same', 'same'],
    ['YES', null, 'YES', 'same', 'same'],
    ['YES', undefined, 'YES', 'same', 'same'],
    ['NO', 'YES', 'YES', 'another-person', 'another-person'],
    ['YES', 'NO', 'YES', 'another-person', 'another-person'],
    ['YES', 'YES', 'NO', 'another-person', 'another-person'],
    ['YES', null, 'NO', 'another-person', 'another-person'],
    ['YES', null, null, 'malformed', 'same'],
    ['YES', undefined, undefined, 'malformed', 'same'],
    [null, 'YES', 'YES', 'malformed', 'same'],
    [undefined, undefined, undefined, 'malformed', 'same'],
  ])(
    'by locker and hosted page: name %j, date of birth %j, year of birth %j',
    async (name, dateOfBirth, yearOfBirth, ifCompared, ifNot) => {
      const compared = {
        name_match: name,
        date_of_birth_match: dateOfBirth,
        year_of_birth_match: yearOfBirth,
      };
      provider.behaviour = answersJson(200, {
        status: 'AUTHORISED',
        aadhaar: { present: true, reference_id: 'r-1', last_four: '2346', ...compared },
      });
      const locker = new HttpDocumentLockerAdapter(client());
      const allowed = (result: string) => (result === 'same' ? 'allowed' : result);
      expect(await resultOf(locker.outcome('l-1', true))).toBe(allowed(ifCompared));
      expect(await resultOf(locker.outcome('l-1', false))).toBe(allowed(ifNot));

      provider.behaviour = answersJson(200, {
        url: 'https://pages.example/1',
        state: 'verified',
        expires_at: '2999-01-01T00:00:00+05:30',
        ...compared,
      });
      const page = new HttpHostedEkycAdapter(client());
      const stateOf = (isCompared: boolean) =>
        resultOf(page.state('r-1', isCompared).then((state) => ({ outcome: state! })));
      const verified = (result: string) => (result === 'same' ? 'verified' : result);
      expect(await stateOf(true)).toBe(verified(ifCompared));
      expect(await stateOf(false)).toBe(verified(ifNot));
    },
  );
});
