import { Global, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditConfig, PiiConfig } from '../config/index.js';
import { AuditChainRepository } from './audit/audit-chain.repository.js';
import { AuditKeys } from './audit/audit-event.js';
import { AuditSealer } from './audit/audit-sealer.service.js';
import { AuditTrail } from './audit/audit-trail.js';
import { AuditInterceptor } from './audit/audit.interceptor.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { IdempotentCallsRepository } from './idempotency/idempotent-calls.repository.js';
import { DurableCallsRepository } from './jobs/durable-calls.repository.js';
import { DurableCalls } from './jobs/durable-calls.service.js';
import { Jobs } from './jobs/jobs.service.js';
import { KeyWatch } from './pii/key-watch.service.js';
import { KeyedHash, PiiCipher } from './pii/pii-cipher.js';

/** Imported after the EnvelopeModule: the interceptors then run inside of the envelope and the deadline. */
@Global()
@Module({
  providers: [
    { provide: AuditKeys, inject: [AuditConfig], useFactory: ({ keys }: AuditConfig) => new AuditKeys(keys) },
    { provide: PiiCipher, inject: [PiiConfig], useFactory: ({ keys }: PiiConfig) => new PiiCipher(keys) },
    {
      provide: KeyedHash,
      inject: [PiiConfig],
      useFactory: ({ indexSecret }: PiiConfig) => new KeyedHash(indexSecret),
    },
    KeyWatch,
    Jobs,
    DurableCalls,
    DurableCallsRepository,
    AuditTrail,
    AuditChainRepository,
    AuditSealer,
    IdempotentCallsRepository,
    // in this order: a replayed answer is recorded too
    { provide: APP_INTERCEPTOR, useClass: AuditInterceptor },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
  ],
  exports: [AuditTrail, DurableCalls, Jobs, KeyedHash, KeyWatch, PiiCipher],
})
export class CoreModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly jobs: Jobs,
    private readonly calls: IdempotentCallsRepository,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp({ name: 'idempotent calls', deleteBatch: () => this.calls.purge() });
  }

  /** Runs after the providers' own hooks: KeyWatch has compared the keys with the data before any job starts. */
  onApplicationBootstrap(): void {
    this.jobs.start();
  }
}
