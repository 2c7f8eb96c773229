import type { ServiceDefinition } from '@fd/platform';

/** The definition for the platform. The API document covers the sandbox's own routes, not the played APIs. */
export const SANDBOX: ServiceDefinition = {
  name: 'sandbox',
  heapGrowthPercent: 80,
  api: {
    title: 'Sandbox',
    description:
      'Plays the external services for development and demonstrations. These are its own routes. The README describes the APIs that it plays (SMS, mail, eKYC, banks, issuers, ...).',
    version: '1.0.0',
    tags: {},
    security: 'none',
    commonErrors: [],
  },
  // some calls are meant to hang
  isUnlimited: true,
  // an open console polls them
  polledRoutes: [
    '/api/messages',
    '/api/ekyc',
    '/api/locker',
    '/api/effects',
    '/api/wire',
    '/api/clock',
    '/api/partner-events',
    '/api/partner-events/deliveries',
  ],
};
