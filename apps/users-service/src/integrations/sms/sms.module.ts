import { Module } from '@nestjs/common';
import { SmsConfig } from '../../config/index.js';
import { HttpSmsAdapter } from './adapters/http/http-sms.adapter.js';
import { SmsDelivery } from './sms-delivery.service.js';
import { SMS_PROVIDERS, type SmsProvider } from './sms.port.js';

@Module({
  providers: [
    {
      provide: SMS_PROVIDERS,
      inject: [SmsConfig],
      useFactory: ({ providers }: SmsConfig): SmsProvider[] =>
        providers.map((address) => new HttpSmsAdapter(address)),
    },
    SmsDelivery,
  ],
  exports: [SmsDelivery],
})
export class SmsModule {}
