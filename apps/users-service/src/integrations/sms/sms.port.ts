/** A short message to one phone. The text comes from a registered template; nothing else may be sent. */
export interface SmsMessage {
  readonly phone: string;
  readonly templateId: 'login_otp' | 'pan_taken_over';
  readonly text: string;
  /** The same for every try of one message, so that a provider delivers it once. */
  readonly idempotencyKey: string;
}

/** Delivers short messages. */
export interface SmsProvider {
  readonly name: string;
  /**
   * Hands the message over.
   * @throws ProviderError; its `isOutcomeOpen` says whether the message may have gone out all the same
   */
  send(message: SmsMessage, signal: AbortSignal): Promise<void>;
}

/** Injection token of the providers, in the order in which they are tried. */
export const SMS_PROVIDERS = Symbol('sms providers');
