import { GeneralErrors, IdempotencyErrors, SessionErrors } from '@fd/errors';
import type { ServiceDefinition } from '@fd/platform';

/** Name and document of this service, the same in production and under test. */
export const USERS_SERVICE: ServiceDefinition = {
  name: 'users-service',
  // much is alive (the ORM, many modules), little garbage made: 20 MiB less than with 80, for a hardly measurable price
  heapGrowthPercent: 40,
  api: {
    title: 'Fixed-deposit onboarding: user service',
    description:
      'The journey of a new customer. Every answer has the envelope {success, statusCode, message, payload, error}; error codes are listed at /api/v1/error-codes.',
    version: '1',
    security: 'bearer',
    commonErrors: [
      SessionErrors.tokenMissing,
      SessionErrors.tokenMalformed,
      SessionErrors.tokenInvalid,
      SessionErrors.tokenExpired,
      SessionErrors.ended,
      GeneralErrors.tooManyRequests,
      GeneralErrors.internal,
      GeneralErrors.unavailable,
    ],
    unreadable: GeneralErrors.requestUnreadable,
    idempotencyErrors: [
      GeneralErrors.fieldInvalid,
      IdempotencyErrors.callRunning,
      IdempotencyErrors.keyReused,
    ],
  },
};
