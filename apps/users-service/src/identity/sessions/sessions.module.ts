import { Module, type OnModuleInit } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { Jobs } from '../../core/index.js';
import { AccessTokens } from './access-tokens.js';
import { JwksController } from './jwks.controller.js';
import { JwtStrategy } from './jwt.strategy.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [PassportModule],
  controllers: [SessionsController, JwksController],
  providers: [SessionsRepository, SessionsService, AccessTokens, JwtStrategy],
  exports: [SessionsService],
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
