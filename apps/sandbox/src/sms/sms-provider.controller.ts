import { Body, Controller, Headers, Logger, Param, Post, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { behaviourOf } from '../magic/magic-values.table.js';
import { SilentCalls } from '../silent-calls/silent-calls.service.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { SMS_PROVIDERS, SmsProviderService } from './sms-provider.service.js';
import { SmsRefusal } from './sms-refusal.js';
import { SmsRefusalFilter } from './sms-refusal.filter.js';
import { parseIdempotencyKey, parseSmsRequest } from './sms-request.js';

/** The HTTP APIs of two SMS providers. Excluded from our document: they are not ours. */
@ApiExcludeController()
@UseGuards(ApiKeyGuard)
@UseFilters(SmsRefusalFilter)
@Controller('providers/sms')
export class SmsProviderController {
  private readonly logger = new Logger('SmsProvider');

  constructor(
    private readonly providers: SmsProviderService,
    private readonly silentCalls: SilentCalls,
  ) {}

  @Post(':provider/messages')
  send(
    @Param('provider') name: string,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Body() body: unknown,
    @Res() response: Response,
  ): void {
    const provider = SMS_PROVIDERS.find((known) => known === name);
    if (!provider) throw new SmsRefusal(404, 'not_found', 'There is no such provider.');
    const message = parseSmsRequest(body);
    const key = parseIdempotencyKey(idempotencyKey);
    const behaviour = behaviourOf('phone', message.to);
    this.logger.log({ msg: 'short message', provider, behaviour: behaviour ?? 'delivers' });
    switch (behaviour) {
      case 'unavailable':
        throw new SmsRefusal(503, 'service_unavailable', 'The operator cannot be reached.');
      case 'silent':
        return this.silentCalls.hold(response);
      case undefined:
        response.status(202).json({ message_id: this.providers.accept(provider, message, key) });
    }
  }
}
