import { ERROR_CODES, entryOf, type ErrorCode } from '@fd/errors';
import { ApiProperty } from '@nestjs/swagger';

/** One code of the error catalogue, as integrators read it. */
export class ErrorCodeItem {
  @ApiProperty({ type: String, example: 'SVCUSER2010' })
  readonly code: string;

  @ApiProperty({ type: 'integer', example: 400 })
  readonly http_status: number;

  @ApiProperty({ type: String, example: 'OTP_WRONG' })
  readonly token: string;

  @ApiProperty({ type: String })
  readonly meaning: string;

  @ApiProperty({ type: String, description: 'What a person should read; {name} is filled in per answer.' })
  readonly message: string;

  @ApiProperty({ type: String, enum: ['CUSTOMER', 'FRONTEND', 'OPERATOR', 'PROVIDER'] })
  readonly who_can_act: string;

  @ApiProperty({ type: Boolean })
  readonly is_retryable: boolean;

  @ApiProperty({ type: String, description: 'How to provoke it in the sandbox.' })
  readonly sandbox_trigger: string;
}

export class ErrorCodesPayload {
  @ApiProperty({ type: () => [ErrorCodeItem] })
  readonly error_codes: ErrorCodeItem[];
}

/** The whole catalogue of both services: `GET /api/v1/error-codes` of each of them. */
export function errorCodesPayload(): ErrorCodesPayload {
  return { error_codes: ERROR_CODES.map(present) };
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
