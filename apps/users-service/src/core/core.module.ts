import { Global, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditConfig, PiiConfig } from '../config/index.js';
import { AuditChainRepository } from './audit/audit-chain.repository.js';
import { AuditCheckpoint } from './audit/audit-checkpoint.entity.js';
import { SealedAuditEvent, UnsealedAuditEvent } from './audit/audit-event.entity.js';
import { AuditKeys } from './audit/audit-event.js';
import { AuditSealer } from './audit/audit-sealer.service.js';
import { AuditTrail } from './audit/audit-trail.js';
import { AuditedCalls } from './audit/audited-calls.js';
import { AuditedRoutes } from './audit/audited-routes.js';
import { ProviderCallLimit } from './caller/provider-call-limit.js';
import { PartitionWatch } from './database/partition-watch.service.js';
import { IdempotentCall } from './idempotency/idempotent-call.entity.js';
import { IdempotentCalls } from './idempotency/idempotent-calls.js';
import { IdempotentCallsRepository, OLD_CALLS } from './idempotency/idempotent-calls.repository.js';
import { DurableCallsRepository } from './jobs/durable-calls.repository.js';
import { DurableCalls } from './jobs/durable-calls.service.js';
import { Jobs } from './jobs/jobs.service.js';
import { WaitingCallers } from './jobs/waiting-callers.js';
import { KeyInUse } from './pii/key-in-use.entity.js';
import { KeyWatch } from './pii/key-watch.service.js';
import { KeyedHash, PiiCipher } from './pii/pii-cipher.js';

export const CORE_ENTITIES = [
  AuditCheckpoint,
  IdempotentCall,
  KeyInUse,
  SealedAuditEvent,
  UnsealedAuditEvent,
];

@Global()
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature(CORE_ENTITIES)],
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
    AuditedCalls,
    AuditedRoutes,
    IdempotentCallsRepository,
    IdempotentCalls,
    PartitionWatch,
    ProviderCallLimit,
    WaitingCallers,
  ],
  exports: [
    AuditedCalls,
    AuditTrail,
    DurableCalls,
    IdempotentCalls,
    Jobs,
    KeyedHash,
    KeyWatch,
    PiiCipher,
    ProviderCallLimit,
    WaitingCallers,
  ],
})
export class CoreModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(private readonly jobs: Jobs) {}

  onModuleInit(): void {
    this.jobs.deleteOld(OLD_CALLS);
  }

  /** Runs after the providers' own hooks: KeyWatch has compared the keys with the data before any job starts. */
  onApplicationBootstrap(): void {
    this.jobs.start();
  }
}
