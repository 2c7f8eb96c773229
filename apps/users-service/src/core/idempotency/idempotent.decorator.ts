import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { IDEMPOTENT_ROUTE, type IdempotentRoute } from './idempotent-calls.js';

/**
 * Answers a repeat with the same `Idempotency-Key` as the first call. Stands above `@Audited()`, so that repeats are recorded,
 * too: the lowest decorator is the outermost interceptor.
 */
export const Idempotent = ({
  isOfSession = false,
  isKeptBriefly = false,
}: Partial<IdempotentRoute> = {}): MethodDecorator =>
  applyDecorators(
    IDEMPOTENT_ROUTE({ isOfSession, isKeptBriefly }),
    UseInterceptors(IdempotencyInterceptor),
    ApiExtension('x-idempotent', true),
  );
