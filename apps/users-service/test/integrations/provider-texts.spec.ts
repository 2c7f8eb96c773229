import { Logger } from '@nestjs/common';
import { ProviderError, type ProviderFailure } from '@fd/errors';
import { fineract } from '../../src/integrations/issuers/adapters/fineract/fineract.js';
import { exchange } from '../../src/integrations/providers/http-exchange.js';
import { msg91FailureIn } from '../../src/integrations/sms/adapters/msg91/msg91-sms.adapter.js';
import { twilioFailureIn } from '../../src/integrations/sms/adapters/twilio/twilio-sms.adapter.js';
import { cashfree } from '../../src/integrations/vendors/cashfree/cashfree.js';
import { setu } from '../../src/integrations/vendors/setu/setu.js';
import { RESILIENCE_LIMITS } from '../../src/integrations/providers/resilience.js';
import { PROVIDER_CALLS, scriptedClient, withText } from '../support/provider-calls.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';

/** Repeats a call soon: a malformed answer is asked for twice. */
const LIMITS = { ...RESILIENCE_LIMITS, pauseMs: 1 };

const BAD_CHARACTERS = ['\u0000', '\u0007', '\u0085', '\ud800'];

/** A text that makes a pattern of quadratic time run for seconds. */
const HOSTILE = 'IP '.repeat(20_000);
/** One more than the longest text that a shape accepts. */
const MAX_READ = 2_049;

/** Runs WORK and returns the length of the longest text that any pattern has read. */
async function longestMatched(work: () => Promise<unknown>): Promise<number> {
  // `test`, `match`, `replace` and `split` call it, too
  const spy = jest.spyOn(RegExp.prototype, 'exec');
  await work().catch((error: unknown) => expect(error).toBeInstanceOf(ProviderError));
  const lengths = spy.mock.calls.map(([text]) => text.length);
  spy.mockRestore();
  return Math.max(0, ...lengths);
}

describe.each(PROVIDER_CALLS)('answer of $name', ({ ask, status, answer, texts, words }) => {
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

  it('cuts long texts before any pattern reads them', async () => {
    for (const path of [...texts, ...words]) {
      provider.behaviour = answersJson(
        status,
        withText(answer, path, () => HOSTILE),
      );
      const work = () => ask(scriptedClient(provider.url, 500, { limits: LIMITS }));
      expect(await longestMatched(work)).toBeLessThanOrEqual(MAX_READ);
    }
  });
});

const account = { name: 'provider', baseUrl: '', clientId: '', clientSecret: '' };
const FORMATS = {
  cashfree: cashfree(account).failureIn,
  setu: setu({ ...account, productId: '' }).failureIn,
  fineract: fineract({
    name: 'provider',
    baseUrl: '',
    tenant: '',
    login: { kind: 'basic', user: '', password: '' },
    officeId: 1,
    reviewsAccounts: false,
    timeoutMs: 1,
  }).failureIn,
  msg91: msg91FailureIn,
  twilio: twilioFailureIn,
};
const HOSTILE_ERRORS = [
  { type: 'validation_error', code: HOSTILE, message: HOSTILE },
  { type: 'any', code: 'invalid_request', message: HOSTILE },
  { type: 'error', message: HOSTILE },
  { status: 'fail', hasError: true, errors: [HOSTILE] },
  { error: { code: HOSTILE, type: HOSTILE } },
  { userMessageGlobalisationCode: HOSTILE, errors: [{ userMessageGlobalisationCode: HOSTILE }] },
];

describe.each(Object.entries(FORMATS))('error of %s', (_format, failureIn) => {
  let provider: ScriptedProvider;
  beforeEach(async () => {
    provider = await ScriptedProvider.start();
  });
  afterEach(() => provider.stop());

  it.each([200, 400, 403, 404, 500])('cuts long texts with status %i before any pattern', async (status) => {
    for (const body of HOSTILE_ERRORS) {
      provider.behaviour = answersJson(status, body);
      const call = { method: 'GET', url: provider.url, credentials: {} } as const;
      const work = async () => failureIn?.(await exchange('provider', call, AbortSignal.timeout(10_000)));
      expect(await longestMatched(work)).toBeLessThanOrEqual(MAX_READ);
    }
  });
});
