import { LoginErrors } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import { aPhone, aPhoneEnding } from '../support/inbox.js';
import { BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';

type Behaviour = keyof typeof BEHAVIOURS;

/** Outcomes after which nobody can have received a message. */
const REFUSING: Behaviour[] = ['refuses', 'fails', 'throttles', 'rejectsKey'];
/** Outcomes after which somebody may have. */
const OPEN: Behaviour[] = [
  'hangs',
  'answersHtml',
  'answersNothing',
  'answersOtherJson',
  'answersHuge',
  'redirects',
  'resets',
  'breaksOff',
  'drips',
];

describe('short-message providers', () => {
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

  const register = (phone: string, headers = {}) =>
    service.api.post('/auth/register', { phone }, { headers });

  it('the first one gets the message with its key, a request id and an idempotency key; the second none', async () => {
    const phone = aPhone();
    await register(phone, { 'x-request-id': 'trace-me-123' });
    expect(primary.callsTo(phone)).toEqual([
      {
        method: 'POST',
        path: '/messages',
        headers: expect.objectContaining({
          authorization: 'Bearer primary-key',
          'x-request-id': 'trace-me-123',
          'idempotency-key': expect.stringMatching(/^[\w-]{16}$/) as string,
        }) as object,
        body: { to: phone, template_id: 'login_otp', text: expect.stringMatching(/\b[0-9]{6}\b/) as string },
      },
    ]);
    expect(fallback.callsTo(phone)).toHaveLength(0);
  });

  it.each(REFUSING)('when the first %s, the second gets the same message at once', async (behaviour) => {
    primary.behaviour = BEHAVIOURS[behaviour];
    const phone = aPhone();
    expect((await register(phone)).status).toBe(201);
    const [first] = primary.callsTo(phone);
    const [second] = fallback.callsTo(phone);
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.headers.authorization).toBe('Bearer fallback-key');
  });

  it.each(OPEN)('when the first %s, the second is asked as well', async (behaviour) => {
    primary.behaviour = BEHAVIOURS[behaviour];
    const phone = aPhone();
    expect((await register(phone)).status).toBe(201);
    expect(fallback.callsTo(phone)).toHaveLength(1);
  });

  it.each(REFUSING)('503 and not counted when one %s and the other cannot be reached', async (behaviour) => {
    primary.behaviour = BEHAVIOURS[behaviour];
    const gone = await ScriptedProvider.start();
    const alone = await service.replica({ SMS_FALLBACK_URL: gone.url });
    await gone.stop();
    const phone = aPhone();
    for (let i = 0; i < 6; i++)
      expectRefusal(await alone.api.post('/auth/register', { phone }), LoginErrors.smsUnavailable);
  });

  it.each(OPEN)('201 when both %s: the code may have gone out', async (behaviour) => {
    primary.behaviour = fallback.behaviour = BEHAVIOURS[behaviour];
    expect((await register(aPhone())).status).toBe(201);
  });

  it('goes on in the background until a provider takes the message, always the same one', async () => {
    primary.behaviour = fallback.behaviour = BEHAVIOURS.resets;
    const phone = aPhone();
    expect((await register(phone)).status).toBe(201);
    const before = primary.callsTo(phone).length;
    primary.behaviour = BEHAVIOURS.accepts;
    await eventually(() => expect(primary.callsTo(phone).length).toBeGreaterThan(before));
    const messages = [...primary.callsTo(phone), ...fallback.callsTo(phone)];
    expect(new Set(messages.map(({ body }) => body.text)).size).toBe(1);
    expect(new Set(messages.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('goes on when they refuse only after the client was told 201', async () => {
    primary.behaviour = fallback.behaviour = (response) =>
      setTimeout(() => BEHAVIOURS.refuses(response), 1_000);
    const phone = aPhone();
    expect((await register(phone)).status).toBe(201);
    await eventually(() => expect(fallback.callsTo(phone)).toHaveLength(1));
    primary.behaviour = BEHAVIOURS.accepts;
    await eventually(() => expect(primary.callsTo(phone).length).toBeGreaterThan(1));
  });

  it('does not go on with a code that is dead, also when the clock is set back', async () => {
    primary.behaviour = fallback.behaviour = BEHAVIOURS.resets;
    const realNow = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() - 3_600_000);
    const [dead, alive] = [aPhoneEnding('0408'), aPhone()];
    expect((await register(dead)).status).toBe(201);
    expect((await register(alive)).status).toBe(201);
    await eventually(() => expect(primary.callsTo(alive).length).toBeGreaterThan(1));
    expect([primary.callsTo(dead), fallback.callsTo(dead)].map(({ length }) => length)).toEqual([1, 1]);
  });

  it('does not ask again in the background when somebody has most likely taken the message', async () => {
    primary.behaviour = fallback.behaviour = BEHAVIOURS.answersHtml;
    const quiet = aPhone();
    expect((await register(quiet)).status).toBe(201);
    primary.behaviour = fallback.behaviour = BEHAVIOURS.resets;
    const repeated = aPhone();
    await register(repeated);
    // by the time the other message is repeated, this one would have been too
    await eventually(() => expect(primary.callsTo(repeated).length).toBeGreaterThan(1));
    expect(primary.callsTo(quiet)).toHaveLength(1);
    expect(fallback.callsTo(quiet)).toHaveLength(1);
  });

  it('tells operators how providers do', async () => {
    const { text } = await service.api.get('/metrics');
    expect(text).toMatch(/sms_sends_total\{provider="sms-primary",outcome="sent"\} [1-9]/);
    expect(text).toMatch(/sms_sends_total\{provider="sms-primary",outcome="refused"\} [1-9]/);
    expect(text).toMatch(/otp_sends_total\{outcome="open"\} [1-9]/);
    expect(text).toMatch(/sms_provider_duration_seconds_count\{provider="sms-fallback"\} [1-9]/);
  });
});
