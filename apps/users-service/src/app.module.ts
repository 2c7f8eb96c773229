import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { BodyGuard, EnvelopeModule, RouteContractGuard } from '@fd/envelope';
import {
  ClockModule,
  DatabaseModule,
  HealthModule,
  isDatabaseUnavailable,
  isRedisUnavailable,
  MetricsModule,
  RateLimitGuard,
  RateLimitModule,
  type ReadinessCheck,
  REDIS,
  RedisModule,
} from '@fd/platform';
import type { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { AuthModule } from './auth/auth.module.js';
import { ConfigModule } from './config/config.module.js';
import type { UsersConfig } from './config/users-config.js';
import { ONBOARDING_DATABASE } from './database/definition.js';
import { ErrorCodesController } from './error-codes/error-codes.controller.js';
import { PiiModule } from './pii/pii.module.js';
import { IdentifyGuard } from './sessions/identify.guard.js';
import { SessionGuard } from './sessions/session.guard.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { UsersModule } from './users/users.module.js';

@Module({})
export class AppModule {
  static forRoot(config: UsersConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        ClockModule,
        MetricsModule,
        DatabaseModule.forRoot(config.database, ONBOARDING_DATABASE),
        RedisModule.forRoot(config.redis),
        EnvelopeModule.forRoot({
          codes: { internal: 'SVCUSER2990', unavailable: 'SVCUSER2991', routeUnknown: 'SVCUSER2901' },
          challenge: 'Bearer',
          isUnavailable: (error) => isDatabaseUnavailable(error) || isRedisUnavailable(error),
        }),
        RateLimitModule.forRoot({
          ...config.rateLimit,
          code: 'SVCUSER1517',
          clientOf: (request) => request.session && `user:${request.session.userId}`,
        }),
        HealthModule.forRootAsync({ inject: [DataSource, REDIS], useFactory: readinessChecks }),
        PiiModule,
        SessionsModule,
        UsersModule,
        AuthModule,
      ],
      controllers: [ErrorCodesController],
      // in this order: note the route, find out who calls, count the call, demand a session, judge the body
      providers: [RouteContractGuard, IdentifyGuard, RateLimitGuard, SessionGuard, BodyGuard].map(
        (guard) => ({
          provide: APP_GUARD,
          useClass: guard,
        }),
      ),
    };
  }
}

function readinessChecks(dataSource: DataSource, redis: Redis): ReadinessCheck[] {
  return [
    { name: 'postgres', check: async () => void (await dataSource.query('SELECT 1')) },
    // without Redis nobody can log in, but who is logged in goes on
    { name: 'redis', isOptional: true, check: async () => void (await redis.ping()) },
  ];
}
