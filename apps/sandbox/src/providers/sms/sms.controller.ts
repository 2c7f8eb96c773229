import { Body, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { field } from '../../http/fields.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody, readIdempotencyKey } from '../../http/request.js';
import { ShortMessages } from './short-messages.service.js';

const PROVIDERS = ['primary', 'fallback'];

/** Ten segments of 153 characters, the maximum that phones join. */
const MAX_TEXT = 1_530;

const smsRequest = z.object({
  to: field.phone.transform((phone) => phone.replace('+', '')),
  template_id: z.string().min(1).max(100),
  text: z.string().min(1).max(MAX_TEXT),
});

/** The HTTP APIs of two SMS providers, which share no idempotency keys. */
@OutsideApi('providers/sms')
export class SmsController {
  constructor(private readonly messages: ShortMessages) {}

  @Post(':provider/messages')
  @HttpCode(202)
  async send(
    @Param('provider') provider: string,
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: unknown,
  ): Promise<{ message_id: string }> {
    if (!PROVIDERS.includes(provider)) throw new Refusal(404, 'not_found', 'There is no such provider.');
    const { to, text } = readBody(smsRequest, body);
    const idempotencyKey = readIdempotencyKey(key);
    return { message_id: await this.messages.deliver(provider, { to, text, idempotencyKey }) };
  }
}
