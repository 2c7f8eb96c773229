import { ERROR_CODES, type ErrorDefinition, errorOf, LoginErrors } from '@fd/errors';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** A code of the error catalogue for integrators. */
export class ErrorCodeItem {
  @ApiProperty({ type: String, example: LoginErrors.otpWrong.code })
  readonly code: string;

  @ApiProperty({ type: 'integer', example: 400 })
  readonly http_status: number;

  @ApiProperty({ type: String, example: 'OTP_WRONG' })
  readonly token: string;

  @ApiProperty({ type: String })
  readonly meaning: string;

  @ApiProperty({ type: String, description: 'Text for the user; the answer replaces {name}.' })
  readonly message: string;

  @ApiProperty({ type: String, enum: ['CUSTOMER', 'FRONTEND', 'OPERATOR', 'PROVIDER'] })
  readonly who_can_act: string;

  @ApiProperty({ type: Boolean })
  readonly is_retryable: boolean;

  @ApiProperty({ type: String, description: 'How to trigger it in the sandbox.' })
  readonly sandbox_trigger: string;

  @ApiPropertyOptional({
    type: String,
    format: 'uri',
    description: 'Page of the code in the guide. Absent if the service has no guide (`GUIDE_URL`).',
  })
  readonly guide_url?: string;
}

export class ErrorCodesPayload {
  @ApiProperty({ type: () => [ErrorCodeItem] })
  readonly error_codes: ErrorCodeItem[];
}

/**
 * The catalogue of both services: `GET /api/v1/error-codes` of each service.
 * @param guideUrl without trailing slash; undefined: the items name no page
 */
export function errorCodesPayload(guideUrl: string | undefined): ErrorCodesPayload {
  return { error_codes: ERROR_CODES.map((code) => present(errorOf(code), guideUrl)) };
}

function present(error: ErrorDefinition, guideUrl: string | undefined): ErrorCodeItem {
  return {
    code: error.code,
    http_status: error.httpStatus,
    token: error.token,
    meaning: error.text,
    message: error.message,
    who_can_act: error.actor,
    is_retryable: error.retryable,
    sandbox_trigger: error.trigger,
    ...(guideUrl === undefined ? {} : { guide_url: `${guideUrl}/errors/${error.code}` }),
  };
}
