import '@fd/testing/use-generous-limits';
import { Logger } from '@nestjs/common';
import { ProviderError } from '@fd/errors';
import { Registry } from 'prom-client';
import { scriptedClient } from '../../../test/support/provider-calls.js';
import { answersJson, ScriptedProvider } from '../../../test/support/scripted-provider.js';
import type { ProviderClient } from '../../integrations/index.js';
import type { DocumentPerson } from './ekyc-providers.port.js';
import { HttpAadhaarAdapter } from './adapters/http/http-aadhaar.adapter.js';
import { HttpDocumentLockerAdapter } from './adapters/http/http-document-locker.adapter.js';
import { HttpHostedEkycAdapter } from './adapters/http/http-hosted-ekyc.adapter.js';
import { isSamePerson } from './person-comparison.js';

const EXPECTED = { name: 'ASHA KUMARI RAO', dateOfBirth: '1990-04-21' };

describe('isSamePerson', () => {
  it.each<[what: string, name: string, born: string, isSame: boolean]>([
    ['the same name and date', 'Asha Kumari Rao', '1990-04-21', true],
    ['the same name and year', 'Smt. Rao Asha Kumari', '1990', true],
    ['a missing middle name and the same date', 'Asha Rao', '1990-04-21', true],
    ['a missing middle name and the same year', 'Asha Rao', '1990', false],
    ['a given name of one letter and the same date', 'A Rao', '1990-04-21', false],
    ['another given name', 'Usha Kumari Rao', '1990-04-21', false],
    ['another surname', 'Asha Kumari Reddy', '1990-04-21', false],
    ['no letter of a name', '...', '1990-04-21', false],
    ['another day', 'Asha Kumari Rao', '1990-04-22', false],
    ['another year', 'Asha Kumari Rao', '1991', false],
    ['a part of the year', 'Asha Kumari Rao', '199', false],
    ['a year and a month', 'Asha Kumari Rao', '1990-04', false],
    ['no date', 'Asha Kumari Rao', '', false],
  ])('judges %s', (_what, name, born, isSame) => {
    expect(isSamePerson(EXPECTED, { name, born })).toBe(isSame);
  });

  it('refuses the document of a twin whose name begins with the expected name', () => {
    const expected = { ...EXPECTED, name: 'Krishnamurthy Ramesh' };
    const person = { name: 'Krishnamurthy Rameshwari', born: EXPECTED.dateOfBirth };
    expect(isSamePerson(expected, person)).toBe(false);
  });
});

describe('the holder of a document', () => {
  let provider: ScriptedProvider;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    provider = await ScriptedProvider.start();
  });
  afterAll(() => provider.stop());

  type Read = (client: ProviderClient) => Promise<object | undefined>;
  const READS: Readonly<Record<string, readonly [answer: (holder: unknown) => object, read: Read]>> = {
    'the Aadhaar provider': [
      (holder) => ({ reference_id: 'r-1', last_four: '2346', holder }),
      (client) => new HttpAadhaarAdapter(client).check('t-1', '123456', EXPECTED),
    ],
    'the document locker': [
      (holder) => ({
        status: 'AUTHORISED',
        aadhaar: { present: true, reference_id: 'r-1', last_four: '2346', holder },
      }),
      (client) => new HttpDocumentLockerAdapter(client).outcome('l-1'),
    ],
    'the hosted page': [
      (holder) => ({ state: 'verified', holder }),
      (client) => new HttpHostedEkycAdapter(client).state('r-1'),
    ],
  };

  describe.each(Object.keys(READS))('according to %s', (who) => {
    const [answer, read] = READS[who]!;

    it.each<[what: string, holder: object, person: DocumentPerson]>([
      [
        'a full date',
        { name: ' Asha Rao ', date_of_birth: '1990-04-21', year_of_birth: '1990' },
        { name: 'Asha Rao', born: '1990-04-21' },
      ],
      [
        'a date without a year beside it',
        { name: 'Asha Rao', date_of_birth: '1990-04-21' },
        { name: 'Asha Rao', born: '1990-04-21' },
      ],
      [
        'a year alone',
        { name: 'Asha Rao', date_of_birth: null, year_of_birth: '1990' },
        { name: 'Asha Rao', born: '1990' },
      ],
    ])('reads a holder with %s', async (_what, holder, person) => {
      provider.behaviour = answersJson(200, answer(holder));
      expect(await read(scriptedClient(provider.url))).toMatchObject({ person });
    });

    it.each<[what: string, holder: unknown]>([
      ['no holder', undefined],
      ['no name', { name: ' ', date_of_birth: '1990-04-21' }],
      ['neither date nor year', { name: 'Asha Rao', date_of_birth: null }],
      ['a date and another year', { name: 'Asha Rao', date_of_birth: '1990-04-21', year_of_birth: '1991' }],
      ['a day that does not exist', { name: 'Asha Rao', date_of_birth: '1990-02-30' }],
      ['a date in another order', { name: 'Asha Rao', date_of_birth: '21-04-1990' }],
      ['a verdict', { name: 'Asha Rao', date_of_birth: 'YES' }],
      ['a year of two digits', { name: 'Asha Rao', year_of_birth: '90' }],
    ])('rejects a holder with %s as malformed, and counts contract drift', async (_what, holder) => {
      provider.behaviour = answersJson(200, answer(holder));
      const registry = new Registry();
      const failed: unknown = await read(scriptedClient(provider.url, 500, { registry })).catch(
        (error: unknown) => error,
      );
      expect(failed).toBeInstanceOf(ProviderError);
      expect(failed).toMatchObject({ failure: 'malformed' });
      expect(String((failed as ProviderError).detail)).not.toContain('Asha');
      const { values } = await registry.getSingleMetric('drift')!.get();
      expect(values.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
    });
  });

  it.each([
    ['locker', (client: ProviderClient) => new HttpDocumentLockerAdapter(client).outcome('l-1')],
    ['hosted page', (client: ProviderClient) => new HttpHostedEkycAdapter(client).state('r-1')],
  ])('counts a 404 from a gateway before the %s as contract drift', async (_who, read) => {
    provider.behaviour = answersJson(404, { error: { type: 'no_route' } });
    const registry = new Registry();
    await expect(read(scriptedClient(provider.url, 500, { registry }))).rejects.toMatchObject({
      failure: 'malformed',
    });
    const { values } = await registry.getSingleMetric('drift')!.get();
    expect(values.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
  });

  it('reports a hosted page that we have closed as expired', async () => {
    provider.behaviour = answersJson(200, { state: 'closed' });
    expect(await new HttpHostedEkycAdapter(scriptedClient(provider.url)).state('r-1')).toEqual({
      state: 'expired',
    });
  });
});
