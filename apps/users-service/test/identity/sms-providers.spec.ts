import { LoginErrors } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import { aPhone, aPhoneEnding } from '../support/inbox.js';
import { BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { startSmsDelivery } from '../support/sms-delivery.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';
import { withOwn } from '../support/with-own.js';

type Behaviour = keyof typeof BEHAVIOURS;

const REQUEST_ID = '0198c0de-1a2b-7c3d-8e4f-00000000000a';

/** Behaviours after which the message cannot have arrived. */
const REFUSING: readonly [string, Behaviour][] = [
  ['refuses', 'refuses'],
  ['throttles', 'throttles'],
  ['rejects the key', 'rejectsKey'],
];

/** Behaviours after which the message may have arrived. */
const OPEN: readonly [string, Behaviour][] = [
  ['fails', 'fails'],
  ['answers HTML', 'answersHtml'],
  ['answers an empty body', 'answersNothing'],
  ['answers other JSON', 'answersOtherJson'],
  ['answers a huge body', 'answersHuge'],
  ['redirects', 'redirects'],
  ['resets the connection', 'resets'],
  ['breaks off its answer', 'breaksOff'],
];

describe('delivery of codes by SMS', () => {
  let service: TestService;
  let primary: ScriptedProvider;
  let fallback: ScriptedProvider;
  beforeAll(async () => {
    primary = await ScriptedProvider.start();
    fallback = await ScriptedProvider.start();
    service = await startService({ SMS_PRIMARY_URL: primary.url, SMS_FALLBACK_URL: fallback.url });
  });
  afterEach(() => {
    primary.behaviour = fallback.behaviour = BEHAVIOURS.accepts;
  });
  afterAll(async () => {
    await service.close();
    await primary.stop();
    await fallback.stop();
  });

  const register = (phone: string, headers = {}, { api }: UsersApp = service) =>
    api.post('/auth/register', { phone }, { headers });

  it('sends the message to the primary provider with its key, a request id and an idempotency key, and nothing to the fallback', async () => {
    const phone = aPhone();
    await register(phone, { 'x-request-id': REQUEST_ID });
    expect(primary.callsTo(phone)).toEqual([
      {
        method: 'POST',
        path: '/messages',
        headers: expect.objectContaining({
          authorization: 'Bearer sms-primary-key',
          'x-request-id': REQUEST_ID,
          'idempotency-key': expect.stringMatching(/^[\w-]{16}$/) as string,
        }) as object,
        body: {
          to: phone,
          template_id: 'login_otp',
          text: expect.stringMatching(/\b[0-9]{6}\b/) as string,
          variables: { code: expect.stringMatching(/^[0-9]{6}$/) as string, minutes: '10' },
        },
      },
    ]);
    expect(fallback.callsTo(phone)).toHaveLength(0);
  });

  it.each(REFUSING)(
    'sends the same message to the fallback at once when the primary provider %s',
    async (_name, behaviour) => {
      primary.behaviour = BEHAVIOURS[behaviour];
      const phone = aPhone();
      // a throttled call delays the next ones, and a refused key opens the circuit
      const sender = behaviour === 'refuses' ? service : await service.replica();
      expect((await register(phone, {}, sender)).status).toBe(201);
      const [first] = primary.callsTo(phone);
      const [second] = fallback.callsTo(phone);
      expect(second?.body).toEqual(first?.body);
      expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
      expect(second?.headers.authorization).toBe('Bearer sms-fallback-key');
    },
  );

  it('counts messages that a provider rejects for the address of the caller, not for the phone', async () => {
    const rejects = await ScriptedProvider.start();
    rejects.behaviour = BEHAVIOURS.refuses;
    const limited = await service.replica({
      SMS_PRIMARY_URL: rejects.url,
      SMS_FALLBACK_URL: rejects.url,
      OTP_SENDS_PER_IP_HOUR: '7',
      TRUSTED_PROXY_HOPS: '1',
    });
    const send = (phone: string, ip = '198.51.100.201') =>
      limited.api.post('/auth/register', { phone }, { headers: { 'x-forwarded-for': ip } });
    const phone = aPhone();
    for (let i = 0; i < 7; i++) expectRefusal(await send(phone), LoginErrors.smsUnavailable);
    expectRefusal(await send(aPhone()), LoginErrors.sendsSuspended);
    expectRefusal(await send(aPhone(), '198.51.100.202'), LoginErrors.smsUnavailable);
    await rejects.stop();
  });

  it.each(OPEN)(
    'sends the message to the fallback too when the primary provider %s',
    async (_name, behaviour) => {
      primary.behaviour = BEHAVIOURS[behaviour];
      const phone = aPhone();
      expect((await register(phone)).status).toBe(201);
      expect(fallback.callsTo(phone)).toHaveLength(1);
    },
  );

  it.each(REFUSING)(
    'returns 503 and counts no send when the primary provider %s and the fallback is unreachable',
    async (_name, behaviour) => {
      primary.behaviour = BEHAVIOURS[behaviour];
      const gone = await ScriptedProvider.start();
      const alone = await service.replica({ SMS_FALLBACK_URL: gone.url });
      await gone.stop();
      const phone = aPhone();
      for (let i = 0; i < 6; i++)
        expectRefusal(await alone.api.post('/auth/register', { phone }), LoginErrors.smsUnavailable);
    },
  );

  describe('while no provider confirms', () => {
    /** Makes fewer calls than those after which a circuit opens. */
    let replica: UsersApp;
    beforeAll(async () => {
      replica = await service.replica();
    });

    it.each(OPEN)(
      'returns 201 when each provider %s, since the code may have arrived',
      async (_name, behaviour) => {
        primary.behaviour = fallback.behaviour = BEHAVIOURS[behaviour];
        expect((await register(aPhone(), {}, replica)).status).toBe(201);
        expect((await replica.api.get('/metrics')).text).not.toMatch(/provider_circuit_open\{.*\} 1/);
      },
    );
  });

  it('asks a provider that rejects the key once, and sends further messages through the fallback alone', async () => {
    const replica = await service.replica();
    primary.behaviour = BEHAVIOURS.rejectsKey;
    const phones = [aPhone(), aPhone(), aPhone()];
    const [first, ...others] = phones;
    expect((await register(first!, {}, replica)).status).toBe(201);
    // together, before the circuit lets one probe
    for (const { status } of await Promise.all(others.map((phone) => register(phone, {}, replica))))
      expect(status).toBe(201);
    expect(phones.map((phone) => primary.callsTo(phone).length)).toEqual([1, 0, 0]);
    expect(phones.map((phone) => fallback.callsTo(phone).length)).toEqual([1, 1, 1]);
    const { text } = await replica.api.get('/metrics');
    expect(text).toContain('provider_circuit_open{provider="sms-primary"} 1');
    expect(text).toContain('provider_circuit_open{provider="sms-fallback"} 0');
    expect(text).toContain('sms_sends_total{provider="sms-primary",outcome="misconfigured"} 1');
  });

  it('does not repeat a message whose code has expired, even when the clock is set back', async () => {
    primary.behaviour = fallback.behaviour = BEHAVIOURS.resets;
    const realNow = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() - 3_600_000);
    const [dead, alive] = [aPhoneEnding('0408'), aPhone()];
    expect((await register(dead)).status).toBe(201);
    expect((await register(alive)).status).toBe(201);
    await eventually(() => expect(primary.callsTo(alive).length).toBeGreaterThan(1));
    expect([primary.callsTo(dead), fallback.callsTo(dead)].map(({ length }) => length)).toEqual([1, 1]);
  });

  it('exports outcomes and durations of SMS sends as metrics', async () => {
    const { text } = await service.api.get('/metrics');
    expect(text).toMatch(/sms_sends_total\{provider="sms-primary",outcome="sent"\} [1-9]/);
    expect(text).toMatch(/otp_sends_total\{outcome="open"\} [1-9]/);
    expect(text).toMatch(/sms_provider_duration_seconds_count\{provider="sms-fallback"\} [1-9]/);
  });
});

describe('repeats of an SMS in the background', () => {
  /** Wraps a test with a service and two providers of its own. */
  const withProviders = (test: (own: Awaited<ReturnType<typeof startSmsDelivery>>) => Promise<void>) =>
    withOwn(() => startSmsDelivery(), test);

  it.concurrent(
    'repeats the same message in the background until a provider accepts it',
    withProviders(async ({ primary, fallback, register }) => {
      primary.behaviour = fallback.behaviour = BEHAVIOURS.resets;
      const phone = aPhone();
      expect((await register(phone)).status).toBe(201);
      const before = primary.callsTo(phone).length;
      primary.behaviour = BEHAVIOURS.accepts;
      await eventually(() => expect(primary.callsTo(phone).length).toBeGreaterThan(before));
      const messages = [...primary.callsTo(phone), ...fallback.callsTo(phone)];
      expect(new Set(messages.map(({ body }) => body.text)).size).toBe(1);
      expect(new Set(messages.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    }),
  );

  it.concurrent(
    'does not repeat a message that a provider has probably accepted',
    withProviders(async ({ primary, fallback, register }) => {
      primary.behaviour = fallback.behaviour = BEHAVIOURS.answersHtml;
      const quiet = aPhone();
      expect((await register(quiet)).status).toBe(201);
      primary.behaviour = fallback.behaviour = BEHAVIOURS.resets;
      const repeated = aPhone();
      await register(repeated);
      // before the second message is repeated, the first would have been repeated too
      await eventually(() => expect(primary.callsTo(repeated).length).toBeGreaterThan(1));
      expect(primary.callsTo(quiet)).toHaveLength(1);
      expect(fallback.callsTo(quiet)).toHaveLength(1);
    }),
  );

  it.concurrent(
    'does not repeat a message at a silent provider that would deliver it twice, and continues with the other',
    withProviders(async ({ service, primary }) => {
      const silent = await ScriptedProvider.start();
      silent.behaviour = BEHAVIOURS.resets;
      const replica = await service.replica({
        SMS_PROVIDERS: 'twilio,primary',
        TWILIO_URL: silent.url,
        TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
        TWILIO_AUTH_TOKEN: 'token',
        TWILIO_FROM: 'FDEPOS',
      });
      primary.behaviour = BEHAVIOURS.resets;
      const phone = aPhone();
      expect((await replica.api.post('/auth/register', { phone })).status).toBe(201);
      await eventually(() => expect(primary.callsTo(phone).length).toBeGreaterThan(1));
      expect(silent.calls.filter(({ body }) => body['To'] === `+${phone}`)).toHaveLength(1);
      await silent.stop();
    }),
  );
});
