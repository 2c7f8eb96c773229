import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { withDeadline, timeLimit } from '@fd/envelope';
import { PROVIDER_FAILURES, ProviderError, type ProviderFailure } from '@fd/errors';
import { counterFromZero, histogramFromZero, type KnownCounter, type KnownHistogram } from '@fd/platform';
import { Gauge, Registry } from 'prom-client';
import { SmsConfig } from '../../config/index.js';
import { ProviderClients } from '../providers/provider-client.js';
import type { Resilience } from '../providers/resilience.js';
import { SMS_PROVIDERS, type SmsMessage, type SmsProvider } from './sms.port.js';

/**
 * `rejected`: a provider has answered that it does not deliver this message. `refused`: none could be asked, or was able
 * to answer. `open`: the outcome is still unknown, and delivery continues in the background.
 */
type DeliveryOutcome = 'sent' | 'rejected' | 'refused' | 'open';

/** Time for which the caller waits, within the client's two seconds. */
const WAIT_MS = timeLimit(1_200);
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;
/** Maximum of messages in delivery; more are refused, because the providers are too slow. */
const MAX_UNDER_WAY = 500;
/** Maximum of background retries; the rest is reserved for new messages. */
const MAX_REPEATING = 250;

/**
 * A message does not wait at a provider: not for a free slot, because the next provider has one, and not for a probe,
 * because the message would be sent twice once the probe has succeeded. There is a slot for every message in delivery,
 * so only tries at a silent provider, which outlive their messages, can occupy all.
 */
const LIMITS = { maxRunning: MAX_UNDER_WAY, maxWaiting: 0, waitsForProbe: false };
/** Added to the time of a try: overhead of the resilience. */
const SLACK_MS = timeLimit(1_000);
const OPERATION = 'send-message';

/** The best outcome first. `garbled`: unparseable response; the message was probably accepted. */
const TRY_OUTCOMES = ['sent', 'garbled', 'silent', 'rejected', 'refused'] as const;
type TryOutcome = (typeof TRY_OUTCOMES)[number];

/** What the metric counts: answers of a provider, and messages for which no provider was asked (again). */
const ANSWERS = ['sent', ...PROVIDER_FAILURES] as const;
const UNASKED = ['overflow', 'dropped'] as const;
type SendLabels =
  | { readonly provider: string; readonly outcome: (typeof ANSWERS)[number] }
  | { readonly provider: 'none'; readonly outcome: (typeof UNASKED)[number] };

const seriesOf = (providers: readonly SmsProvider[]): readonly SendLabels[] => [
  ...providers.flatMap(({ name: provider }) => ANSWERS.map((outcome) => ({ provider, outcome }))),
  ...UNASKED.map((outcome) => ({ provider: 'none' as const, outcome })),
];

/**
 * Delivers messages through the first provider, or the next one if it refuses, is silent or has an open circuit. After
 * the outcome `open`, retries continue until a provider accepts the message or the message expires.
 */
@Injectable()
export class SmsDelivery implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('SmsDelivery');
  private readonly underWay = new Set<Promise<void>>();
  private readonly stop = new AbortController();
  private repeating = 0;
  private readonly resilience: ReadonlyMap<SmsProvider, Resilience>;
  private readonly tries: KnownCounter<SendLabels>;
  private readonly duration: KnownHistogram<{ readonly provider: string }>;

  constructor(
    @Inject(SMS_PROVIDERS) private readonly providers: readonly SmsProvider[],
    private readonly config: SmsConfig,
    private readonly clients: ProviderClients,
    registry: Registry,
  ) {
    this.resilience = new Map(
      providers.map((provider) => [provider, clients.resilienceOf(provider.name, config.timeoutMs, LIMITS)]),
    );
    this.tries = counterFromZero(registry, {
      name: 'sms_sends_total',
      help: 'Attempts to hand a short message to a provider, by outcome',
      series: seriesOf(providers),
    });
    // initialised, so that an alert sees the first increase
    for (const { name: provider } of providers) this.clients.drift.inc({ provider, operation: OPERATION }, 0);
    this.duration = histogramFromZero(registry, {
      name: 'sms_provider_duration_seconds',
      help: 'Time until a provider accepted or refused a message',
      series: providers.map(({ name: provider }) => ({ provider })),
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 8],
    });
    const { underWay } = this;
    new Gauge({
      name: 'sms_deliveries_under_way',
      help: 'Messages in delivery',
      registers: [registry],
      collect() {
        this.set(underWay.size);
      },
    });
  }

  /**
   * @param whenAnswered gets the outcome once every asked provider has answered or is silent for too long: that of the
   * caller, or `sent` if it was open and a provider has accepted the message since
   * @returns within 1.2 seconds
   */
  async deliver(
    message: SmsMessage,
    whenAnswered: (outcome: DeliveryOutcome) => void,
  ): Promise<DeliveryOutcome> {
    if (this.underWay.size >= MAX_UNDER_WAY) {
      this.tries.inc({ provider: 'none', outcome: 'overflow' });
      whenAnswered('refused');
      return 'refused';
    }
    // monotonic time, so that a clock set back does not extend useless sends
    const until = performance.now() + message.usefulMs;
    const providers = new Set(this.providers);
    return new Promise((resolve) => {
      let answer: DeliveryOutcome | undefined;
      const timer = setTimeout(() => resolve((answer = 'open')), WAIT_MS);
      const delivery = this.round(message, providers).then((outcome) => {
        clearTimeout(timer);
        resolve((answer ??= answerOf(outcome)));
        whenAnswered(outcome === 'sent' ? outcome : answer);
        return answer === 'open' && !isTaken(outcome) ? this.carryOn(message, providers, until) : undefined;
      });
      this.track(delivery);
    });
  }

  /** Delivers a message without a waiting client: waits for the answers of the providers. */
  async deliverInBackground(message: SmsMessage): Promise<DeliveryOutcome> {
    return new Promise((resolve) => void this.deliver(message, resolve));
  }

  /** Waits for running tries and starts no new ones. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.settle();
  }

  /** Waits again: calls accepted meanwhile have started deliveries. */
  async onApplicationShutdown(): Promise<void> {
    await this.settle();
  }

  private async settle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private track(delivery: Promise<void>): void {
    const tracked = delivery
      .catch((error: unknown) => this.logger.error(error))
      .finally(() => this.underWay.delete(tracked));
    this.underWay.add(tracked);
  }

  /** Retries the message after the caller got `open`. */
  private async carryOn(message: SmsMessage, providers: Set<SmsProvider>, until: number): Promise<void> {
    if (this.repeating >= MAX_REPEATING) {
      this.tries.inc({ provider: 'none', outcome: 'dropped' });
      this.logger.warn({ msg: 'too many messages are being repeated: one was given up' });
      return;
    }
    this.repeating++;
    await this.repeat(message, providers, until).finally(() => this.repeating--);
  }

  /**
   * Tries the providers one after the other; a silent one may still answer while the next is tried.
   * @param providers loses a provider that may have accepted the message and would deliver it twice
   */
  private round(message: SmsMessage, providers: Set<SmsProvider>): Promise<TryOutcome> {
    const inTurn = [...providers];
    return new Promise((resolve) => {
      const outcomes: TryOutcome[] = [];
      let asked = 0;
      let timer: NodeJS.Timeout | undefined;
      const askNext = (): void => {
        clearTimeout(timer);
        const provider = inTurn[asked++]!;
        if (asked < inTurn.length) timer = setTimeout(askNext, this.config.nextProviderMs);
        void this.try(provider, message).then((outcome) => {
          outcomes.push(outcome);
          if (outcome === 'silent' && !provider.deliversOnce) providers.delete(provider);
          if (outcomes.includes('sent') || outcomes.length === inTurn.length) {
            clearTimeout(timer);
            resolve(TRY_OUTCOMES.find((best) => outcomes.includes(best))!);
          } else if (outcomes.length === asked) askNext();
        });
      };
      askNext();
    });
  }

  private async repeat(message: SmsMessage, providers: Set<SmsProvider>, until: number): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      if (providers.size === 0 || this.stop.signal.aborted || performance.now() + pause >= until) return;
      await sleep(pause, undefined, { signal: this.stop.signal, ref: false }).catch(() => undefined);
      if (this.stop.signal.aborted) return;
      const outcome = await this.round(message, providers);
      if (isTaken(outcome)) return;
    }
  }

  /** Asks a provider, unless its circuit is open or too many tries are running there: then nothing is counted or logged. */
  private async try(provider: SmsProvider, message: SmsMessage): Promise<TryOutcome> {
    const ask = () =>
      this.resilience.get(provider)!.run(false, (signal) => this.ask(provider, message, signal));
    try {
      // a try may outlive the request that caused it
      await withDeadline(ask, this.config.timeoutMs + SLACK_MS);
      return 'sent';
    } catch (error) {
      const failure = failureOf(error);
      if (failure === 'malformed') return 'garbled';
      if (failure === 'timeout') return 'silent';
      return failure === 'refused' ? 'rejected' : 'refused';
    }
  }

  private async ask(provider: SmsProvider, message: SmsMessage, signal: AbortSignal): Promise<void> {
    const labels = { provider: provider.name };
    const endTimer = this.duration.startTimer(labels);
    try {
      await provider.send(message, signal);
      this.tries.inc({ ...labels, outcome: 'sent' });
    } catch (error) {
      const failure = failureOf(error);
      this.tries.inc({ ...labels, outcome: failure });
      this.logger.warn({ msg: 'a short message was not taken', ...labels, failure });
      if (failure === 'malformed') this.clients.drift.inc({ ...labels, operation: OPERATION });
      throw error;
    } finally {
      endTimer();
    }
  }
}

const failureOf = (error: unknown): ProviderFailure =>
  error instanceof ProviderError ? error.failure : 'malformed';

function answerOf(outcome: TryOutcome): DeliveryOutcome {
  return outcome === 'garbled' || outcome === 'silent' ? 'open' : outcome;
}

/** Whether a retry would probably deliver the message twice. */
const isTaken = (outcome: TryOutcome): boolean => outcome === 'sent' || outcome === 'garbled';
