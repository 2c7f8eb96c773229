import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LoginErrors } from '@fd/errors';
import { type Check, Checks, OTP_RULES, OTP_SCHEMA } from '../fields.decorator.js';
import { isHttpUrl } from '../values/http-url.js';
import { isNationalNumber, isPhone } from '../values/phone.js';

const phoneRules = [
  [LoginErrors.phoneInvalid, isPhone],
  // ten digits are a phone without its prefix: the rule above has the better message
  [LoginErrors.phoneMalformed, (value: unknown) => isPhone(value) || isNationalNumber(value)],
] as const;

const PHONE_SCHEMA = { type: String, pattern: '^91[0-9]{10}$', example: '919999900001' };

/** `POST /auth/register` */
export class RegisterRequest {
  @ApiProperty({ ...PHONE_SCHEMA, description: 'Mobile number, 12 digits with the prefix 91.' })
  @Checks(...phoneRules)
  readonly phone: string;
}

/** Remaining budget of codes for a phone. */
export class RegisterPayload {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Sends before this one: 0 for the first.' })
  readonly attemptsUsed: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Sends left in this period.' })
  readonly attemptsLeft: number;

  @ApiProperty({ type: String, format: 'date-time', description: "End of the code's validity." })
  readonly otpExpiresAt: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Seconds until the next send is accepted; 0 means now.',
  })
  readonly retryAfterSeconds: number;
}

/** Whether the terms of the login are accepted. */
export const isAccepted = (consent: unknown): boolean => consent === true;

const VERIFY_RULES = {
  phone: [[null, (value) => value !== undefined], ...phoneRules],
  otp: OTP_RULES,
  partner_url: [[LoginErrors.partnerUrlInvalid, isHttpUrl]],
} satisfies Record<string, readonly Check[]>;

/** Whether the fields of a login keep their rules, its consent left out. */
const isOtherwiseGood = (request: object): boolean =>
  Object.entries<readonly Check[]>(VERIFY_RULES).every(([field, rules]) =>
    rules.every(([, isGood]) => isGood((request as Record<string, unknown>)[field], request)),
  );

/** `POST /auth/api/v2/register/verify` */
export class VerifyOtpRequest {
  @ApiProperty(PHONE_SCHEMA)
  @Checks(...VERIFY_RULES.phone)
  readonly phone: string;

  @ApiProperty(OTP_SCHEMA)
  @Checks(...VERIFY_RULES.otp)
  readonly otp: string;

  @ApiProperty({ type: String, format: 'uri', example: 'https://app.partner.example' })
  @Checks(...VERIFY_RULES.partner_url)
  readonly partner_url: string;

  // an unknown partner, which the service looks up, is reported before it: alone it is left to the service
  @ApiProperty({ type: Boolean, description: 'Must be true: the user accepts the terms.' })
  @Checks([LoginErrors.consentRequired, (value, request) => isAccepted(value) || isOtherwiseGood(request)])
  readonly consent: boolean;
}

/** Data of the person for a client after login. */
export class SessionUser {
  @ApiProperty({ type: String, description: 'Masked.', example: '91XXXXXX0001' })
  readonly phone: string;

  @ApiProperty({ type: Boolean })
  readonly is_pan_verified: boolean;

  @ApiProperty({ type: Boolean })
  readonly is_email_verified: boolean;
}

/** Tokens of a session. */
export class TokenPayload {
  @ApiProperty({ type: String, description: 'JWT (ES256), sent as Bearer token.' })
  readonly access_token: string;

  @ApiProperty({ type: String, enum: ['Bearer'] })
  readonly token_type: 'Bearer';

  @ApiProperty({ type: 'integer', description: 'Validity of the access token in seconds.' })
  readonly expires_in: number;

  @ApiProperty({ type: String, description: 'Opaque; each refresh returns a new one.' })
  readonly refresh_token: string;

  @ApiProperty({ type: 'integer', description: 'Validity of the refresh token in seconds.' })
  readonly refresh_expires_in: number;
}

export class LoginPayload extends TokenPayload {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly user_id: string;

  @ApiProperty({ type: Boolean })
  readonly is_new_user: boolean;

  @ApiProperty({
    type: String,
    description:
      "For the partner's backend: a signed JWT inside a JWE, encrypted with the partner's registered key.",
  })
  readonly partner_token: string;

  @ApiProperty({ type: () => SessionUser })
  readonly user: SessionUser;

  @ApiPropertyOptional({
    type: Boolean,
    enum: [true],
    description:
      'The phone was not used for a long time, so it may have another owner, or the account was begun in the app of another partner: confirm the account, or start anew (`/api/v1/account-confirmation`). Absent otherwise.',
  })
  readonly needs_confirmation?: true;

  @ApiPropertyOptional({
    type: Boolean,
    enum: [true],
    description:
      'The account was begun in the app of another partner: this one needs the consent `PARTNER_SHARING`, for example with the confirmation. Absent otherwise.',
  })
  readonly needs_sharing_consent?: true;
}
