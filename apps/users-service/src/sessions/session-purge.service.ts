import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { SessionsRepository } from './sessions.repository.js';

const HOUR_MS = 3_600_000;

/** Deletes sessions that ended a while ago, with their refresh tokens. Any number of replicas may do so at once. */
@Injectable()
export class SessionPurge implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(SessionPurge.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly sessions: SessionsRepository) {}

  onModuleInit(): void {
    // replicas that started together need not work together
    this.timer = setInterval(() => void this.run(), HOUR_MS * (0.75 + Math.random() / 2));
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async run(): Promise<void> {
    try {
      const deleted = await this.sessions.purgeEnded();
      if (deleted > 0) this.logger.log({ msg: 'ended sessions were deleted', deleted });
    } catch (error) {
      // the next hour is soon enough
      this.logger.warn({ msg: 'ended sessions were not deleted', reason: (error as Error).message });
    }
  }
}
