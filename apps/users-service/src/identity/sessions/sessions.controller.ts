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
  CurrentSession,
  KeptBriefly,
  OfSession,
  type SessionIdentity,
  Unaudited,
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
  @KeptBriefly()
  @Public()
  @Unaudited('tokens only; a token that is used again is told with its session')
  @ApiOperation({ summary: 'Exchange a refresh token for new tokens' })
  @Answers({
    payload: TokenPayload,
    message: 'Token refreshed',
    raises: [SessionErrors.refreshTokenInvalid, SessionErrors.refreshTokenReused],
  })
  async refresh(@Body() request: RefreshTokenRequest): Promise<TokenPayload> {
    return this.sessions.refresh(request.refresh_token);
  }

  @Post('auth/api/v2/logout')
  @OfSession()
  @Audited('LOGGED_OUT')
  @ApiOperation({ summary: 'End this session, or all of the user' })
  @Answers({
    payload: LogoutPayload,
    message: 'Logged out',
    acceptsEmptyBody: true,
    raises: [GeneralErrors.fieldInvalid],
  })
  async logOut(
    @CurrentSession() { userId, sessionId }: SessionIdentity,
    @Body() request: LogoutRequest,
  ): Promise<LogoutPayload> {
    const ended = request.all_devices === true ? { userId } : { userId, sessionId };
    return { sessions_ended: await this.repository.end({ ...ended, reason: 'LOGOUT' }) };
  }

  @Get('api/v1/user-sessions')
  @Audited('SESSIONS_READ')
  @ApiOperation({ summary: 'Devices on which the user is logged in, last used first' })
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
  @Audited('SESSION_ENDED')
  @ApiOperation({ summary: 'Log a device out' })
  @Answers({ payload: LogoutPayload, message: 'Logged out', raises: [GeneralErrors.recordUnknown] })
  async revoke(
    @CurrentSession() { userId }: SessionIdentity,
    @Param('session_id') sessionId: string,
  ): Promise<LogoutPayload> {
    await this.sessions.revoke(userId, sessionId);
    return { sessions_ended: 1 };
  }
}

class Jwks {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', required: ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use'] },
  })
  readonly keys: object[];
}

@ApiTags('Session')
@Controller('.well-known')
export class JwksController {
  constructor(private readonly config: TokensConfig) {}

  @Get('jwks.json')
  @Public()
  @Header('cache-control', 'public, max-age=300')
  @Unaudited('public keys')
  @ApiOperation({ summary: 'Public keys, with which a gateway or a partner verifies our tokens' })
  @AnswersRaw({ payload: Jwks })
  jwks(): Jwks {
    return { keys: this.config.keys.map(({ publicJwk }) => publicJwk) };
  }
}
