import type { SmsTemplateId, SmsVariables } from '../../config/index.js';

/** A short message to one phone. The text comes from a registered template; nothing else may be sent. */
export interface SmsMessage {
  readonly phone: string;
  readonly templateId: SmsTemplateId;
  readonly variables: SmsVariables;
  /** The same for every try of one message, so that a provider delivers it once. */
  readonly idempotencyKey: string;
  /** Time for which background retries are useful; 0 for no retries. */
  readonly usefulMs: number;
}

export interface SmsProvider {
  readonly name: string;
  /** Whether an idempotency key prevents a second, charged delivery. */
  readonly deliversOnce: boolean;
  /** Hands the message over. @throws ProviderError; `isOutcomeOpen` says whether the message may have been sent */
  send(message: SmsMessage, signal: AbortSignal): Promise<void>;
}

export const SMS_PROVIDERS = Symbol('sms providers');
