import { Injectable } from '@nestjs/common';
import { Effects } from '../effects/effects.service.js';
import { Inbox } from '../inbox/inbox.store.js';
import type { SmsRequest } from './sms-request.js';

export const SMS_PROVIDERS = ['primary', 'fallback'] as const;
export type SmsProviderName = (typeof SMS_PROVIDERS)[number];

/** Takes messages and delivers each to the inbox once. The providers are two companies and share no keys. */
@Injectable()
export class SmsProviderService {
  constructor(
    private readonly inbox: Inbox,
    private readonly effects: Effects,
  ) {}

  /** @returns id of the message; the one of the first call with this key */
  accept(provider: SmsProviderName, { to, text }: SmsRequest, idempotencyKey: string | undefined): string {
    return this.effects.once(
      { party: 'sms', kind: 'message', subject: to, idempotencyKey, keysOf: `sms ${provider}` },
      () => this.inbox.deliver({ to, channel: 'sms', text }).id,
    );
  }
}
