import { Body, Headers, Logger, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { behaviourOf } from '../magic/magic-values.table.js';
import { Behaviours } from '../wire/behaviours.service.js';
import { OutsideApi } from '../wire/outside-api.decorator.js';
import { Refusal } from '../wire/refusal.js';
import { readBody, readIdempotencyKey } from '../wire/wire-request.js';
import { SMS_PROVIDERS, SmsProviderService } from './sms-provider.service.js';
import { smsRequest } from './sms-request.js';

/** The HTTP APIs of two SMS providers. */
@OutsideApi('providers/sms')
export class SmsProviderController {
  private readonly logger = new Logger('SmsProvider');

  constructor(
    private readonly providers: SmsProviderService,
    private readonly behaviours: Behaviours,
  ) {}

  @Post(':provider/messages')
  send(
    @Param('provider') name: string,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Body() body: unknown,
    @Res() response: Response,
  ): void {
    const provider = SMS_PROVIDERS.find((known) => known === name);
    if (!provider) throw new Refusal(404, 'not_found', 'There is no such provider.');
    const message = readBody(smsRequest, body);
    const key = readIdempotencyKey(idempotencyKey);
    const behaviour = behaviourOf('sms', 'phone', message.to);
    this.logger.log({ msg: 'short message', provider, behaviour: behaviour ?? 'delivers' });
    if (behaviour) return this.behaviours.behave(behaviour, response);
    response.status(202).json({ message_id: this.providers.accept(provider, message, key) });
  }
}
