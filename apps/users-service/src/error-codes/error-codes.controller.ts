import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type ErrorCodeItem, ErrorCodesPayload } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { ERROR_CODES, entryOf, type ErrorCode } from '@fd/errors';

@ApiTags('Errors')
@Controller('api/v1/error-codes')
export class ErrorCodesController {
  @Get()
  @ApiOperation({
    summary: 'Every error code of both services: who can act, whether to retry, how to provoke it',
  })
  @Answers({ payload: ErrorCodesPayload })
  list(): ErrorCodesPayload {
    return { error_codes: ERROR_CODES.map(present) };
  }
}

function present(code: ErrorCode): ErrorCodeItem {
  const { httpStatus, token, text, message, actor, retryable, trigger } = entryOf(code);
  return {
    code,
    http_status: httpStatus,
    token,
    meaning: text,
    message,
    who_can_act: actor,
    is_retryable: retryable,
    sandbox_trigger: trigger,
  };
}
