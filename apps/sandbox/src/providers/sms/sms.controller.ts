import { Body, Headers, HttpCode, Logger, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { Effects } from '../../effects/effects.service.js';
import { field } from '../../http/fields.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody, readIdempotencyKey } from '../../http/request.js';
import { unlessTrouble } from '../../http/trouble.js';
import { Inbox } from '../../inbox/inbox.store.js';
import { behaviourOf } from '../../magic/magic-values.table.js';

const PROVIDERS = ['primary', 'fallback'];

/** Ten segments of 153 characters, the most that phones join. */
const MAX_TEXT = 1_530;

const smsRequest = z.object({
  to: field.phone.transform((phone) => phone.replace('+', '')),
  template_id: z.string().min(1).max(100),
  text: z.string().min(1).max(MAX_TEXT),
});

/** The HTTP APIs of two SMS providers. They are two companies and share no idempotency keys. */
@OutsideApi('providers/sms')
export class SmsController {
  private readonly logger = new Logger('SmsProvider');

  constructor(
    private readonly inbox: Inbox,
    private readonly effects: Effects,
  ) {}

  @Post(':provider/messages')
  @HttpCode(202)
  send(
    @Param('provider') provider: string,
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: unknown,
  ): { message_id: string } {
    if (!PROVIDERS.includes(provider)) throw new Refusal(404, 'not_found', 'There is no such provider.');
    const { to, text } = readBody(smsRequest, body);
    const idempotencyKey = readIdempotencyKey(key);
    const behaviour = behaviourOf('sms', 'phone', to);
    this.logger.log({ msg: 'short message', provider, behaviour: behaviour ?? 'delivers' });
    unlessTrouble(behaviour);
    return this.effects.once(
      { party: 'sms', kind: 'message', subject: to, idempotencyKey, keysOf: `sms ${provider}` },
      () => ({ message_id: this.inbox.deliver({ to, channel: 'sms', text }).id }),
    );
  }
}
