import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { EkycErrors, LoginErrors, PanErrors, ProviderError, type ProviderFailure } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import { Logger } from '@nestjs/common';
import { fineract } from '../../src/integrations/issuers/adapters/fineract/fineract.js';
import { exchange } from '../../src/integrations/providers/http-exchange.js';
import { RESILIENCE_LIMITS } from '../../src/integrations/providers/resilience.js';
import { msg91FailureIn } from '../../src/integrations/sms/adapters/msg91/msg91-sms.adapter.js';
import { twilioFailureIn } from '../../src/integrations/sms/adapters/twilio/twilio-sms.adapter.js';
import { cashfree } from '../../src/integrations/vendors/cashfree/cashfree.js';
import { setu } from '../../src/integrations/vendors/setu/setu.js';
import { aPhone, codeOf } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { postPan } from '../support/pan.js';
import { aPartner } from '../support/partner.js';
import { PROVIDER_CALLS, scriptedClient, withText } from '../support/provider-calls.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';

/** The only registered origin of the partner. */
const PARTNER = 'https://invest.northwind.example';

let service: TestService;
let registry: ScriptedProvider;
let ekyc: ScriptedProvider;
/** Server at the port of the hostile URLs; must never see a connection. */
let inside: Server;
let insidePort: number;
let visits = 0;
beforeAll(async () => {
  inside = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  await once(inside.listen(0, '127.0.0.1'), 'listening');
  insidePort = (inside.address() as AddressInfo).port;
  registry = await ScriptedProvider.start();
  ekyc = await ScriptedProvider.start();
  service = await startService({
    PAN_REGISTRY_URL: new URL(registry.url).origin,
    EKYC_URL: new URL(ekyc.url).origin,
  });
  await aPartner(service.dataSource, { url: PARTNER });
  await service.dataSource.query('UPDATE onboarding.partners SET redirect_origins = $2 WHERE url = $1', [
    PARTNER,
    [PARTNER],
  ]);
});
afterAll(async () => {
  await service.close();
  await registry.stop();
  await ekyc.stop();
  inside.close();
});
afterEach(() => expect(visits).toBe(0));

async function aCustomerOf(partnerUrl: string) {
  const phone = aPhone();
  await service.api.post('/auth/register', { phone });
  const { body } = await service.api.post(
    '/auth/api/v2/register/verify',
    verifyBody(phone, await codeOf(phone), partnerUrl),
  );
  return body.payload as { access_token: string };
}

/** URLs of internal hosts, or of other hosts than they appear to name. */
const hostile = (port: number): readonly string[] => [
  `http://127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}/`,
  `https://localhost:${port}/`,
  `https://[::1]:${port}/`,
  `https://[::ffff:127.0.0.1]:${port}/`,
  `https://2130706433:${port}/`,
  `https://0x7f.1:${port}/`,
  `https://0177.0.0.1:${port}/`,
  `https://127.1:${port}/`,
  `https://１２７.0.0.1:${port}/`,
  'https://169.254.169.254/latest/meta-data/',
  'https://metadata.internal/',
  'https://0.0.0.0/',
  `HTTP://127.0.0.1:${port}/`,
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_FLUSHALL`,
  'file:///etc/passwd',
  'data:text/html,hello',
  'javascript:alert(1)',
  'jAvAsCrIpT:alert(1)',
  'blob:https://invest.northwind.example/1',
  `//127.0.0.1:${port}/`,
  '//invest.northwind.example/',
  '/back',
  'invest.northwind.example',
  'https:invest.northwind.example',
  'https:/invest.northwind.example/',
  'https:///invest.northwind.example/',
  'https:\\\\invest.northwind.example\\',
  'https://invest.northwind.example\\.evil.example/',
  'https://evil.example\\@invest.northwind.example/',
  'https://invest.northwind.example@evil.example/',
  'https://invest.northwind.example:x@evil.example/',
  'https://invest.northwind.example%40evil.example/',
  'https://invest.northwind.example%2f.evil.example/',
  'https://invest.northwind.example.evil.example/',
  'https://evil.example/invest.northwind.example',
  'https://evil.example/?https://invest.northwind.example',
  'https://evil.example#https://invest.northwind.example',
  'https://invest.northwind.example:8443/',
  'https://invest.northwind.example./',
  'https://invest.northwınd.example/',
  'https://іnvest.northwind.example/',
  'https://invest.northwind.example\u0000.evil.example/',
  'https://invest.northwind.example\n.evil.example/',
  'https://invest.northwind.example\u2028/',
  ' https://invest.northwind.example/',
  'https://',
  'https://%',
  `https://invest.northwind.example/${'a'.repeat(2_100)}`,
];

describe('redirection URL', () => {
  it.each(['aravalli', 'kaveri'])(
    'refuses redirection URLs outside the registered origins at %s, however they are written',
    async (slug) => {
      const me = as(service.api, await aCustomerOf(PARTNER));
      for (const redirection_url of hostile(insidePort)) {
        const path =
          slug === 'kaveri'
            ? issuerPath(slug, 'v1/document-locker/session')
            : issuerPath(slug, 'v3/check-status');
        const response = await me.post(path, { redirection_url, consent_checked: true });
        expect([redirection_url, response.status]).toEqual([redirection_url, 400]);
        expectRefusal(response, EkycErrors.redirectionUrlInvalid);
      }
    },
  );

  it('passes the redirection URL on in normal form, so that the provider reads the same host, and never visits it', async () => {
    ekyc.behaviour = answersJson(201, {
      url: 'https://pages.example/ekyc/1',
      state: 'created',
      expires_at: '2999-01-01T00:00:00+05:30',
    });
    for (const [sent, passedOn] of [
      ['HTTPS://Invest.Northwind.Example/Back?a=%20b&c', `${PARTNER}/Back?a=%20b&c`],
      ['https://invest%2Enorthwind.example:443/a/../b', `${PARTNER}/b`],
    ]) {
      const me = as(service.api, await aCustomerOf(PARTNER));
      expect(
        (await me.post(issuerPath('aravalli', 'v3/check-status'), { redirection_url: sent })).status,
      ).toBe(200);
      const opened = ekyc.calls.findLast(({ method }) => method === 'POST')!;
      const [url, state] = (opened.body['redirect_url'] as string).split(/[?&]ekyc_state=/);
      expect(url).toBe(passedOn);
      expect(state).toMatch(/^[\w-]{43}$/);
    }
    // without registered origins any host is allowed, even this machine, but still not visited
    const free = as(service.api, await aCustomerOf(service.partner.url));
    const redirection_url = `https://127.0.0.1:${insidePort}/`;
    expect((await free.post(issuerPath('aravalli', 'v3/check-status'), { redirection_url })).status).toBe(
      200,
    );
  });
});

describe('partner URL of a login', () => {
  it('refuses hostile partner URLs without visiting them', async () => {
    const phone = aPhone();
    for (const url of hostile(insidePort).slice(0, 20)) {
      const response = await service.api.post(
        '/auth/api/v2/register/verify',
        verifyBody(phone, '123456', url),
      );
      expect([url, response.status]).toEqual([url, 400]);
      expect([LoginErrors.partnerUnknown.code, LoginErrors.partnerUrlInvalid.code]).toContain(
        (response.body as { error: { errorCode: string }[] }).error[0]?.errorCode,
      );
    }
  });
});

describe('hostile provider', () => {
  it.each([301, 302, 303, 307, 308])(
    'does not follow a redirect with status %d from a provider',
    async (status) => {
      registry.behaviour = (response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${insidePort}/` }).end();
      const asked = registry.calls.length;
      expectRefusal(await postPan(as(service.api, await logIn(service))), PanErrors.registryUnavailable);
      expect(registry.calls.length).toBeGreaterThan(asked);
    },
  );

  it('stops reading a provider answer of 100 MB long before its end', async () => {
    // more than the socket buffers of a system hold
    const size = 100_000_000;
    let written = 0;
    let isCut = false;
    registry.behaviour = (response) => {
      response.on('close', () => (isCut = !response.writableFinished));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(size) });
      const more = (): void => {
        while (written < size && !response.destroyed) {
          written += 10_000;
          if (!response.write('x'.repeat(10_000))) return void response.once('drain', more);
        }
      };
      more();
    };
    expectRefusal(await postPan(as(service.api, await logIn(service))), PanErrors.registryUnavailable);
    await eventually(() => expect(isCut).toBe(true));
    expect(written).toBeLessThan(size);
  });
});

/** Repeats a call soon: a malformed answer is asked for twice. */
const LIMITS = { ...RESILIENCE_LIMITS, pauseMs: 1 };

const BAD_CHARACTERS = ['\u0000', '\u0007', '\u0085', '\ud800'];

/** A text that makes a pattern of quadratic time run for seconds. */
const HOSTILE = 'IP '.repeat(20_000);
/** One more than the longest text that a shape accepts. */
const MAX_READ = 2_049;

/**
 * Runs WORK and returns the length of the longest text of HOSTILE that any pattern has read. Jobs of the service, which sweep meanwhile,
 * read long statements.
 */
async function longestMatched(work: () => Promise<unknown>): Promise<number> {
  // `test`, `match`, `replace` and `split` call it, too
  const spy = jest.spyOn(RegExp.prototype, 'exec');
  await work().catch((error: unknown) => expect(error).toBeInstanceOf(ProviderError));
  const texts = spy.mock.calls.map(([text]) => text);
  spy.mockRestore();
  const lengths = texts.filter((text) => /IP ?IP/i.test(text.slice(0, 100))).map((text) => text.length);
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
    expect(await ask(scriptedClient(provider.url, 60_000, { limits: LIMITS }))).toBeTruthy();
  });

  it.each(texts)(
    'treats an answer as malformed when %s contains a control character or a lone surrogate',
    async (path) => {
      const failure: ProviderFailure = 'malformed';
      for (const character of BAD_CHARACTERS) {
        const garbled = withText(answer, path, (text) => `${text}${character}${text}`);
        provider.behaviour = answersJson(status, garbled);
        await expect(ask(scriptedClient(provider.url, 60_000, { limits: LIMITS }))).rejects.toEqual(
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
      const work = () => ask(scriptedClient(provider.url, 60_000, { limits: LIMITS }));
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
