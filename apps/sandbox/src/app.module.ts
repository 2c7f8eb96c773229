import { type DynamicModule, Module } from '@nestjs/common';
import { ApiDocumentModule, ClockModule, HealthModule, MetricsModule } from '@fd/platform';
import { AadhaarModule } from './aadhaar/aadhaar.module.js';
import { BankModule } from './bank/bank.module.js';
import type { SandboxConfig } from './config/sandbox-config.js';
import { ConsoleModule } from './console/console.module.js';
import { EkycModule } from './ekyc/ekyc.module.js';
import { HostedPagesModule } from './hosted-pages/hosted-pages.module.js';
import { InboxModule } from './inbox/inbox.module.js';
import { IssuersModule } from './issuers/issuers.module.js';
import { LockerModule } from './locker/locker.module.js';
import { MagicModule } from './magic/magic.module.js';
import { MailModule } from './mail/mail.module.js';
import { PanRegistryModule } from './pan-registry/pan-registry.module.js';
import { PortsModule } from './ports/ports.module.js';
import { SamplePersonModule } from './sample-person/sample-person.module.js';
import { SmsModule } from './sms/sms.module.js';

@Module({})
export class AppModule {
  static forRoot(config: SandboxConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ApiDocumentModule,
        ClockModule,
        MetricsModule,
        // it keeps everything in memory: ready as soon as it listens
        HealthModule.forRootAsync({ inject: [], useFactory: () => [] }),
        HostedPagesModule.forRoot(config.hostedPages),
        InboxModule,
        SmsModule,
        MailModule.forRoot(config.mail),
        EkycModule,
        LockerModule,
        PanRegistryModule,
        BankModule,
        AadhaarModule,
        IssuersModule,
        PortsModule,
        MagicModule,
        SamplePersonModule,
        ConsoleModule.forRoot(config.console),
      ],
    };
  }
}
