import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { BodyGuard, EnvelopeModule, InTimeGuard, RouteContractGuard } from '@fd/envelope';
import { MasterErrors } from '@fd/errors';
import {
  ApiDocumentModule,
  ClockModule,
  DatabaseModule,
  HealthModule,
  isDatabaseUnavailable,
  isRedisUnavailable,
  KnownRouteGuard,
  MetricsModule,
  RateLimitGuard,
  RateLimitModule,
  type ReadinessCheck,
  RedisModule,
  UnknownRouteModule,
} from '@fd/platform';
import { ApiClientGuard, ApiKeyGuard } from './api-keys/api-client.guard.js';
import { CatalogueModule } from './catalogue/catalogue.module.js';
import { CatalogueSnapshot } from './catalogue/catalogue-snapshot.service.js';
import type { MasterConfig } from './config/master-config.js';
import { ErrorCodesController } from './error-codes/error-codes.controller.js';
import { CATALOGUE_DATABASE } from './database/definition.js';
import { QuotesModule } from './quotes/quotes.module.js';

@Module({})
export class AppModule {
  static forRoot(config: MasterConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ApiDocumentModule,
        ClockModule,
        MetricsModule,
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
          clientOf: (request) => request.apiClient && `client:${request.apiClient}`,
        }),
        HealthModule.forRootAsync({ inject: [CatalogueSnapshot], useFactory: readinessChecks }),
        CatalogueModule.forRoot(config.cataloguePollSeconds),
        QuotesModule,
        // the last: it takes what the others have left
        UnknownRouteModule,
      ],
      controllers: [ErrorCodesController],
      // in this order: note the route, find out who calls, count the call, refuse what does not exist, demand a key,
      // judge the body, then whether there is time left
      providers: [
        RouteContractGuard,
        ApiClientGuard,
        RateLimitGuard,
        KnownRouteGuard,
        ApiKeyGuard,
        BodyGuard,
        InTimeGuard,
      ].map((useClass) => ({ provide: APP_GUARD, useClass })),
    };
  }
}

/** Requests need neither PostgreSQL nor Redis, only a catalogue: with one in memory this replica can serve. */
function readinessChecks(snapshot: CatalogueSnapshot): ReadinessCheck[] {
  return [
    {
      name: 'catalogue',
      check: () => (snapshot.isLoaded ? Promise.resolve() : Promise.reject(new Error('not loaded'))),
    },
  ];
}
