import { ApiProperty } from '@nestjs/swagger';
import { EmailErrors } from '@fd/errors';
import { Checks, OTP_RULES, OTP_SCHEMA } from '../fields.decorator.js';
import { isEmailAddress } from '../values/email.js';

const EMAIL_SCHEMA = {
  type: String,
  format: 'email',
  maxLength: 254,
  example: 'asha.rao@example.com',
} as const;

/** `POST /api/v1/email/send-otp` */
export class SendEmailOtpRequest {
  @ApiProperty(EMAIL_SCHEMA)
  @Checks([EmailErrors.invalid, isEmailAddress])
  readonly email: string;
}

/** `POST /api/v1/email/verify-otp` */
export class VerifyEmailOtpRequest {
  @ApiProperty(EMAIL_SCHEMA)
  @Checks([EmailErrors.invalid, isEmailAddress])
  readonly email: string;

  @ApiProperty(OTP_SCHEMA)
  @Checks(...OTP_RULES)
  readonly otp: string;
}

/** The code of an address and its remaining budget. */
export class EmailOtpPayload {
  @ApiProperty({ type: String, description: 'Masked.', example: 'a***o@example.com' })
  readonly email: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: "Start of the code's validity. A resend keeps it.",
  })
  readonly startTime: string;

  @ApiProperty({ type: String, format: 'date-time', description: "End of the code's validity." })
  readonly endTime: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Sends before this one: 0 for the first, and 0 again after the address is verified.',
  })
  readonly attemptsUsed: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Sends left in this period.' })
  readonly attemptsLeft: number;
}

export class VerifiedEmailPayload extends EmailOtpPayload {
  @ApiProperty({ type: Boolean })
  readonly is_email_verified: boolean;
}
