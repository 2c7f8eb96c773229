import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { MailConfig, ProvidersConfig } from '../../config/index.js';
import { ProviderClients } from '../providers/provider-clients.js';
import { MAIL_TIMEOUT_MS, SmtpMailAdapter } from './adapters/smtp/smtp-mail.adapter.js';
import { MAIL_SENDER, type MailSender } from './mail.port.js';

@Module({
  providers: [
    {
      provide: MAIL_SENDER,
      inject: [MailConfig, ProvidersConfig, ProviderClients, Registry],
      useFactory: (
        mail: MailConfig,
        { maxCalls }: ProvidersConfig,
        clients: ProviderClients,
        metrics: Registry,
      ): MailSender =>
        new SmtpMailAdapter({ ...mail, maxCalls }, clients.resilienceOf('mail', MAIL_TIMEOUT_MS), metrics),
    },
  ],
  exports: [MAIL_SENDER],
})
export class MailModule {}
