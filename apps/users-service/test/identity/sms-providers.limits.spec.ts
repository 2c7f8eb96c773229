import type { RegisterPayload } from '@fd/contracts';
import { eventually } from '@fd/testing';
import { aPhone, aPhoneEnding } from '../support/inbox.js';
import { BEHAVIOURS } from '../support/scripted-provider.js';
import { startSmsDelivery } from '../support/sms-delivery.js';
import { startService } from '../support/users-app.js';
import { withOwn } from '../support/with-own.js';

type Behaviour = keyof typeof BEHAVIOURS;

/** After the fallback is asked; when it refuses, too, the client has its answer. */
const REFUSED_AFTER_MS = 1_000;

/** Behaviours without an answer in time: the message may have arrived. */
const SILENT: readonly [string, Behaviour][] = [
  ['hangs', 'hangs'],
  ['drips its answer', 'drips'],
];

/** Wraps a test with a service that soon asks its second provider, too. */
const withSilentProviders = (test: (own: Awaited<ReturnType<typeof startSmsDelivery>>) => Promise<void>) =>
  withOwn(() => startSmsDelivery({ SMS_NEXT_PROVIDER_MS: '500' }), test);

describe('delivery of codes by silent SMS providers', () => {
  it.concurrent.each(SILENT)(
    'sends the message to the fallback too when the primary provider %s',
    (_name, behaviour) =>
      withSilentProviders(async ({ primary, fallback, register }) => {
        primary.behaviour = BEHAVIOURS[behaviour];
        const phone = aPhone();
        expect((await register(phone)).status).toBe(201);
        expect(fallback.callsTo(phone)).toHaveLength(1);
      })(),
  );

  describe('while no provider confirms', () => {
    it.concurrent.each(SILENT)(
      'returns 201 when each provider %s, since the code may have arrived',
      (_name, behaviour) =>
        withSilentProviders(async ({ service, primary, fallback, register }) => {
          primary.behaviour = fallback.behaviour = BEHAVIOURS[behaviour];
          expect((await register(aPhone())).status).toBe(201);
          expect((await service.api.get('/metrics')).text).not.toMatch(/provider_circuit_open\{.*\} 1/);
        })(),
    );
  });
});

describe('a provider as slow as vendors are', () => {
  it.concurrent(
    'is the only one that is asked for the code of a login, whose client does not wait for it',
    withOwn(
      () => startSmsDelivery({ SMS_TIMEOUT_MS: '8000' }),
      async ({ service, primary, fallback, register }) => {
        let hasAnswered = false;
        primary.behaviour = (response) =>
          setTimeout(() => {
            hasAnswered = true;
            BEHAVIOURS.accepts(response);
          }, 1_500);
        const phone = aPhone();
        expect((await register(phone)).status).toBe(201);
        expect(hasAnswered).toBe(false);
        await eventually(async () => {
          const { text } = await service.api.get('/metrics');
          expect(text).toContain('otp_sends_total{outcome="sent"} 1\n');
          expect(text).toContain('otp_sends_total{outcome="open"} 0\n');
        });
        expect([primary, fallback].map((provider) => provider.callsTo(phone).length)).toEqual([1, 0]);
      },
    ),
  );
});

describe('repeats of an SMS that slow providers refuse', () => {
  it.concurrent(
    'repeats the message in the background when the providers refuse it after the client got 201',
    withSilentProviders(async ({ service, primary, fallback, register }) => {
      fallback.behaviour = (response) => setTimeout(() => BEHAVIOURS.refuses(response), REFUSED_AFTER_MS);
      let refused = 0;
      primary.behaviour = (response) =>
        setTimeout(() => {
          refused++;
          BEHAVIOURS.refuses(response);
        }, REFUSED_AFTER_MS);
      let phone = '';
      const answer = await register((phone = aPhone()));
      expect(answer.status).toBe(201);
      await eventually(() => expect(fallback.callsTo(phone)).toHaveLength(1));
      primary.behaviour = BEHAVIOURS.accepts;
      await eventually(() => expect(primary.callsTo(phone).length).toBeGreaterThan(1));
      await eventually(async () => {
        const { text } = await service.api.get('/metrics');
        expect(text).toContain(`sms_sends_total{provider="sms-primary",outcome="refused"} ${refused}\n`);
      });
    }),
  );
});

describe('POST /auth/register', () => {
  describe('while the SMS providers fail', () => {
    it('returns 201 and counts the send when the SMS providers are silent, since the code may still arrive', async () => {
      const service = await startService();
      const register = (phone: string) => service.api.post('/auth/register', { phone });
      const payloadOf = ({ body }: { body: { payload: RegisterPayload } }) => body.payload;
      const phone = aPhoneEnding('0504');
      expect(payloadOf(await register(phone)).attemptsUsed).toBe(0);
      expect(payloadOf(await register(phone)).attemptsUsed).toBe(1);
      await service.close();
    });
  });
});
