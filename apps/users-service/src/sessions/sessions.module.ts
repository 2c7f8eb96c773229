import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { AccessTokens } from './access-tokens.js';
import { JwksController } from './jwks.controller.js';
import { JwtStrategy } from './jwt.strategy.js';
import { SessionPurge } from './session-purge.service.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [PassportModule],
  controllers: [SessionsController, JwksController],
  providers: [SessionsRepository, SessionsService, AccessTokens, JwtStrategy, SessionPurge],
  exports: [SessionsService],
})
export class SessionsModule {}
