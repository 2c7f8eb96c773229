import { Module } from '@nestjs/common';
import { USERS_CONFIG, type UsersConfig } from '../../config/index.js';
import { HttpSmsAdapter } from './adapters/http/http-sms.adapter.js';
import { SmsDelivery } from './sms-delivery.service.js';
import { SMS_PROVIDERS, type SmsProvider } from './sms.port.js';

@Module({
  providers: [
    {
      provide: SMS_PROVIDERS,
      inject: [USERS_CONFIG],
      useFactory: ({ sms }: UsersConfig): SmsProvider[] =>
        [sms.primary, sms.fallback].map((config) => new HttpSmsAdapter(config)),
    },
    SmsDelivery,
  ],
  exports: [SmsDelivery],
})
export class SmsModule {}
