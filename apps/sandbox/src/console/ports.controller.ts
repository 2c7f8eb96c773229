import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { HttpServer } from '@fd/platform';
import { HttpsServer } from '../hosted-pages/https-server.service.js';
import { MailServer } from '../providers/mail/mail-server.service.js';

class PortsView {
  @ApiProperty({ type: Number, example: 3003, description: 'The API and the console, over http.' })
  readonly http: number;

  @ApiProperty({
    type: Number,
    example: 3443,
    description: 'The hosted pages, over https with a self-signed certificate.',
  })
  readonly https: number;

  @ApiProperty({ type: Number, example: 2525, description: 'The mail server.' })
  readonly smtp: number;
}

@Controller('api/ports')
export class PortsController {
  constructor(
    private readonly http: HttpServer,
    private readonly https: HttpsServer,
    private readonly mail: MailServer,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Lists the ports on which the sandbox listens',
    description: 'A port set to 0 is listed as the free port that the operating system chose.',
  })
  @ApiOkResponse({ type: PortsView })
  list(): PortsView {
    return { http: this.http.port, https: this.https.port, smtp: this.mail.port };
  }
}
