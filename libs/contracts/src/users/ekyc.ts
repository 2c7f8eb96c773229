import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AadhaarErrors, EkycErrors } from '@fd/errors';
import { Allow } from 'class-validator';
import { Checks, CONSENT_RULES, isGiven, OTP_RULES, OTP_SCHEMA } from '../fields.decorator.js';
import { isAadhaar } from '../values/aadhaar.js';
import { isHttpUrl } from '../values/http-url.js';

const REDIRECTION = {
  type: String,
  format: 'uri',
  nullable: true,
  example: 'https://app.partner.example/back',
  description:
    "Return address of the browser: https, and one of the partner's registered origins, if any. A running request keeps its first address.",
} as const;

/** Whether a value has the form of a return address; the service compares the origin with the partner's. */
export const isReturnAddress = (value: unknown): value is string =>
  isHttpUrl(value) && new URL(value).protocol === 'https:';

/** `POST /issuer-apis/{issuer_slug}/v3/check-status`; every field is optional. The service checks them with its issuer. */
export class CheckStatusRequest {
  @ApiPropertyOptional(REDIRECTION)
  @Allow()
  readonly redirection_url?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The chosen deposit. Any field of it completes the step FD_DETAIL.',
    example: { amount: 50_000, tenure: 365 },
  })
  @Allow()
  readonly fd_info?: unknown;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'SA' })
  @Allow()
  readonly flow_id?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      "`ekyc_state` of the return address with which the browser came back: proves that the user completed the eKYC, and nobody to whom the link was sent. Added to addresses at the partner's registered origins, except at a locker whose page may be open after its return. It counts once the eKYC is verified; another one is ignored.",
  })
  @Allow()
  readonly ekyc_state?: unknown;
}

const EKYC_STATUSES = [
  'NOT_STARTED',
  'LINK_CREATED',
  'IN_PROGRESS',
  'VERIFIED',
  'FAILED',
  'EXPIRED',
] as const;
export type EkycStatus = (typeof EKYC_STATUSES)[number];

export class EkycStatusPayload {
  @ApiProperty({ type: Boolean })
  readonly is_ekyc_verified: boolean;

  @ApiPropertyOptional({
    type: String,
    format: 'uri',
    description: 'https; always present until verified.',
  })
  readonly ekyc_url?: string;

  @ApiPropertyOptional({ type: String, format: 'uuid', description: 'Present whenever ekyc_url is.' })
  readonly ekyc_request_id?: string;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'True if the previous request failed and this link has not been opened yet.',
  })
  readonly ekyc_failed: boolean | null;

  @ApiProperty({
    type: String,
    enum: EKYC_STATUSES,
    description: 'FAILED and EXPIRED are reported once, with a new link.',
  })
  readonly ekyc_status: EkycStatus;

  @ApiProperty({ type: String, enum: ['HOSTED', 'AADHAAR_OTP', 'DIGILOCKER'] })
  readonly ekyc_method: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Expiry of the link.',
  })
  readonly ekyc_expires_at: string | null;
}

/** `POST /issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/send-otp` */
export class AadhaarSendOtpRequest {
  @ApiProperty({
    type: String,
    pattern: '^[2-9][0-9]{11}$',
    description: 'Never stored. The last digit is a check digit.',
  })
  @Checks([AadhaarErrors.numberInvalid, isAadhaar])
  readonly aadhaar_number: string;

  @ApiProperty({ type: Boolean, description: 'Must be true.' })
  @Checks(...CONSENT_RULES)
  readonly consent_checked: boolean;
}

export class AadhaarSendOtpPayload {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly ekyc_request_id: string;

  @ApiProperty({ type: String, example: 'XXXXXXXX2346', description: 'Masked.' })
  readonly aadhaar: string;

  @ApiProperty({ type: String, nullable: true, description: 'Linked mobile number, masked.' })
  readonly masked_mobile: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly otpExpiresAt: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Seconds until the next code can be requested.' })
  readonly retryAfterSeconds: number;
}

/** `POST /issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/verify-otp` */
export class AadhaarVerifyOtpRequest {
  // a malformed id is answered like another user's id
  @ApiProperty({ type: String, format: 'uuid' })
  @Allow()
  readonly ekyc_request_id: string;

  @ApiProperty(OTP_SCHEMA)
  @Checks(...OTP_RULES)
  readonly otp: string;
}

/** `POST /issuer-apis/{issuer_slug}/v1/document-locker/session` */
export class LockerSessionRequest {
  @ApiPropertyOptional(REDIRECTION)
  @Checks([EkycErrors.redirectionUrlInvalid, (value) => !isGiven(value) || isReturnAddress(value)])
  readonly redirection_url?: string | null;

  @ApiProperty({ type: Boolean, description: 'Must be true.' })
  @Checks(...CONSENT_RULES)
  readonly consent_checked: boolean;
}

export class LockerSessionPayload {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly session_id: string;

  @ApiProperty({ type: String, format: 'uri', description: 'Page of the locker, where the user decides.' })
  readonly url: string;

  @ApiProperty({ type: String, enum: ['CREATED', 'AUTHORISED'] })
  readonly status: string;

  @ApiProperty({ type: Boolean })
  readonly is_ekyc_verified: boolean;

  @ApiProperty({ type: String, format: 'uuid', description: 'The eKYC request that it completes.' })
  readonly ekyc_request_id: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly expires_at: string;
}
