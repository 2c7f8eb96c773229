import { Injectable, Logger } from '@nestjs/common';
import { Effects } from '../../effects/effects.service.js';
import { delayAnswer, throwIfFault } from '../../http/faults.js';
import { Inbox } from '../../inbox/inbox.store.js';
import { behaviourOf } from '../../magic/magic-values.table.js';

/** A message that a provider was asked to deliver. */
interface ShortMessage {
  /** With its country code, without a plus sign. */
  readonly to: string;
  readonly text: string;
  readonly idempotencyKey?: string | undefined;
}

/** Delivers messages to phones, for all SMS providers. */
@Injectable()
export class ShortMessages {
  private readonly logger = new Logger('SmsProvider');

  constructor(
    private readonly inbox: Inbox,
    private readonly effects: Effects,
  ) {}

  /**
   * Delivers a message, once for each idempotency key of a provider, and waits if the provider is slow to answer.
   * @returns its id
   * @throws Refusal or OddAnswer for a phone with a magic ending
   */
  async deliver(provider: string, { to, text, idempotencyKey }: ShortMessage): Promise<string> {
    const behaviour = behaviourOf('sms', 'phone', to);
    this.logger.log({ msg: 'short message', provider, behaviour: behaviour ?? 'delivers' });
    const pace = throwIfFault(behaviour);
    const id = this.effects.once(
      { provider: 'sms', kind: 'message', subject: to, idempotencyKey, keysOf: `sms ${provider}` },
      () => this.inbox.deliver({ to, channel: 'sms', text }).id,
    );
    if (pace === 'slow') await delayAnswer();
    return id;
  }
}
