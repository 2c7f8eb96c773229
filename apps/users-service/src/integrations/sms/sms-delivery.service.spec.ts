import { Logger } from '@nestjs/common';
import { withDeadline } from '@fd/envelope';
import type { Environment } from '@fd/platform';
import { ProviderError, type ProviderFailure } from '@fd/errors';
import { Registry } from 'prom-client';
import { settings } from '../../../test/support/settings.js';
import { usersConfig } from '../../config/index.js';
import { ProviderClients } from '../providers/provider-client.js';
import { RESILIENCE_LIMITS } from '../providers/resilience.js';
import { SmsDelivery } from './sms-delivery.service.js';
import type { SmsMessage, SmsProvider } from './sms.port.js';

/** A provider with a settable outcome, which counts its calls. */
class FakeProvider implements SmsProvider {
  readonly deliversOnce = false;
  asked = 0;
  running = 0;
  does: ProviderFailure | 'accept' | 'hang' = 'accept';
  takesMs = 0;

  constructor(readonly name: string) {}

  async send(_message: SmsMessage, signal: AbortSignal): Promise<void> {
    this.asked++;
    const { does, takesMs } = this;
    if (takesMs > 0) await new Promise((resolve) => setTimeout(resolve, takesMs));
    if (does === 'accept') return;
    this.running++;
    if (does === 'hang') await new Promise((resolve) => signal.addEventListener('abort', resolve));
    this.running--;
    throw new ProviderError(this.name, does === 'hang' ? 'timeout' : does);
  }
}

const MESSAGE: SmsMessage = {
  phone: '919812345678',
  templateId: 'login_otp',
  variables: { code: '493027', minutes: '10' },
  idempotencyKey: 'key',
  usefulMs: 0,
};

const TIMEOUT_MS = 8_000;
/** The default. */
const NEXT_PROVIDER_MS = 4_000;

/** Delivery over two providers, which accept everything. */
function delivery(own: Environment = {}) {
  const [first, second] = [new FakeProvider('first'), new FakeProvider('second')];
  const { sms, providers } = usersConfig(settings({ SMS_TIMEOUT_MS: String(TIMEOUT_MS), ...own }));
  const registry = new Registry();
  const deliveries = new SmsDelivery(
    [first, second],
    sms,
    new ProviderClients(providers, registry),
    registry,
  );
  const isOpen = async (name: string) =>
    (await registry.metrics()).includes(`provider_circuit_open{provider="${name}"} 1`);
  const answers: string[] = [];
  const deliver = () => deliveries.deliver(MESSAGE, (answer) => answers.push(answer));
  const inBackground = () => deliveries.deliverInBackground(MESSAGE);
  return { first, second, deliver, inBackground, answers, isOpen, registry };
}

beforeAll(() => Logger.overrideLogger(false));
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('SmsDelivery', () => {
  it.each<[ProviderFailure, number]>([
    ['misconfigured', 1],
    ['unavailable', RESILIENCE_LIMITS.minCalls],
  ])(
    'stops asking a provider that is %s %i times, and asks it again after the pause',
    async (failure, times) => {
      const { first, second, deliver, isOpen } = delivery();
      first.does = failure;
      for (let time = 0; time < times; time++) expect(await deliver()).toBe('sent');
      expect([first.asked, await isOpen('first'), await isOpen('second')]).toEqual([times, true, false]);
      for (let time = 0; time < 3; time++) expect(await deliver()).toBe('sent');
      expect([first.asked, second.asked]).toEqual([times, times + 3]);
      first.does = 'accept';
      jest.advanceTimersByTime(RESILIENCE_LIMITS.openMs);
      for (let time = 0; time < 3; time++) expect(await deliver()).toBe('sent');
      expect([first.asked, second.asked, await isOpen('first')]).toEqual([times + 3, times + 3, false]);
    },
  );

  it('keeps asking a provider that refuses single messages', async () => {
    const { first, deliver } = delivery();
    first.does = 'refused';
    for (let time = 0; time < 50; time++) expect(await deliver()).toBe('sent');
    expect(first.asked).toBe(50);
  });

  it('refuses a message without asking while every circuit is open, and counts no attempt', async () => {
    const { first, second, deliver, registry } = delivery();
    first.does = second.does = 'misconfigured';
    for (let time = 0; time < 3; time++) expect(await deliver()).toBe('refused');
    expect([first.asked, second.asked]).toEqual([1, 1]);
    expect(await registry.metrics()).toContain('sms_sends_total{provider="first",outcome="misconfigured"} 1');
  });

  it('sends through the next provider at once while the probe of the first one runs', async () => {
    const { first, second, deliver } = delivery();
    first.does = 'misconfigured';
    await deliver();
    first.does = 'hang';
    jest.advanceTimersByTime(RESILIENCE_LIMITS.openMs);
    void deliver();
    expect([first.asked, second.asked]).toEqual([2, 1]);
    expect(await deliver()).toBe('sent');
    // a message that waits for the probe would be sent a second time after it
    await jest.advanceTimersByTimeAsync(TIMEOUT_MS);
    expect([first.asked, second.asked]).toEqual([2, 3]);
  });

  it('asks no provider with 500 running tries, and counts no failure', async () => {
    const { first, second, deliver, isOpen } = delivery();
    first.does = 'hang';
    const sent = Array.from({ length: 500 }, deliver);
    await jest.advanceTimersByTimeAsync(NEXT_PROVIDER_MS);
    expect(new Set(await Promise.all(sent))).toEqual(new Set(['open']));
    expect(await deliver()).toBe('sent');
    expect([first.asked, second.asked, await isOpen('first')]).toEqual([500, 501, false]);
  });

  it.each([1_000, 2_000, 3_000])(
    'pays one provider for a message that is accepted after %i ms, and counts it as sent',
    async (takesMs) => {
      const { first, second, deliver, inBackground, answers } = delivery();
      first.takesMs = takesMs;
      const sent = [deliver(), inBackground()];
      await jest.advanceTimersByTimeAsync(TIMEOUT_MS);
      // a login does not wait for longer than 1.2 seconds
      expect(await Promise.all(sent)).toEqual([takesMs > 1_200 ? 'open' : 'sent', 'sent']);
      expect([first.asked, second.asked, answers]).toEqual([2, 0, ['sent']]);
    },
  );

  it.each([
    ['4 seconds', NEXT_PROVIDER_MS, {}],
    ['the time of the setting', 500, { SMS_NEXT_PROVIDER_MS: '500' }],
  ])('asks the next provider after %s of silence', async (_time, ms, own) => {
    const { first, second, deliver, answers } = delivery(own);
    first.does = 'hang';
    void deliver();
    await jest.advanceTimersByTimeAsync(ms - 1);
    expect(second.asked).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect([second.asked, answers]).toEqual([1, ['sent']]);
  });

  it('counts a message as open if no provider answers', async () => {
    const { first, second, deliver, inBackground, answers } = delivery();
    first.does = second.does = 'hang';
    void deliver();
    const background = inBackground();
    await jest.advanceTimersByTimeAsync(NEXT_PROVIDER_MS + TIMEOUT_MS - 1);
    expect(answers).toEqual([]);
    await jest.advanceTimersByTimeAsync(2);
    expect([answers, await background]).toEqual([['open'], 'open']);
  });

  it('gives a try its own time limit, which is longer than that of the request', async () => {
    const { first, second, deliver } = delivery();
    first.does = second.does = 'hang';
    const outcomes: string[] = [];
    withDeadline(() => void deliver().then((outcome) => outcomes.push(outcome)));
    await jest.advanceTimersByTimeAsync(TIMEOUT_MS - 1);
    expect([outcomes, first.running, second.running]).toEqual([['open'], 1, 1]);
    await jest.advanceTimersByTimeAsync(1);
    // once what has arrived was read
    await jest.advanceTimersByTimeAsync(1);
    expect([first.running, second.running]).toEqual([0, 1]);
  });
});
