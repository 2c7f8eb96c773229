import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { HealthModule, PlatformModule } from '@fd/platform';
import { ClockController } from './clock/clock.controller.js';
import { SandboxClock } from './clock/sandbox-clock.js';
import { SANDBOX_CONFIG, type SandboxConfig } from './config/sandbox-config.js';
import { ConsoleModule } from './console/console.module.js';
import { EffectsController } from './effects/effects.controller.js';
import { Effects } from './effects/effects.service.js';
import { HttpsServer } from './hosted-pages/https-server.service.js';
import { parseIfPossible } from './http/parse-if-possible.middleware.js';
import { setPlantedClock } from './http/planted-faults.js';
import { SilentCalls } from './http/silent-calls.service.js';
import { InboxController } from './inbox/inbox.controller.js';
import { Inbox } from './inbox/inbox.store.js';
import { IssuersModule } from './issuers/issuers.module.js';
import { MagicValuesController } from './magic/magic-values.controller.js';
import { PartnerModule } from './partner/partner.module.js';
import { ProvidersModule } from './providers/providers.module.js';
import { VendorsModule } from './vendors/vendors.module.js';
import { RecordCalls } from './wire/record-calls.middleware.js';
import { WireController } from './wire/wire.controller.js';
import { Wire } from './wire/wire.store.js';

const SHARED = [Effects, HttpsServer, Inbox, SilentCalls, Wire];

/** Global for the services that providers, issuers and the console share. */
@Module({})
export class AppModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(parseIfPossible, RecordCalls, setPlantedClock).forRoutes('{*path}');
  }

  static forRoot(config: SandboxConfig): DynamicModule {
    const clock = new SandboxClock(config.clockFile);
    return {
      module: AppModule,
      global: true,
      imports: [
        PlatformModule.withClock(clock),
        // everything is in memory: ready as soon as it listens
        HealthModule.forRootAsync({ drainSeconds: 0, inject: [], useFactory: () => [] }),
        ProvidersModule,
        IssuersModule,
        VendorsModule,
        PartnerModule,
        ConsoleModule,
      ],
      controllers: [
        ClockController,
        InboxController,
        EffectsController,
        MagicValuesController,
        WireController,
      ],
      providers: [
        { provide: SANDBOX_CONFIG, useValue: config },
        { provide: SandboxClock, useValue: clock },
        ...SHARED,
      ],
      exports: [SANDBOX_CONFIG, ...SHARED],
    };
  }
}
