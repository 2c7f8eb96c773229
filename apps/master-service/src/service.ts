import { ApiKeyErrors, MasterErrors } from '@fd/errors';
import type { ServiceDefinition } from '@fd/platform';

/** Name and document of this service, the same in production and under test. */
export const MASTER_SERVICE: ServiceDefinition = {
  name: 'master-service',
  // less would cost a quote a tenth: it makes much garbage
  heapGrowthPercent: 80,
  api: {
    title: 'Fixed-deposit onboarding: master service',
    description:
      'Deposit issuers, what they sell, and maturity quotes. Every call carries the header apikey. Answers have the envelope {success, statusCode, message, payload, error}; the maturity quote has none.',
    version: '1',
    security: 'apikey',
    commonErrors: [
      ApiKeyErrors.missing,
      ApiKeyErrors.invalid,
      MasterErrors.tooManyRequests,
      MasterErrors.internal,
      MasterErrors.unavailable,
    ],
    unreadable: MasterErrors.requestUnreadable,
  },
};
