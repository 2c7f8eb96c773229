import { type DynamicModule, type ExecutionContext, Module } from '@nestjs/common';
import { SkipThrottle, ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import type { Request } from 'express';
import { AddressLimit } from './address-limit.js';
import { clientKeyOf, RATE_LIMIT, type RateLimitOptions } from './rate-limit.options.js';
import { RedisThrottlerStorage, WINDOW_MS } from './redis-throttler.storage.js';

/** Marks a polled controller, whose calls no throttler counts. */
export const Uncounted = (): ClassDecorator & MethodDecorator =>
  SkipThrottle({ default: true, client: true });

/**
 * Limits of calls a minute over all routes and replicas. `default`: by user, else by address, within the client of an API key.
 * `client`: that client as a whole.
 */
@Module({})
export class RateLimitModule {
  static forRoot(options: RateLimitOptions): DynamicModule {
    // also for limits beside the throttlers
    const counters = [RedisThrottlerStorage, AddressLimit, { provide: RATE_LIMIT, useValue: options }];
    return {
      module: RateLimitModule,
      global: true,
      imports: [
        ThrottlerModule.forRootAsync({
          inject: [RedisThrottlerStorage, AddressLimit],
          useFactory: (storage: RedisThrottlerStorage, addresses: AddressLimit) =>
            throttlers(options, storage, addresses),
        }),
      ],
      providers: counters,
      exports: counters,
    };
  }
}

function throttlers(
  { perMinute, callerOf }: RateLimitOptions,
  storage: RedisThrottlerStorage,
  addresses: AddressLimit,
): ThrottlerModuleOptions {
  const callerIn = (context: ExecutionContext) => callerOf(context.switchToHttp().getRequest<Request>());
  const clientLimit = (context: ExecutionContext) => callerIn(context)?.callsPerMinute;
  return {
    storage,
    throttlers: [
      {
        name: 'default',
        ttl: WINDOW_MS,
        limit: perMinute,
        getTracker: (request) => {
          const caller = callerOf(request as Request);
          const address = addresses.nameOf(request as Request);
          const client = clientKeyOf(caller);
          return client === undefined ? `{${caller?.name ?? address}}` : `${client}:${address}`;
        },
      },
      {
        name: 'client',
        ttl: WINDOW_MS,
        limit: (context) => clientLimit(context)!,
        skipIf: (context) => clientLimit(context) === undefined,
        getTracker: (request) => clientKeyOf(callerOf(request as Request))!,
      },
    ],
    // of all routes together
    generateKey: (_context, tracker) => tracker,
  };
}
