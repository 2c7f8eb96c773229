import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DeadlineGuard, EnvelopeModule, RefusalGuard, UnknownRouteModule } from '@fd/envelope';
import { MasterErrors } from '@fd/errors';
import {
  CallThrottlerGuard,
  DatabaseModule,
  HealthModule,
  isDatabaseUnavailable,
  isRedisUnavailable,
  LoadSheddingModule,
  PlatformModule,
  RateLimitModule,
  RedisModule,
} from '@fd/platform';
import { ApiKeyAuthGuard } from './api-keys/api-key-auth.guard.js';
import { ApiKeyStrategy } from './api-keys/api-key.strategy.js';
import { CatalogueModule } from './catalogue/catalogue.module.js';
import { CatalogueSnapshot } from './catalogue/catalogue-snapshot.service.js';
import type { MasterConfig } from './config/master-config.js';
import { ErrorCodesController } from './error-codes/error-codes.controller.js';
import { CATALOGUE_DATABASE } from './database/definition.js';
import { FactSheetModule } from './fact-sheet/fact-sheet.module.js';
import { QuotesModule } from './quotes/quotes.module.js';

@Module({})
export class AppModule {
  static forRoot(config: MasterConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule,
        DatabaseModule.forRoot(config.database, CATALOGUE_DATABASE),
        RedisModule.forRoot(config.redis),
        EnvelopeModule.forRoot({
          errors: MasterErrors,
          challenge: 'ApiKey',
          isUnavailable: (error) => isDatabaseUnavailable(error) || isRedisUnavailable(error),
        }),
        LoadSheddingModule.forRoot(config.http.load),
        RateLimitModule.forRoot({
          ...config.rateLimit,
          error: MasterErrors.tooManyRequests,
          callerOf: ({ user }) =>
            user && { name: `client:${user.name}`, callsPerMinute: user.callsPerMinute },
          addressSecret: config.rateLimitSecret,
        }),
        HealthModule.forRootAsync({
          drainSeconds: config.http.shutdownDelaySeconds,
          inject: [CatalogueSnapshot],
          // a replica with a catalogue in memory serves without PostgreSQL and Redis
          useFactory: (snapshot: CatalogueSnapshot) => [
            {
              name: 'catalogue',
              check: () => (snapshot.isLoaded ? Promise.resolve() : Promise.reject(new Error('not loaded'))),
            },
          ],
        }),
        CatalogueModule.forRoot(config.catalogue),
        QuotesModule,
        FactSheetModule.forRoot(config.factSheetKey),
        // last: it matches all remaining routes
        UnknownRouteModule,
      ],
      controllers: [ErrorCodesController],
      providers: [
        ApiKeyStrategy,
        // in this order, see docs/adr/0002-the-way-of-a-request.md
        { provide: APP_GUARD, useClass: ApiKeyAuthGuard },
        { provide: APP_GUARD, useClass: CallThrottlerGuard },
        { provide: APP_GUARD, useClass: RefusalGuard },
        { provide: APP_GUARD, useClass: DeadlineGuard },
      ],
    };
  }
}
