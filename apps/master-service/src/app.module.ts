import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import {
  EnvelopeModule,
  REQUEST_CHECKS,
  type RequestChecks,
  RequestGuard,
  UnknownRouteModule,
} from '@fd/envelope';
import { MasterErrors } from '@fd/errors';
import {
  DatabaseModule,
  HealthModule,
  isDatabaseUnavailable,
  isRedisUnavailable,
  PlatformModule,
  RateLimit,
  RateLimitModule,
  RedisModule,
} from '@fd/platform';
import { ApiKeyGuard } from './api-keys/api-key.guard.js';
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
        RateLimitModule.forRoot({
          ...config.rateLimit,
          error: MasterErrors.tooManyRequests,
          callerOf: ({ apiClient }) =>
            apiClient && { name: `client:${apiClient.name}`, callsPerMinute: apiClient.callsPerMinute },
          addressSecret: config.rateLimitSecret,
        }),
        HealthModule.forRootAsync({
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
        FactSheetModule,
        // last: it matches all remaining routes
        UnknownRouteModule,
      ],
      controllers: [ErrorCodesController],
      providers: [
        ApiKeyGuard,
        {
          provide: REQUEST_CHECKS,
          inject: [ApiKeyGuard, RateLimit],
          useFactory: (key: ApiKeyGuard, limit: RateLimit): RequestChecks => ({
            identify: (context) => key.identify(context),
            count: (context) => limit.count(context),
          }),
        },
        { provide: APP_GUARD, useClass: RequestGuard },
      ],
    };
  }
}
