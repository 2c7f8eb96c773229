import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditConfig } from '../../config/index.js';
import { Jobs } from '../jobs/jobs.service.js';
import { AuditChainRepository } from './audit-chain.repository.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { AuditKeys } from './audit-keys.js';
import { AuditSealer } from './audit-sealer.service.js';
import { AuditTrail } from './audit-trail.js';

/**
 * Imported after the EnvelopeModule and before the IdempotencyModule: its interceptor then stands inside of the
 * envelope, and a replayed answer is recorded too.
 */
@Global()
@Module({
  providers: [
    {
      provide: AuditKeys,
      inject: [AuditConfig],
      useFactory: ({ keys }: AuditConfig) => new AuditKeys(keys),
    },
    AuditTrail,
    AuditChainRepository,
    AuditSealer,
    { provide: APP_INTERCEPTOR, useClass: AuditInterceptor },
  ],
  exports: [AuditTrail],
})
export class AuditModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly chain: AuditChainRepository,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp({ name: 'old audit events', deleteBatch: () => this.chain.purgeOld() });
  }
}
