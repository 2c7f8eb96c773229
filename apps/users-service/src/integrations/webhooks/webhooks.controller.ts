import { Body, Controller, Param, Post, type RawBodyRequest, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Answers } from '@fd/envelope';
import { WebhookErrors } from '@fd/errors';
import { Public } from '@fd/platform';
import type { Request } from 'express';
import { Unaudited } from '../../core/index.js';
import { Webhooks } from './webhooks.service.js';

@ApiTags('Webhooks')
@Controller('api/v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: Webhooks) {}

  @Post(':vendor')
  @Public()
  @Unaudited('a vendor only causes an earlier poll; the call changes no personal data')
  @ApiOperation({
    summary: 'For vendors: report that a verification has changed',
    description:
      'The vendor signs its webhook. The service takes no result from the body: it polls the verification at once instead of at the next interval.',
  })
  @Answers({ message: 'Taken', raises: [WebhookErrors.notGenuine] })
  async take(
    @Param('vendor') vendor: string,
    @Req() request: RawBodyRequest<Request>,
    @Body() body: object,
  ): Promise<void> {
    const { headers, rawBody } = request;
    await this.webhooks.take(vendor, { headers, bytes: rawBody! }, body);
  }
}
