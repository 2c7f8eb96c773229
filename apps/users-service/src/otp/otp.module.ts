import { Module } from '@nestjs/common';
import { USERS_CONFIG } from '../config/config.module.js';
import type { UsersConfig } from '../config/users-config.js';
import { KeyedHash } from '../pii/keyed-hash.js';
import { OtpCodes } from './otp-code.js';
import { OtpService } from './otp.service.js';
import { OtpStore } from './otp.store.js';
import { SendWatch } from './send-watch.store.js';

@Module({
  providers: [
    OtpStore,
    SendWatch,
    {
      provide: OtpCodes,
      inject: [USERS_CONFIG, KeyedHash],
      useFactory: ({ otp }: UsersConfig, names: KeyedHash) => new OtpCodes(otp.secrets, names),
    },
    {
      provide: OtpService,
      inject: [OtpStore, OtpCodes, USERS_CONFIG],
      useFactory: (store: OtpStore, codes: OtpCodes, { otp }: UsersConfig) =>
        new OtpService(store, codes, otp.testRules),
    },
  ],
  exports: [OtpService, SendWatch],
})
export class OtpModule {}
