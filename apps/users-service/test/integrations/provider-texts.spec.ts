import { Logger } from '@nestjs/common';
import type { ProviderFailure } from '@fd/errors';
import { RESILIENCE_LIMITS } from '../../src/integrations/providers/resilience.js';
import { PROVIDER_CALLS, scriptedClient, withText } from '../support/provider-calls.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';

/** Repeats a call soon: a malformed answer is asked for twice. */
const LIMITS = { ...RESILIENCE_LIMITS, pauseMs: 1 };

const BAD_CHARACTERS = ['\u0000', '\u0007', '\u0085', '\ud800'];

describe.each(PROVIDER_CALLS)('answer of $name', ({ ask, status, answer, texts }) => {
  let provider: ScriptedProvider;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    provider = await ScriptedProvider.start();
  });
  afterAll(() => provider.stop());

  it('accepts the documented answer of the provider', async () => {
    provider.behaviour = answersJson(status, answer);
    // a malformed answer throws, an empty one gives null or false
    expect(await ask(scriptedClient(provider.url, 500, { limits: LIMITS }))).toBeTruthy();
  });

  it.each(texts)(
    'treats an answer as malformed when %s contains a control character or a lone surrogate',
    async (path) => {
      const failure: ProviderFailure = 'malformed';
      for (const character of BAD_CHARACTERS) {
        const garbled = withText(answer, path, (text) => `${text}${character}${text}`);
        provider.behaviour = answersJson(status, garbled);
        await expect(ask(scriptedClient(provider.url, 500, { limits: LIMITS }))).rejects.toEqual(
          expect.objectContaining({ name: 'ProviderError', failure }),
        );
      }
    },
  );
});
