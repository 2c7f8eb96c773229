import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { GeneralErrors, SessionErrors } from '@fd/errors';
import { Checks, ifGiven } from '../fields.decorator.js';

/** `POST /auth/api/v2/token/refresh` */
export class RefreshTokenRequest {
  @ApiProperty({ type: String })
  @Checks([
    SessionErrors.refreshTokenInvalid,
    (value) => typeof value === 'string' && value.length > 0 && value.length <= 512,
  ])
  readonly refresh_token: string;
}

/** `POST /auth/api/v2/logout` */
export class LogoutRequest {
  @ApiPropertyOptional({ type: Boolean, description: 'Ends every session of the user, not only this one.' })
  @Checks([GeneralErrors.fieldInvalid, ifGiven((value) => typeof value === 'boolean')])
  readonly all_devices?: boolean;
}

export class LogoutPayload {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of sessions that this call ended.' })
  readonly sessions_ended: number;
}

/** A device on which the user is logged in. */
export class UserSession {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly session_id: string;

  @ApiProperty({ type: Boolean, description: "Whether this is the caller's session." })
  readonly is_current: boolean;

  @ApiProperty({ type: String, format: 'uri' })
  readonly partner_url: string;

  @ApiProperty({ type: String, nullable: true, description: 'User agent at login, shortened.' })
  readonly device: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly created_at: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly last_used_at: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly expires_at: string;
}

export class UserSessionsPayload {
  @ApiProperty({ type: () => [UserSession] })
  readonly sessions: UserSession[];
}
