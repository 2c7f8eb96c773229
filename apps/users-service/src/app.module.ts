import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import {
  EnvelopeModule,
  REQUEST_CHECKS,
  type RequestChecks,
  RequestGuard,
  UnknownRouteModule,
} from '@fd/envelope';
import { GeneralErrors } from '@fd/errors';
import {
  checkRedis,
  Database,
  DatabaseModule,
  HealthModule,
  isDatabaseUnavailable,
  isRedisUnavailable,
  PlatformModule,
  RateLimit,
  RateLimitModule,
  type ReadinessCheck,
  REDIS,
  type RedisClient,
  RedisModule,
} from '@fd/platform';
import {
  AuditedCalls,
  CoreModule,
  ErrorCodesController,
  FollowedClock,
  IdempotentCalls,
  KeyWatch,
} from './core/index.js';
import { IdentityModule, SessionGuard } from './identity/index.js';
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
        RateLimitModule.forRoot({
          ...config.rateLimit,
          error: GeneralErrors.tooManyRequests,
          callerOf: ({ session }) => session && { name: `user:${session.userId}` },
          addressSecret: config.pii.indexSecret,
        }),
        CoreModule,
        HealthModule.forRootAsync({ inject: [Database, REDIS, KeyWatch], useFactory: readinessChecks }),
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
        {
          provide: REQUEST_CHECKS,
          inject: [SessionGuard, RateLimit, StepOrderGuard, AuditedCalls, IdempotentCalls],
          useFactory: (
            session: SessionGuard,
            limit: RateLimit,
            order: StepOrderGuard,
            audited: AuditedCalls,
            idempotent: IdempotentCalls,
          ): RequestChecks => ({
            identify: (context) => session.identify(context),
            count: (context) => limit.count(context),
            permit: (context) => order.permit(context),
            begin: (context) => {
              // this order records repeated answers and failures
              session.begin(context);
              audited.begin(context);
              return idempotent.begin(context);
            },
          }),
        },
        { provide: APP_GUARD, useClass: RequestGuard },
      ],
    };
  }
}

/** Almost every call writes. @throws Error for a read-only server */
async function requireWritable(database: Database): Promise<void> {
  const [row] = await database.query<{ transaction_read_only: string }[]>('SHOW transaction_read_only');
  if (row?.transaction_read_only !== 'off') throw new Error('PostgreSQL takes no writes');
}

function readinessChecks(database: Database, redis: RedisClient, keys: KeyWatch): ReadinessCheck[] {
  return [
    // compared once, with a writable PostgreSQL: a replica with wrong keys never becomes ready
    { name: 'keys', check: () => keys.requireSettled() },
    // all replicas lose a store together: unready replicas would also stop calls that do not need it
    { name: 'postgres', isOptional: true, check: () => requireWritable(database) },
    { name: 'redis', isOptional: true, check: () => checkRedis(redis) },
  ];
}
