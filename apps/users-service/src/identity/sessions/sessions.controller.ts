import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  LogoutPayload,
  LogoutRequest,
  RefreshTokenRequest,
  TokenPayload,
  type UserSession,
  UserSessionsPayload,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { GeneralErrors, SessionErrors } from '@fd/errors';
import { Public } from '@fd/platform';
import { Audited, CurrentSession, KeptBriefly, type SessionIdentity, Unaudited } from '../../core/index.js';
import type { ListedSession } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Session')
@Controller()
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

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
  @Audited('LOGGED_OUT')
  @ApiOperation({ summary: 'End this session, or all of the user' })
  @Answers({
    payload: LogoutPayload,
    message: 'Logged out',
    acceptsEmptyBody: true,
    raises: [GeneralErrors.fieldInvalid],
  })
  async logOut(
    @CurrentSession() session: SessionIdentity,
    @Body() request: LogoutRequest,
  ): Promise<LogoutPayload> {
    return { sessions_ended: await this.sessions.logOut(session, request.all_devices === true) };
  }

  @Get('api/v1/user-sessions')
  @Audited('SESSIONS_READ')
  @ApiOperation({ summary: 'Devices on which the user is logged in, last used first' })
  @Answers({ payload: UserSessionsPayload })
  async list(@CurrentSession() { userId, sessionId }: SessionIdentity): Promise<UserSessionsPayload> {
    const sessions = await this.sessions.list(userId);
    return { sessions: sessions.map((session) => present(session, sessionId)) };
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

function present(session: ListedSession, currentId: string): UserSession {
  return {
    session_id: session.id,
    is_current: session.id === currentId,
    partner_url: session.partner_url,
    device: session.device,
    created_at: session.created_at.toISOString(),
    last_used_at: session.last_used_at.toISOString(),
    expires_at: session.expires_at.toISOString(),
  };
}
