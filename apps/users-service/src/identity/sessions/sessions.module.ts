import { Module, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../core/index.js';
import { SessionGuard } from './session.guard.js';
import { JwksController, SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@Module({
  controllers: [SessionsController, JwksController],
  providers: [SessionsRepository, SessionsService, SessionGuard],
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
