import type { AddressInfo, Server } from 'node:net';
import { Controller, Get } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiOkResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { HttpsServer } from '../hosted-pages/https-server.service.js';
import { MailServer } from '../providers/mail/mail-server.service.js';

class PortsView {
  @ApiProperty({ type: Number, example: 3003 })
  readonly http: number;

  @ApiProperty({ type: Number, example: 3443, description: 'Hosted pages, with a self-signed certificate.' })
  readonly https: number;

  @ApiProperty({ type: Number, example: 2525 })
  readonly smtp: number;
}

@Controller('api/ports')
export class PortsController {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly https: HttpsServer,
    private readonly mail: MailServer,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Ports on which the sandbox listens; for the setting 0, the port that the system has chosen',
  })
  @ApiOkResponse({ type: PortsView })
  list(): PortsView {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    return { http: (server.address() as AddressInfo).port, https: this.https.port, smtp: this.mail.port };
  }
}
