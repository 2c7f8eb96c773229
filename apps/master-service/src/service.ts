import { join } from 'node:path';
import { ApiKeyErrors, MasterErrors } from '@fd/errors';
import type { ServiceDefinition } from '@fd/platform';

/** Name and document of this service, in production and in tests. */
export const MASTER_SERVICE: ServiceDefinition = {
  name: 'master-service',
  // a smaller young generation would make a quote a tenth slower, since it creates much garbage
  heapGrowthPercent: 80,
  api: {
    title: 'Fixed-deposit onboarding: master service',
    description: [
      'Issuers of fixed deposits, their products, and maturity quotes. Frontends use it before the journey of users-service.',
      '1. `GET /api/v1/issuers` lists the issuers, `GET /detail/{issuer_uuid}` the products of one.\n2. `GET /api/v1/compare` quotes a deposit with all issuers, `GET /api/v1/detail/maturity-amount/{issuer_code}` with one.\n3. `GET /api/v1/fact-sheet/{issuer_code}` has everything that a depositor should know before booking.',
      'Every call carries the header `apikey`, with a key that the operator has made (`api-keys create`). Services of `npm start` and of `docker/compose.yaml` accept `sandbox-api-key`.',
      'Answers have the envelope `{success, statusCode, message, payload, error}`; only the maturity quote has none. Branch on `error[0].errorCode`, show `f_error_message`.',
    ].join('\n\n'),
    version: '1',
    tags: {
      Issuers: 'Issuers and their deposits.',
      Quotes: 'Maturity quotes of one issuer, or compared over all.',
      'Fact sheets': 'One page about a deposit: interest, tax, insurance, premature withdrawal, nominee.',
      Errors: 'The error catalogue as data.',
      Operations: 'Probes for the platform that runs the service.',
    },
    examplesFile: join(import.meta.dirname, '../openapi/examples.json'),
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
