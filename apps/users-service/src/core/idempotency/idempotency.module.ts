import { Module, type OnModuleInit } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { Jobs } from '../jobs/jobs.service.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { IdempotentCallsRepository } from './idempotent-calls.repository.js';

/** Imported after the EnvelopeModule: its interceptor then stands inside of the envelope and the deadline. */
@Module({
  providers: [IdempotentCallsRepository, { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor }],
})
export class IdempotencyModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly calls: IdempotentCallsRepository,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp({ name: 'idempotent calls', deleteBatch: () => this.calls.purge() });
  }
}
