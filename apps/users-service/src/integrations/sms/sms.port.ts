import type { SmsTemplateId, SmsVariables } from '../../config/index.js';

/** A short message to one phone. The text comes from a registered template; nothing else may be sent. */
export interface SmsMessage {
  readonly phone: string;
  readonly templateId: SmsTemplateId;
  readonly variables: SmsVariables;
  /** The same for every try of one message, so that a provider delivers it once. */
  readonly idempotencyKey: string;
  /** For how long the message is of use. It is repeated in the background until then: never, for 0. */
  readonly usefulMs: number;
}

/** Delivers short messages. */
export interface SmsProvider {
  readonly name: string;
  /** Whether one idempotency key delivers a message once: else a repeat after silence may deliver and cost it twice. */
  readonly deliversOnce: boolean;
  /**
   * Hands the message over.
   * @throws ProviderError; its `isOutcomeOpen` says whether the message may have gone out all the same
   */
  send(message: SmsMessage, signal: AbortSignal): Promise<void>;
}

/** Injection token of the providers, in the order in which they are tried. */
export const SMS_PROVIDERS = Symbol('sms providers');
