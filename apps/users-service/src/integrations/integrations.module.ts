import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SmsConfig } from '../config/index.js';
import { IssuerApis } from './issuers/issuer-apis.js';
import { MAIL_SENDER } from './mail/mail.port.js';
import { SmtpMailAdapter } from './mail/smtp-mail.adapter.js';
import { ProviderClients } from './providers/provider-client.js';
import { smsAdapters } from './sms/adapters/sms-adapters.js';
import { SmsDelivery } from './sms/sms-delivery.service.js';
import { SMS_PROVIDERS } from './sms/sms.port.js';
import { Webhook } from './webhooks/webhook.entity.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { Webhooks } from './webhooks/webhooks.service.js';

export const INTEGRATIONS_ENTITIES = [Webhook];

/** Adapters of issuers, mail and SMS, and the client on which all adapters are built. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature(INTEGRATIONS_ENTITIES)],
  controllers: [WebhooksController],
  providers: [
    ProviderClients,
    IssuerApis,
    SmsDelivery,
    Webhooks,
    {
      provide: SMS_PROVIDERS,
      inject: [SmsConfig],
      useFactory: smsAdapters,
    },
    { provide: MAIL_SENDER, useClass: SmtpMailAdapter },
  ],
  exports: [ProviderClients, IssuerApis, SmsDelivery, Webhooks, MAIL_SENDER],
})
export class IntegrationsModule {}
