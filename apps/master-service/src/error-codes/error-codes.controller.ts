import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { errorCodesPayload, ErrorCodesPayload } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { ApiDocument } from '@fd/platform';

@ApiTags('Errors')
@Controller('api/v1/error-codes')
export class ErrorCodesController {
  constructor(private readonly document: ApiDocument) {}

  @Get()
  @ApiOperation({
    summary: 'Every error code of both services: who can act, whether to retry, how to provoke it',
    description: 'The error catalogue as data.',
  })
  @Answers({ payload: ErrorCodesPayload })
  list(): ErrorCodesPayload {
    return errorCodesPayload(this.document.guideUrl);
  }
}
