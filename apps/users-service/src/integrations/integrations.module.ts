import { Global, Module } from '@nestjs/common';
import { SmsConfig } from '../config/index.js';
import { IssuerApis } from './issuers/issuer-apis.js';
import { IssuerDirectory } from './issuers/issuer-directory.js';
import { MAIL_SENDER } from './mail/mail.port.js';
import { SmtpMailAdapter } from './mail/smtp-mail.adapter.js';
import { ProviderClients } from './providers/provider-client.js';
import { smsAdapters } from './sms/adapters/sms-adapters.js';
import { SmsDelivery } from './sms/sms-delivery.service.js';
import { SMS_PROVIDERS } from './sms/sms.port.js';

/** How external services are reached: issuers, mail, short messages, and what all other adapters are built on. */
@Global()
@Module({
  providers: [
    ProviderClients,
    IssuerDirectory,
    IssuerApis,
    SmsDelivery,
    {
      provide: SMS_PROVIDERS,
      inject: [SmsConfig],
      useFactory: smsAdapters,
    },
    { provide: MAIL_SENDER, useClass: SmtpMailAdapter },
  ],
  exports: [ProviderClients, IssuerDirectory, IssuerApis, SmsDelivery, MAIL_SENDER],
})
export class IntegrationsModule {}
