import { BadRequestException, Body, Controller, HttpCode, Param, Put } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { VendorWebhooks } from './vendor-webhooks.service.js';

class WebhookBody {
  @ApiProperty({ type: String, example: 'http://localhost:3001/api/v1/webhooks/cashfree' })
  readonly url: string;
}

const address = z.url({ protocol: /^https?$/, hostname: /^(?:localhost|127\.0\.0\.1)$/ });

@Controller('api/webhooks')
export class VendorWebhooksController {
  constructor(private readonly webhooks: VendorWebhooks) {}

  @Put(':client_id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Sets the URL of the webhooks of Cashfree or Setu for a client id, as their dashboards do',
  })
  @ApiBody({ type: WebhookBody })
  @ApiNoContentResponse()
  register(@Param('client_id') clientId: string, @Body() body: Partial<WebhookBody>): void {
    const url = address.safeParse(body.url);
    if (!url.success) throw new BadRequestException('Give the "url" of a service on this machine.');
    this.webhooks.register(clientId, url.data);
  }
}
