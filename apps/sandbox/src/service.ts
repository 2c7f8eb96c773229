import type { ServiceDefinition } from '@fd/platform';

/** What the platform is told about this process; the document covers the inbox, not the providers it plays. */
export const SANDBOX: ServiceDefinition = {
  name: 'sandbox',
  heapGrowthPercent: 80,
  api: {
    title: 'Sandbox',
    description:
      'The outside world for development and demonstrations. These are the routes to look into it; what it plays (SMS, mail, eKYC, banks, issuers, ...) speaks the wire formats of others, described in its README.',
    version: '1.0.0',
    security: 'none',
    commonErrors: [],
  },
  // hanging is part of what it plays
  isUnhurried: true,
  // an open console looks every second or two
  polledRoutes: ['/api/messages', '/api/ekyc', '/api/locker', '/api/effects'],
};
