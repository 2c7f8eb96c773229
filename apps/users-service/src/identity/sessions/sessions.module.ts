import { Module, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../core/index.js';
import { JwksController } from './jwks.controller.js';
import { JwtStrategy } from './jwt.strategy.js';
import { SessionGuard } from './session.guard.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';
import { AccessTokens } from './tokens.js';

@Module({
  controllers: [SessionsController, JwksController],
  providers: [SessionsRepository, SessionsService, AccessTokens, JwtStrategy, SessionGuard],
  exports: [SessionsService, SessionGuard],
})
export class SessionsModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly sessions: SessionsRepository,
  ) {}

  onModuleInit(): void {
    // with their refresh tokens, which go with them
    this.jobs.cleanUp({ name: 'ended sessions', deleteBatch: () => this.sessions.purgeEnded() });
  }
}
