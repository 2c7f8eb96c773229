import { join } from 'node:path';
import { GeneralErrors, IdempotencyErrors, SessionErrors } from '@fd/errors';
import type { ServiceDefinition } from '@fd/platform';

/** Name and document of this service, the same in production and under test. */
export const USERS_SERVICE: ServiceDefinition = {
  name: 'users-service',
  // the live set is large (ORM, modules) and little garbage is produced: 20 MiB less than with 80, at no measurable cost
  heapGrowthPercent: 40,
  api: {
    title: 'Fixed-deposit onboarding: user service',
    description: [
      'The journey of a new customer of a fixed deposit, from the phone number to a deposit that is ready to book.',
      '1. Log in: `POST /auth/register`, then `POST /auth/api/v2/register/verify`. Send the access token as `Authorization: Bearer`.\n2. Read the next step with `GET /issuer-apis/{issuer_slug}/v1/journey`. Each step names its call and the JSON Schema of its body.\n3. Make that call, show a refusal beside its field, and read the journey again.\n4. `GET /issuer-apis/{issuer_slug}/v1/booking-check` says whether the deposit can be booked, or what is missing.',
      'Every answer has the envelope `{success, statusCode, message, payload, error}`. Branch on `error[0].errorCode`, show `f_error_message`. [All error codes](/api/v1/error-codes) as data.',
      'A POST may carry an `Idempotency-Key`: a repeat returns the first answer without a second effect. HTTP 202 means that the work continues: poll after `Retry-After` seconds.',
    ].join('\n\n'),
    version: '1',
    tags: {
      Login: 'A one-time code by SMS, and tokens.',
      Session: 'Refresh and verify tokens, list and end sessions.',
      Journey: 'The status of each step, and the call and fields that complete it.',
      Issuer: 'Calls before the eKYC: existing customer, lead, KYC context.',
      PAN: 'The tax number of the user, verified with its registry. A slow registry is answered with 202.',
      eKYC: 'Verification of identity: on a hosted page, with an Aadhaar code, or from a document locker.',
      Email: 'A verified address of the user.',
      'Personal details': 'Personal details and declarations that the issuer requires.',
      Bank: 'The account that pays and is paid: verified at the bank, registered with the issuer. A slow bank is answered with 202.',
      Nominee: 'Who receives the deposit after the death of the depositor.',
      Booking: 'The end of the journey: whether the deposit can be booked.',
      Profile: "The user's data, masked.",
      Consents: 'Consents with their notices, and their withdrawal.',
      Insights: 'Events of the frontend, such as the choice of a deposit.',
      Errors: 'The error catalogue as data.',
      Events: 'For backends of partners, not for frontends: every outcome, signed and in order.',
      Webhooks: 'For vendors, not for frontends: signed notices that a verification has changed.',
      Operations: 'Probes for the platform that runs the service.',
    },
    examplesFile: join(import.meta.dirname, '../openapi/examples.json'),
    security: 'bearer',
    otherBearers: { backendKey: 'The key of a backend of a partner, `fdb_...`, from an operator.' },
    commonErrors: [
      SessionErrors.tokenMissing,
      SessionErrors.tokenMalformed,
      SessionErrors.tokenInvalid,
      SessionErrors.tokenExpired,
      SessionErrors.ended,
      SessionErrors.unconfirmed,
      SessionErrors.unshared,
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
