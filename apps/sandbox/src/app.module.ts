import { type DynamicModule, Module } from '@nestjs/common';
import { ClockModule, HealthModule, MetricsModule } from '@fd/platform';
import type { SandboxConfig } from './config/sandbox-config.js';
import { InboxModule } from './inbox/inbox.module.js';
import { PageModule } from './page/page.module.js';
import { SmsModule } from './sms/sms.module.js';

@Module({})
export class AppModule {
  static forRoot(config: SandboxConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ClockModule,
        MetricsModule,
        // it keeps everything in memory: ready as soon as it listens
        HealthModule.forRootAsync({ inject: [], useFactory: () => [] }),
        InboxModule,
        SmsModule,
        PageModule.forRoot(config.links),
      ],
    };
  }
}
