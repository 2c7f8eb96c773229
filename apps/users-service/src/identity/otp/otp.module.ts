import { Module, type OnModuleInit } from '@nestjs/common';
import { OtpConfig } from '../../config/index.js';
import { Jobs, KeyedHash } from '../../core/index.js';
import { OtpCodes } from './otp-code.js';
import { OtpCountsRepository } from './otp-counts.repository.js';
import { OtpDayLimits } from './otp-day-limits.service.js';
import { OtpService } from './otp.service.js';
import { OtpStore } from './otp.store.js';
import { OtpAbuseLimiter } from './otp-abuse-limiter.store.js';

@Module({
  providers: [
    OtpStore,
    OtpCountsRepository,
    OtpDayLimits,
    OtpAbuseLimiter,
    {
      provide: OtpCodes,
      inject: [OtpConfig, KeyedHash],
      useFactory: ({ secrets }: OtpConfig, names: KeyedHash) => new OtpCodes(secrets, names),
    },
    {
      provide: OtpService,
      inject: [OtpStore, OtpDayLimits, OtpCodes, OtpConfig],
      useFactory: (store: OtpStore, day: OtpDayLimits, codes: OtpCodes, { testRules }: OtpConfig) =>
        new OtpService(store, day, codes, testRules),
    },
  ],
  exports: [OtpService, OtpCountsRepository, OtpAbuseLimiter],
})
export class OtpModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly counts: OtpCountsRepository,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp({ name: 'old counts of codes', deleteBatch: () => this.counts.purgeOld() });
  }
}
