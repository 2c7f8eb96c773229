// The ports that tools/dev/new-adapter.mjs starts an adapter for, each with the adapter that it copies.
const USERS = 'apps/users-service/src';
const TESTS = 'apps/users-service/test';
const STUBS = 'apps/sandbox/src/vendors';

/** Files that register a vendor, in the order in which a new one is added. */
const REGISTRATIONS = [
  `${USERS}/config/slices.ts`,
  `${USERS}/config/index.ts`,
  `${USERS}/config/vendor-settings.ts`,
  `${USERS}/integrations/vendors/endpoint-of.ts`,
];

const EVERYWHERE = [
  `${STUBS}/vendors.module.ts`,
  `${TESTS}/support/settings.ts`,
  `${TESTS}/support/vendor-places.config.ts`,
  `${TESTS}/integrations/doctor.spec.ts`,
  'tools/dev/dev-env.mjs',
  'tools/dev/start-texts.mjs',
  'apps/users-service/README.md',
  'apps/sandbox/README.md',
  'deploy/base/users-service/deployment.yaml',
  'deploy/base/doctor/users-service.yaml',
  'docs/kubernetes.md',
  'docs/operations-keys.md',
];

const WEBHOOKS = `${USERS}/integrations/webhooks/webhook-signatures.ts`;
const EKYC = `${USERS}/kyc/ekyc`;
const EKYC_WEBHOOKS = [WEBHOOKS, `${EKYC}/ekyc-webhooks.ts`, `${USERS}/kyc/kyc.module.ts`];

/** Kinds of failure of every port, for the README. */
export const FAILURES = ['misconfigured', 'unavailable', 'timeout', 'refused', 'malformed'];

/**
 * By port:
 * - `source`: the vendor whose adapter is copied, the shortest one of the port;
 * - `adapter`, `stub`: its folder and its controller in the sandbox; files of the same vendor that they import are copied too;
 * - `account`: its endpoint, which all ports of a vendor share;
 * - `contract`: the suite that every adapter of the port passes;
 * - `outcomes`: the outcomes that the port distinguishes, for the README.
 */
export const PORTS = {
  pan: {
    title: 'PAN look-ups',
    source: 'setu',
    port: `${USERS}/kyc/pan/pan-registry.port.ts`,
    adapter: `${USERS}/kyc/pan/adapters/setu`,
    stub: `${STUBS}/setu/setu-pan.controller.ts`,
    account: `${USERS}/integrations/vendors/setu/setu.ts`,
    contract: `${TESTS}/kyc/pan-contract.spec.ts`,
    outcomes: ['not-found', 'not-valid', 'dob-differs', 'verified'],
    registrations: [...REGISTRATIONS, `${USERS}/kyc/pan/adapters/pan-registries.ts`, WEBHOOKS, ...EVERYWHERE],
  },
  bank: {
    title: 'Bank account verifications',
    source: 'setu',
    port: `${USERS}/banking/verification/bank-accounts.port.ts`,
    adapter: `${USERS}/banking/verification/adapters/setu`,
    stub: `${STUBS}/setu/setu-bank.controller.ts`,
    account: `${USERS}/integrations/vendors/setu/setu.ts`,
    contract: `${TESTS}/banking/bank-contract.spec.ts`,
    outcomes: ['valid', 'frozen', 'closed', 'not-usable', 'no-such-account', 'processing', 'put-off'],
    registrations: [
      ...REGISTRATIONS,
      `${USERS}/banking/verification/adapters/bank-adapters.ts`,
      `${USERS}/banking/verification/bank-webhooks.ts`,
      WEBHOOKS,
      ...EVERYWHERE,
    ],
  },
  locker: {
    title: 'Document locker',
    source: 'setu',
    port: `${EKYC}/ekyc-providers.port.ts`,
    adapter: `${EKYC}/adapters/setu`,
    stub: `${STUBS}/setu/setu-locker.controller.ts`,
    account: `${USERS}/integrations/vendors/setu/setu.ts`,
    contract: `${TESTS}/kyc/locker-contract.spec.ts`,
    outcomes: ['open', 'allowed', 'no-aadhaar', 'denied', 'expired'],
    registrations: [...REGISTRATIONS, `${EKYC}/adapters/ekyc-adapters.ts`, ...EKYC_WEBHOOKS, ...EVERYWHERE],
  },
  ekyc: {
    title: 'Hosted eKYC',
    source: 'cashfree',
    port: `${EKYC}/ekyc-providers.port.ts`,
    adapter: `${EKYC}/adapters/cashfree-link`,
    stub: `${STUBS}/cashfree/cashfree-form.controller.ts`,
    account: `${USERS}/integrations/vendors/cashfree/cashfree.ts`,
    contract: `${TESTS}/kyc/hosted-contract.spec.ts`,
    outcomes: ['created', 'opened', 'failed', 'expired', 'verified'],
    registrations: [...REGISTRATIONS, `${EKYC}/adapters/ekyc-adapters.ts`, ...EKYC_WEBHOOKS, ...EVERYWHERE],
  },
  sms: {
    title: 'Short messages',
    source: 'twilio',
    port: `${USERS}/integrations/sms/sms.port.ts`,
    adapter: `${USERS}/integrations/sms/adapters/twilio`,
    stub: `${STUBS}/twilio/twilio.controller.ts`,
    contract: `${TESTS}/integrations/sms-contract.spec.ts`,
    // a message that is sent has no outcome but that
    outcomes: [],
    registrations: [
      `${USERS}/config/slices.ts`,
      `${USERS}/config/sms-settings.ts`,
      `${USERS}/integrations/sms/adapters/sms-adapters.ts`,
      ...EVERYWHERE,
    ],
  },
};
