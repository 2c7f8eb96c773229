import {
  Body,
  ConflictException,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
} from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { HttpsServer } from '../../hosted-pages/https-server.service.js';
import { readOutcome } from '../../hosted-pages/outcome-body.js';
import { EKYC_OUTCOMES } from './ekyc-request.js';
import { EkycOutcomeBody, EkycOutcomeView, OpenEkycsView, presentOpenEkyc } from './ekyc.presenter.js';
import { EkycService } from './ekyc.service.js';

/** How many open requests are answered. */
const NEWEST = 100;

@Controller('api/ekyc')
export class EkycController {
  constructor(
    private readonly ekyc: EkycService,
    private readonly pages: HttpsServer,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The newest 100 eKYCs that somebody may still do' })
  @ApiOkResponse({ type: OpenEkycsView })
  list(): OpenEkycsView {
    const open = this.ekyc.listOpen().slice(0, NEWEST);
    return {
      requests: open.map((request) =>
        presentOpenEkyc(request, this.ekyc.stateOf(request), this.pages.urlOf(`/ekyc/${request.id}`)),
      ),
    };
  }

  @Post(':ekyc_request_id/outcome')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Ends an eKYC as its page would: 404 when it is not known, 409 when it had ended already',
  })
  @ApiBody({ type: EkycOutcomeBody })
  @ApiOkResponse({ type: EkycOutcomeView })
  end(@Param('ekyc_request_id') reference: string, @Body() body: unknown): EkycOutcomeView {
    const outcome = readOutcome(EKYC_OUTCOMES, body);
    const request = this.ekyc.find(reference);
    if (!request) throw new NotFoundException('There is no such eKYC.');
    if (!this.ekyc.end(request, outcome)) {
      throw new ConflictException(`The eKYC has ended: ${this.ekyc.stateOf(request)}.`);
    }
    return { ekyc_request_id: reference, state: outcome };
  }
}
