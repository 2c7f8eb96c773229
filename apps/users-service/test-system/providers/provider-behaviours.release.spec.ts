import '@fd/testing/use-generous-limits';
import { Logger } from '@nestjs/common';
import {
  BankErrors,
  EkycErrors,
  EmailErrors,
  IssuerErrors,
  PanErrors,
  ProviderError,
  type ProviderFailure,
} from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, TcpProxy } from '@fd/testing';
import type { Response } from 'supertest';
import { bankBody } from '../../test/support/bank.js';
import { anAadhaar } from '../../test/support/ekyc.js';
import { anEmail, sendEmailCode } from '../../test/support/email.js';
import { aPhone } from '../../test/support/inbox.js';
import { issuerPath } from '../../test/support/issuers.js';
import { as, logIn } from '../../test/support/login.js';
import { postPan, verifyPan } from '../../test/support/pan.js';
import { PROVIDER_CALLS, scriptedClient, withText } from '../../test/support/provider-calls.js';
import { sandboxUrl } from '../../test/support/sandbox.config.js';
import {
  answersJson,
  type Behaviour,
  BEHAVIOURS,
  ScriptedProvider,
} from '../../test/support/scripted-provider.js';
import { providerSettings } from '../../test/support/settings.js';
import { startService, type TestService, type UsersApp } from '../../test/support/users-app.js';

const HUGE_BYTES = 10_000_000;
/** All calls run in parallel: a busy machine has to make them all within the timeout of one. */
const TRY_MS = 1_000;

/** Faults that any provider call may meet, with the failures that its adapter may report. */
const DOINGS: Record<string, [does: Behaviour, ...failures: ProviderFailure[]]> = {
  'answers 500': [BEHAVIOURS.fails, 'timeout'],
  // an adapter may report 429 as malformed if its provider has its own codes
  'answers 429': [BEHAVIOURS.throttles, 'unavailable', 'malformed'],
  'answers 503': [answersJson(503, {}), 'unavailable'],
  'answers 502, from a proxy in front of it': [answersJson(502, {}), 'timeout'],
  'answers 504, from a proxy in front of it': [answersJson(504, {}), 'timeout'],
  'rejects our key': [BEHAVIOURS.rejectsKey, 'misconfigured'],
  'refuses with an unknown body': [BEHAVIOURS.refuses, 'refused', 'malformed'],
  'never answers': [BEHAVIOURS.hangs, 'timeout'],
  'answers byte by byte': [BEHAVIOURS.drips, 'timeout'],
  'hangs up': [BEHAVIOURS.resets, 'timeout'],
  'breaks off': [BEHAVIOURS.breaksOff, 'timeout'],
  redirects: [BEHAVIOURS.redirects, 'timeout'],
  'answers a web page': [BEHAVIOURS.answersHtml, 'malformed'],
  'answers nothing': [BEHAVIOURS.answersNothing, 'malformed'],
  'answers no content': [(response) => response.writeHead(204).end(), 'malformed'],
  'answers null': [answersJson(200, null), 'malformed'],
  'answers a list': [answersJson(200, []), 'malformed'],
  'answers 200 with an error in it': [
    answersJson(200, { error: { type: 'internal', message: 'no' } }),
    'malformed',
  ],
  'answers truncated JSON': [(response) => response.writeHead(200).end('{"status":"VAL'), 'malformed'],
  'answers something huge': [BEHAVIOURS.answersHuge, 'malformed'],
};

/** Failures after which the client retries. */
const REPEATED: ProviderFailure[] = ['unavailable', 'timeout', 'malformed'];

describe('calls to an HTTP provider', () => {
  const providers = new Map<string, ScriptedProvider>();
  beforeAll(async () => {
    Logger.overrideLogger(false);
    for (const { name } of PROVIDER_CALLS) providers.set(name, await ScriptedProvider.start());
  });
  beforeEach(() => {
    for (const provider of providers.values()) provider.calls.length = 0;
  });
  afterAll(async () => {
    for (const provider of providers.values()) await provider.stop();
  });

  /** Makes all calls in parallel. Returns the failure and the number of tries of each. */
  const askAll = async (does: Behaviour) =>
    Promise.all(
      PROVIDER_CALLS.map(async ({ name, ask, isAskedOnce }) => {
        const provider = providers.get(name)!;
        provider.behaviour = does;
        const error: unknown = await ask(scriptedClient(provider.url, TRY_MS)).catch(
          (thrown: unknown) => thrown,
        );
        const failure = error instanceof ProviderError ? error.failure : 'none';
        return { name, failure, tries: provider.calls.length, isAskedOnce: isAskedOnce ?? false };
      }),
    );

  it.each(Object.keys(DOINGS))(
    'fails with the matching error when a provider %s, and retries only if that is harmless',
    async (name) => {
      const [does, ...failures] = DOINGS[name]!;
      for (const { failure, tries, isAskedOnce, ...call } of await askAll(does)) {
        // a provider that has too many calls gets no further one
        const isThrottled = name === 'answers 429' && failure === 'unavailable';
        const isRepeated = !isAskedOnce && !isThrottled && REPEATED.includes(failure as ProviderFailure);
        expect({ ...call, isKnown: failures.includes(failure as ProviderFailure), failure, tries }).toEqual({
          ...call,
          isKnown: true,
          failure,
          tries: isRepeated ? 2 : 1,
        });
      }
    },
  );

  it('stops reading and keeps nothing when a provider sends ten megabytes', async () => {
    const written: number[] = [];
    const floods: Behaviour = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(65_536, 'x');
      let sent = 0;
      const more = (): void => {
        while (sent < HUGE_BYTES && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      response.on('close', () => written.push(sent));
      more();
    };
    for (const { name, failure } of await askAll(floods)) {
      expect({ name, failure }).toEqual({ name, failure: 'malformed' });
    }
    const answers = [...providers.values()].reduce((sum, { calls }) => sum + calls.length, 0);
    await eventually(() => expect(written).toHaveLength(answers));
    // only the buffers of the two sockets were filled
    for (const sent of written) expect(sent).toBeLessThan(HUGE_BYTES);
  });

  it('fails as unavailable when a provider does not listen', async () => {
    const gone = await ScriptedProvider.start();
    const { url } = gone;
    await gone.stop();
    for (const { name, ask } of PROVIDER_CALLS) {
      const asked = await ask(scriptedClient(url)).catch(failureOf);
      expect({ name, asked }).toEqual({ name, asked: 'unavailable' });
    }
  });

  it('fails as malformed when a provider answers an unknown enumerated value', async () => {
    for (const { name, ask, status, answer, words } of PROVIDER_CALLS) {
      const provider = providers.get(name)!;
      for (const path of words) {
        provider.behaviour = answersJson(
          status,
          withText(answer, path, () => 'WHATEVER'),
        );
        const asked = await ask(scriptedClient(provider.url)).catch(failureOf);
        expect({ name, path, asked }).toEqual({ name, path, asked: 'malformed' });
      }
    }
  });
});

const failureOf = (error: unknown): unknown => (error instanceof ProviderError ? error.failure : error);

describe('while all providers fail at once', () => {
  let service: TestService;
  let http: TcpProxy;
  let mail: TcpProxy;
  let replica: UsersApp;
  beforeAll(async () => {
    service = await startService();
    http = await TcpProxy.before(sandboxUrl());
    mail = await TcpProxy.before(service.environment['MAIL_SMTP_URL']!);
    const base = new URL(http.url).origin;
    replica = await service.replica({
      ...providerSettings(base),
      SMS_PRIMARY_URL: `${base}/providers/sms/primary/messages`,
      SMS_FALLBACK_URL: `${base}/providers/sms/fallback/messages`,
      MAIL_SMTP_URL: mail.url,
      // short, so that a silent registry times out within the request
      PAN_LOOKUP_TIMEOUT_MS: '800',
    });
  });
  afterAll(async () => {
    await service.close();
    await http.close();
    await mail.close();
  });

  const aUser = async (isKnown: boolean): Promise<ApiClient> => {
    const user = await logIn(service);
    if (isKnown) await verifyPan(as(service.api, user));
    return as(replica.api, user);
  };

  type Step = (api: ApiClient) => Promise<Response>;
  const consent = { consent_checked: true };
  const STEPS: Record<string, [step: Step, code: Parameters<typeof expectRefusal>[1], isKnown: boolean]> = {
    'the PAN registry': [(api) => postPan(api), PanErrors.registryUnavailable, false],
    'the bank': [(api) => api.post('/api/v1/bank/sync-to-issuer', bankBody()), BankErrors.unavailable, false],
    'an issuer (rest)': [
      (api) => api.post(issuerPath('aravalli', 'v2/check-etb'), {}),
      IssuerErrors.unavailable,
      true,
    ],
    'an issuer (core banking)': [
      (api) => api.post(issuerPath('vindhya', 'v2/check-etb'), {}),
      IssuerErrors.unavailable,
      true,
    ],
    'an issuer that opens leads': [
      (api) => api.post(issuerPath('sahyadri', 'v1/lead'), {}),
      IssuerErrors.unavailable,
      true,
    ],
    'the eKYC provider': [
      (api) => api.post(issuerPath('nilgiri', 'v3/check-status'), {}),
      EkycErrors.unavailable,
      true,
    ],
    'the Aadhaar provider': [
      (api) =>
        api.post(issuerPath('sahyadri', 'v1/aadhaar-ekyc/send-otp'), {
          ...consent,
          aadhaar_number: anAadhaar(),
        }),
      EkycErrors.unavailable,
      true,
    ],
    'the document locker': [
      (api) => api.post(issuerPath('kaveri', 'v1/document-locker/session'), consent),
      EkycErrors.unavailable,
      true,
    ],
    'the mail server': [(api) => sendEmailCode(api, anEmail()), EmailErrors.mailUnavailable, false],
  };

  it.each(['freeze', 'cut'] as const)(
    'refuses each call with its code, serves other calls, and recovers without a restart (%s)',
    async (fault) => {
      const people = new Map<string, ApiClient>();
      for (const [name, [, , isKnown]] of Object.entries(STEPS)) people.set(name, await aUser(isKnown));
      const bystander = await aUser(true);
      http[fault]();
      mail[fault]();
      const refused = Object.entries(STEPS).map(async ([name, [step, code]]) => {
        const response = await step(people.get(name)!);
        expectRefusal(response, code);
        expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
        expect(response.text).not.toMatch(/ECONN|127\.0\.0\.1|fetch|undici|smtp/i);
      });
      // registration does not wait: the code is sent in the background
      const registered = replica.api.post('/auth/register', { phone: aPhone() });
      const served = [];
      for (let call = 0; call < 10; call++) served.push((await bystander.get('/api/v1/user-profile')).status);
      expect(served).toEqual(Array(10).fill(200));
      await eventually(async () => expect((await replica.api.get('/health/ready')).status).toBe(200));
      await Promise.all(refused);
      expect((await registered).status).toBe(201);
      http.heal();
      mail.heal();
      for (const [name, [step]] of Object.entries(STEPS)) {
        await eventually(async () => {
          const { status } = await step(people.get(name)!);
          expect({ name, isWell: [200, 201].includes(status) }).toEqual({ name, isWell: true });
        });
      }
    },
  );
});
