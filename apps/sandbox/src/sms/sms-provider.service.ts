import { Injectable } from '@nestjs/common';
import { Inbox } from '../inbox/inbox.store.js';
import type { SmsRequest } from './sms-request.js';

export const SMS_PROVIDERS = ['primary', 'fallback'] as const;
export type SmsProviderName = (typeof SMS_PROVIDERS)[number];

/** Keys that each provider remembers; the oldest are forgotten first. */
export const REMEMBERED_KEYS = 10_000;

/** Takes messages and delivers each to the inbox once. The providers are two companies and share nothing. */
@Injectable()
export class SmsProviderService {
  /** Ids of accepted messages by idempotency key, in the order of their acceptance. */
  private readonly accepted: Record<SmsProviderName, Map<string, string>> = {
    primary: new Map(),
    fallback: new Map(),
  };

  constructor(private readonly inbox: Inbox) {}

  /**
   * Does all in one step: calls that arrive together with one key cannot pass each other.
   * @returns id of the message; the one of the first call with this key
   */
  accept(provider: SmsProviderName, { to, text }: SmsRequest, idempotencyKey: string | undefined): string {
    const known = idempotencyKey && this.accepted[provider].get(idempotencyKey);
    if (known) return known;
    const { id } = this.inbox.deliver({ to, channel: 'sms', text });
    if (idempotencyKey) this.remember(provider, idempotencyKey, id);
    return id;
  }

  private remember(provider: SmsProviderName, key: string, id: string): void {
    const keys = this.accepted[provider];
    keys.set(key, id);
    if (keys.size > REMEMBERED_KEYS) keys.delete(keys.keys().next().value!);
  }
}
