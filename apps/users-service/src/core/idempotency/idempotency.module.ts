import { Module, type OnModuleInit } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { Housekeeping } from '../jobs/housekeeping.service.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { IdempotentCallsRepository } from './idempotent-calls.repository.js';

/** Imported after the EnvelopeModule: its interceptor then stands inside of the envelope and the deadline. */
@Module({
  providers: [IdempotentCallsRepository, { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor }],
})
export class IdempotencyModule implements OnModuleInit {
  constructor(
    private readonly housekeeping: Housekeeping,
    private readonly calls: IdempotentCallsRepository,
  ) {}

  onModuleInit(): void {
    this.housekeeping.add({ name: 'idempotent calls', run: () => this.calls.purge() });
  }
}
