import { timeLimit } from '@fd/envelope';
import type { Environment } from '@fd/platform';
import { eventually } from '@fd/testing';
import { aPhone, aPhoneEnding } from '../support/inbox.js';
import { BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { startService } from '../support/users-app.js';
import { withOwn } from '../support/with-own.js';
import type { RegisterPayload } from '@fd/contracts';

/** After the fallback is asked; when it refuses, too, the client has its answer. */
const REFUSED_AFTER_MS = timeLimit(1_000);

type Behaviour = keyof typeof BEHAVIOURS;

/** Behaviours without an answer in time: the message may have arrived. */
const SILENT: readonly [string, Behaviour][] = [
  ['hangs', 'hangs'],
  ['drips its answer', 'drips'],
];

/** Wraps a test with a service and two providers of its own. */
const withProviders = (test: (own: Awaited<ReturnType<typeof startDelivery>>) => Promise<void>) =>
  withOwn(() => startDelivery(), test);

async function startDelivery(times: Environment = { SMS_NEXT_PROVIDER_MS: '500' }) {
  const primary = await ScriptedProvider.start();
  const fallback = await ScriptedProvider.start();
  const service = await startService({
    SMS_PRIMARY_URL: primary.url,
    SMS_FALLBACK_URL: fallback.url,
    ...times,
  });
  return {
    service,
    primary,
    fallback,
    register: (phone: string) => service.api.post('/auth/register', { phone }),
    end: async () => {
      await service.close();
      await primary.stop();
      await fallback.stop();
    },
  };
}

describe('delivery of codes by SMS', () => {
  it.concurrent.each(SILENT)(
    'sends the message to the fallback too when the primary provider %s',
    (_name, behaviour) =>
      withProviders(async ({ primary, fallback, register }) => {
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
        withProviders(async ({ service, primary, fallback, register }) => {
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
      () => startDelivery({ SMS_TIMEOUT_MS: '8000' }),
      async ({ service, primary, fallback, register }) => {
        let hasAnswered = false;
        primary.behaviour = (response) =>
          setTimeout(() => {
            hasAnswered = true;
            BEHAVIOURS.accepts(response);
          }, timeLimit(1_500));
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

describe('repeats of an SMS in the background', () => {
  it.concurrent(
    'repeats the message in the background when the providers refuse it after the client got 201',
    withProviders(async ({ service, primary, fallback, register }) => {
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
