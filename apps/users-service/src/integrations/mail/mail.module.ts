import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { USERS_CONFIG, type UsersConfig } from '../../config/index.js';
import { ProviderClients } from '../providers/provider-clients.js';
import { MAIL_TIMEOUT_MS, SmtpMailAdapter } from './adapters/smtp/smtp-mail.adapter.js';
import { MAIL_SENDER, type MailSender } from './mail.port.js';

@Module({
  providers: [
    {
      provide: MAIL_SENDER,
      inject: [USERS_CONFIG, ProviderClients, Registry],
      useFactory: (
        { mail, http, providers }: UsersConfig,
        clients: ProviderClients,
        metrics: Registry,
      ): MailSender =>
        new SmtpMailAdapter(
          { ...mail, isTlsRequired: http.isProduction, maxCalls: providers.maxCalls },
          clients.resilienceOf('mail', MAIL_TIMEOUT_MS),
          metrics,
        ),
    },
  ],
  exports: [MAIL_SENDER],
})
export class MailModule {}
