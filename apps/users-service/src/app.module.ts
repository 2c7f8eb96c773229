import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DeadlineGuard, EnvelopeModule, RefusalGuard, UnknownRouteModule } from '@fd/envelope';
import { GeneralErrors } from '@fd/errors';
import {
  CallThrottlerGuard,
  checkRedis,
  DatabaseModule,
  HealthModule,
  isDatabaseUnavailable,
  isRedisUnavailable,
  LoadSheddingModule,
  PlatformModule,
  RateLimitModule,
  type ReadinessCheck,
  REDIS,
  type RedisClient,
  RedisModule,
} from '@fd/platform';
import { EntityManager } from 'typeorm';
import { CoreModule, countedAs, ErrorCodesController, FollowedClock, KeyWatch } from './core/index.js';
import { EventsModule } from './events/index.js';
import { IdentityModule, JwtAuthGuard } from './identity/index.js';
import { BankModule } from './banking/index.js';
import { ApplicationModule } from './application/index.js';
import { ConfigModule, type UsersConfig } from './config/index.js';
import { ONBOARDING_DATABASE } from './onboarding-database.js';
import { KycModule } from './kyc/index.js';
import { JourneyModule, StepOrderGuard } from './journey/index.js';
import { IntegrationsModule } from './integrations/index.js';

@Module({})
export class AppModule {
  static forRoot(config: UsersConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        config.clockUrl === undefined
          ? PlatformModule
          : PlatformModule.withClock(new FollowedClock(config.clockUrl)),
        DatabaseModule.forRoot(config.database, ONBOARDING_DATABASE),
        RedisModule.forRoot(config.redis),
        EnvelopeModule.forRoot({
          errors: GeneralErrors,
          challenge: 'Bearer',
          isUnavailable: (error) => isDatabaseUnavailable(error) || isRedisUnavailable(error),
        }),
        LoadSheddingModule.forRoot(config.http.load),
        RateLimitModule.forRoot({
          ...config.rateLimit,
          error: GeneralErrors.tooManyRequests,
          callerOf: ({ user }) => user && { name: countedAs(user) },
          addressSecret: config.pii.indexSecret,
        }),
        CoreModule,
        HealthModule.forRootAsync({
          drainSeconds: config.http.shutdownDelaySeconds,
          inject: [EntityManager, REDIS, KeyWatch],
          useFactory: readinessChecks,
        }),
        EventsModule,
        IntegrationsModule,
        JourneyModule,
        IdentityModule,
        ApplicationModule,
        BankModule,
        KycModule,
        // last: it matches all remaining routes
        UnknownRouteModule,
      ],
      controllers: [ErrorCodesController],
      providers: [
        // in this order, see docs/adr/0002-the-way-of-a-request.md
        { provide: APP_GUARD, useExisting: JwtAuthGuard },
        { provide: APP_GUARD, useClass: CallThrottlerGuard },
        { provide: APP_GUARD, useClass: RefusalGuard },
        { provide: APP_GUARD, useExisting: StepOrderGuard },
        { provide: APP_GUARD, useClass: DeadlineGuard },
      ],
    };
  }
}

/** Almost every call writes. @throws Error for a read-only server */
async function requireWritable(manager: EntityManager): Promise<void> {
  const [row] = await manager.query<{ transaction_read_only: string }[]>('SHOW transaction_read_only');
  if (row?.transaction_read_only !== 'off') throw new Error('PostgreSQL takes no writes');
}

function readinessChecks(manager: EntityManager, redis: RedisClient, keys: KeyWatch): ReadinessCheck[] {
  return [
    // compared once, with a writable PostgreSQL: a replica with wrong keys never becomes ready
    { name: 'keys', check: () => keys.requireSettled() },
    // all replicas lose a store together: unready replicas would also stop calls that do not need it
    { name: 'postgres', isOptional: true, check: () => requireWritable(manager) },
    { name: 'redis', isOptional: true, check: () => checkRedis(redis) },
  ];
}
