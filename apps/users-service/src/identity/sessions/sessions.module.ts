import { Module, type OnModuleInit } from '@nestjs/common';
import { Housekeeping } from '../../core/index.js';
import { AccessTokens } from './tokens.js';
import { JwksController } from './jwks.controller.js';
import { JwtStrategy } from './jwt.strategy.js';
import { SessionGuard } from './session.guard.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@Module({
  controllers: [SessionsController, JwksController],
  providers: [SessionsRepository, SessionsService, AccessTokens, JwtStrategy, SessionGuard],
  exports: [SessionsService, SessionGuard],
})
export class SessionsModule implements OnModuleInit {
  constructor(
    private readonly housekeeping: Housekeeping,
    private readonly sessions: SessionsRepository,
  ) {}

  onModuleInit(): void {
    // with their refresh tokens, which go with them
    this.housekeeping.add({ name: 'ended sessions', run: () => this.sessions.purgeEnded() });
  }
}
