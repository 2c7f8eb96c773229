import { Body, Controller, Delete, Get, Header, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import {
  LogoutPayload,
  LogoutRequest,
  RefreshTokenRequest,
  TokenPayload,
  UserSessionsPayload,
} from '@fd/contracts';
import { Answers, AnswersRaw } from '@fd/envelope';
import { GeneralErrors, SessionErrors } from '@fd/errors';
import { Public } from '@fd/platform';
import { TokensConfig } from '../../config/index.js';
import {
  Audited,
  BeforeConfirmation,
  CurrentSession,
  Idempotent,
  type SessionIdentity,
  Unaudited,
  WithoutSharing,
} from '../../core/index.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Session')
@Controller()
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly repository: SessionsRepository,
  ) {}

  @Post('auth/api/v2/token/refresh')
  @Idempotent({ isKeptBriefly: true })
  @Public()
  @Unaudited('tokens only; a reused token is recorded with its session')
  @ApiOperation({
    summary: 'Exchange a refresh token for new tokens',
    description:
      'Needs no access token. Each refresh token is valid once; a repeat within 30 seconds returns the same new tokens. A later repeat counts as theft and ends the session.',
  })
  @Answers({
    payload: TokenPayload,
    message: 'Token refreshed',
    raises: [SessionErrors.refreshTokenInvalid, SessionErrors.refreshTokenReused],
  })
  async refresh(@Body() request: RefreshTokenRequest): Promise<TokenPayload> {
    return this.sessions.refresh(request.refresh_token);
  }

  @Post('auth/api/v2/logout')
  @BeforeConfirmation()
  @Idempotent({ isOfSession: true })
  @Audited('LOGGED_OUT')
  @ApiOperation({
    summary: 'End this session, or all sessions of the user',
    description:
      'Ends the session of the access token. With `all_devices: true` it ends every session of the user.',
  })
  @Answers({
    payload: LogoutPayload,
    message: 'Logged out',
    acceptsEmptyBody: true,
    raises: [GeneralErrors.fieldInvalid],
  })
  async logOut(
    @CurrentSession() { userId, sessionId, isUnconfirmed }: SessionIdentity,
    @Body() request: LogoutRequest,
  ): Promise<LogoutPayload> {
    if (request.all_devices === true && isUnconfirmed) throw SessionErrors.unconfirmed();
    const ended = request.all_devices === true ? { userId } : { userId, sessionId };
    return { sessions_ended: await this.repository.end({ ...ended, reason: 'LOGOUT' }) };
  }

  @Get('api/v1/user-sessions')
  @WithoutSharing()
  @Audited('SESSIONS_READ')
  @ApiOperation({
    summary: "List the user's sessions, last used first",
    description: "Returns the open sessions of the user. `is_current` marks the caller's session.",
  })
  @Answers({ payload: UserSessionsPayload })
  async list(@CurrentSession() { userId, sessionId }: SessionIdentity): Promise<UserSessionsPayload> {
    const sessions = await this.repository.listOpen(userId);
    return {
      sessions: sessions.map(({ session_id, created_at, last_used_at, expires_at, ...session }) => ({
        session_id,
        is_current: session_id === sessionId,
        ...session,
        created_at: created_at.toISOString(),
        last_used_at: last_used_at.toISOString(),
        expires_at: expires_at.toISOString(),
      })),
    };
  }

  @Delete('api/v1/user-sessions/:session_id')
  @WithoutSharing()
  @Audited('SESSION_ENDED')
  @ApiOperation({
    summary: 'Log a device out',
    description: 'Ends one session of the list. The service then refuses its tokens.',
  })
  @Answers({ payload: LogoutPayload, message: 'Logged out', raises: [GeneralErrors.recordUnknown] })
  async revoke(
    @CurrentSession() { userId }: SessionIdentity,
    @Param('session_id') sessionId: string,
  ): Promise<LogoutPayload> {
    await this.sessions.revoke(userId, sessionId);
    return { sessions_ended: 1 };
  }
}

/** A public key of the curve P-256. */
class Jwk {
  @ApiProperty({ type: String, enum: ['EC'] })
  readonly kty: string;

  @ApiProperty({ type: String, enum: ['P-256'] })
  readonly crv: string;

  @ApiProperty({ type: String, description: 'The coordinate x, in base64url.' })
  readonly x: string;

  @ApiProperty({ type: String, description: 'The coordinate y, in base64url.' })
  readonly y: string;

  @ApiProperty({ type: String, description: 'Key id in the header of tokens.' })
  readonly kid: string;

  @ApiProperty({ type: String, enum: ['ES256'] })
  readonly alg: string;

  @ApiProperty({ type: String, enum: ['sig'] })
  readonly use: string;
}

class Jwks {
  @ApiProperty({ type: [Jwk] })
  readonly keys: readonly Jwk[];
}

@ApiTags('Session')
@Controller('.well-known')
export class JwksController {
  constructor(private readonly config: TokensConfig) {}

  @Get('jwks.json')
  @Public()
  @Header('cache-control', 'public, max-age=300')
  @Unaudited('public keys')
  @ApiOperation({
    summary: 'Public keys for verifying our tokens',
    description:
      'A JSON Web Key Set (RFC 7517), sent without the envelope. It contains the previous, current and next signing key.',
  })
  @AnswersRaw({ payload: Jwks })
  jwks(): Jwks {
    return { keys: this.config.keys.map(({ publicJwk }) => publicJwk) };
  }
}
