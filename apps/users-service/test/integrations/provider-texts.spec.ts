import { Logger } from '@nestjs/common';
import type { ProviderFailure } from '@fd/errors';
import { PARTY_CALLS, partyClient, withText } from '../support/provider-calls.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';

const BAD_SIGNS = ['\u0000', '\u0007', '\u0085', '\ud800'];

describe.each(PARTY_CALLS)('$name', ({ ask, status, answer, texts }) => {
  let provider: ScriptedProvider;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    provider = await ScriptedProvider.start();
  });
  afterAll(() => provider.stop());

  it('is understood', async () => {
    provider.behaviour = answersJson(status, answer);
    // a garbled answer is thrown as an error, and one that says nothing is null or false
    expect(await ask(partyClient(provider.url))).toBeTruthy();
  });

  it.each(texts)('is garbage with a sign in %s that is none of a text', async (path) => {
    const failure: ProviderFailure = 'malformed';
    for (const sign of BAD_SIGNS) {
      const garbled = withText(answer, path, (text) => `${text}${sign}${text}`);
      provider.behaviour = answersJson(status, garbled);
      await expect(ask(partyClient(provider.url))).rejects.toEqual(
        expect.objectContaining({ name: 'ProviderError', failure }),
      );
    }
  });
});
