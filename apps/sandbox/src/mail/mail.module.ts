import { type DynamicModule, Module } from '@nestjs/common';
import type { ListenConfig } from '../config/sandbox-config.js';
import { EffectsModule } from '../effects/effects.module.js';
import { InboxModule } from '../inbox/inbox.module.js';
import { MAIL_LISTEN, MailServer } from './mail-server.service.js';
import { MailService } from './mail.service.js';

@Module({})
export class MailModule {
  static forRoot(listen: ListenConfig): DynamicModule {
    return {
      module: MailModule,
      global: true,
      imports: [InboxModule, EffectsModule],
      providers: [MailService, MailServer, { provide: MAIL_LISTEN, useValue: listen }],
      exports: [MailServer],
    };
  }
}
