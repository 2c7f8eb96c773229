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
import { ApiBody, ApiOkResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { HttpsServer } from '../../hosted-pages/https-server.service.js';
import { GivenPerson, readOutcome, readPerson, readPhone } from '../../hosted-pages/outcome-body.js';
import { indiaTime } from '../../http/india-time.js';
import { EKYC_METHODS, EKYC_OUTCOMES, EKYC_STATES, type EkycRequest } from './ekyc-request.js';
import { EkycService } from './ekyc.service.js';

/** Maximum of listed open requests. */
const NEWEST = 100;

class OpenEkycView {
  @ApiProperty({ type: String, example: '0199c1a2-7b3c-7def-8123-456789abcdef' })
  readonly ekyc_request_id: string;

  @ApiProperty({ type: String, example: 'kaveri' })
  readonly issuer_code: string;

  @ApiProperty({ type: String, enum: EKYC_METHODS })
  readonly method: string;

  @ApiProperty({ type: String, enum: ['created', 'opened'] })
  readonly state: string;

  @ApiProperty({ type: String, format: 'uri', description: 'The hosted page.' })
  readonly url: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2025-11-21T12:30:00.000+05:30' })
  readonly expires_at: string;
}

class OpenEkycsView {
  @ApiProperty({ type: [OpenEkycView], description: 'Newest first.' })
  readonly requests: OpenEkycView[];
}

class EkycOutcomeBody {
  @ApiProperty({ type: String, enum: EKYC_OUTCOMES })
  readonly outcome: string;

  @ApiProperty({
    type: GivenPerson,
    required: false,
    description: 'The person who opens the link: only for Cashfree, whose requests do not name a person.',
  })
  readonly person?: GivenPerson;

  @ApiProperty({
    type: String,
    required: false,
    example: '919999900001',
    description:
      'The phone of the person, which the provider reports. That of the user proves who has completed the eKYC.',
  })
  readonly phone?: string;
}

class EkycOutcomeView {
  @ApiProperty({ type: String, example: '0199c1a2-7b3c-7def-8123-456789abcdef' })
  readonly ekyc_request_id: string;

  @ApiProperty({ type: String, enum: EKYC_STATES })
  readonly state: string;
}

@Controller('api/ekyc')
export class EkycController {
  constructor(
    private readonly ekyc: EkycService,
    private readonly pages: HttpsServer,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The newest 100 open eKYCs' })
  @ApiOkResponse({ type: OpenEkycsView })
  list(): OpenEkycsView {
    const open = this.ekyc.listOpen().slice(0, NEWEST);
    return { requests: open.map((request) => this.present(request)) };
  }

  @Post(':ekyc_request_id/outcome')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Ends an eKYC like its page. 404: unknown; 409: already ended.',
  })
  @ApiBody({ type: EkycOutcomeBody })
  @ApiOkResponse({ type: EkycOutcomeView })
  end(@Param('ekyc_request_id') reference: string, @Body() body: unknown): EkycOutcomeView {
    const outcome = readOutcome(EKYC_OUTCOMES, body);
    const [person, phone] = [readPerson(body), readPhone(body)];
    const request = this.ekyc.findByReference(reference);
    if (!request) throw new NotFoundException('There is no such eKYC.');
    if (!this.ekyc.end(request, outcome, { ...(person !== undefined && { person }), phone })) {
      throw new ConflictException(`The eKYC has ended: ${this.ekyc.stateOf(request)}.`);
    }
    return { ekyc_request_id: reference, state: outcome };
  }

  private present(request: EkycRequest): OpenEkycView {
    const { id, reference, issuerCode, method, expiresAt } = request;
    return {
      ekyc_request_id: reference,
      issuer_code: issuerCode,
      method,
      state: this.ekyc.stateOf(request),
      url: this.pages.urlOf(`/ekyc/${id}`),
      expires_at: indiaTime(expiresAt),
    };
  }
}
