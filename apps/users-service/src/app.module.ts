import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { BodyGuard, EnvelopeModule, InTimeGuard, RouteContractGuard } from '@fd/envelope';
import {
  ApiDocumentModule,
  checkRedis,
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
  REDIS,
  type RedisClient,
  RedisModule,
  UnknownRouteModule,
} from '@fd/platform';
import { DataSource } from 'typeorm';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { BankModule } from './bank/bank.module.js';
import { BookingModule } from './booking/booking.module.js';
import { ConfigModule } from './config/config.module.js';
import type { UsersConfig } from './config/users-config.js';
import { ConsentsModule } from './consents/consents.module.js';
import { ONBOARDING_DATABASE } from './database/definition.js';
import { EkycModule } from './ekyc/ekyc.module.js';
import { EmailModule } from './email/email.module.js';
import { ErrorCodesController } from './error-codes/error-codes.controller.js';
import { ExistingCustomersModule } from './existing-customers/existing-customers.module.js';
import { HousekeepingModule } from './housekeeping/housekeeping.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { InsightsModule } from './insights/insights.module.js';
import { IssuersModule } from './issuers/issuers.module.js';
import { JourneyModule } from './journey/journey.module.js';
import { StepOrderGuard } from './journey/step-order.guard.js';
import { LeadsModule } from './leads/leads.module.js';
import { NomineesModule } from './nominees/nominees.module.js';
import { PanModule } from './pan/pan.module.js';
import { PersonalDetailsModule } from './personal-details/personal-details.module.js';
import { KeyWatch } from './pii/key-watch.service.js';
import { PiiModule } from './pii/pii.module.js';
import { ProfileModule } from './profile/profile.module.js';
import { ProvidersModule } from './providers/providers.module.js';
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
        ApiDocumentModule,
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
        HousekeepingModule,
        AuditModule,
        IdempotencyModule,
        HealthModule.forRootAsync({ inject: [DataSource, REDIS, KeyWatch], useFactory: readinessChecks }),
        PiiModule,
        ProvidersModule,
        IssuersModule,
        JourneyModule,
        SessionsModule,
        UsersModule,
        ProfileModule,
        ConsentsModule,
        PanModule,
        EmailModule,
        PersonalDetailsModule,
        ExistingCustomersModule,
        LeadsModule,
        NomineesModule,
        InsightsModule,
        BookingModule,
        AuthModule,
        BankModule,
        EkycModule,
        // the last: it takes what the others have left
        UnknownRouteModule,
      ],
      controllers: [ErrorCodesController],
      // in this order: note the route, find out who calls, count the call, refuse what does not exist, demand a session,
      // judge the body, then the order of steps, and whether there is time left
      providers: [
        RouteContractGuard,
        IdentifyGuard,
        RateLimitGuard,
        KnownRouteGuard,
        SessionGuard,
        BodyGuard,
        StepOrderGuard,
        InTimeGuard,
      ].map((useClass) => ({ provide: APP_GUARD, useClass })),
    };
  }
}

/** There is next to nothing that we do without writing it down. @throws Error at a server that takes no writes */
async function requireWritable(dataSource: DataSource): Promise<void> {
  const [row] = await dataSource.query<{ transaction_read_only: string }[]>('SHOW transaction_read_only');
  if (row?.transaction_read_only !== 'off') throw new Error('PostgreSQL takes no writes');
}

function readinessChecks(dataSource: DataSource, redis: RedisClient, keys: KeyWatch): ReadinessCheck[] {
  return [
    {
      name: 'postgres',
      check: async () => {
        await requireWritable(dataSource);
        keys.assertSettled();
      },
    },
    // without Redis nobody can log in, but who is logged in goes on
    { name: 'redis', isOptional: true, check: () => checkRedis(redis) },
  ];
}
