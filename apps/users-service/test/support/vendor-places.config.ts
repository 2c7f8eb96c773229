import type { Environment } from '@fd/platform';
import { sandboxUrl } from './sandbox.config.js';

/** Limit of a test that may ask a vendor's own sandbox. */
export const LIVE_LIMIT_MS = 60_000;

/** A vendor, as the contract suites reach it. */
interface Vendor {
  /** The setting of its URL; below it there is `own`, the vendor's own test environment, if all customers share one. */
  readonly url: string;
  readonly own?: string;
  readonly stub: string;
  /** Settings of an account, and their values at the stub. */
  readonly account: Readonly<Record<string, string>>;
}

const VENDORS = {
  cashfree: {
    url: 'CASHFREE_URL',
    own: 'https://sandbox.cashfree.com/verification',
    stub: '/vendors/cashfree/verification',
    account: { CASHFREE_CLIENT_ID: 'id', CASHFREE_CLIENT_SECRET: 'secret' },
  },
  'setu-pan': setu('SETU_PAN_PRODUCT_ID'),
  'setu-bank': setu('SETU_BANK_PRODUCT_ID'),
  'setu-locker': setu('SETU_LOCKER_PRODUCT_ID'),
  twilio: {
    url: 'TWILIO_URL',
    own: 'https://api.twilio.com',
    stub: '/vendors/twilio',
    account: { TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`, TWILIO_AUTH_TOKEN: 'token' },
  },
  msg91: {
    url: 'MSG91_URL',
    own: 'https://control.msg91.com/api/v5',
    stub: '/vendors/msg91/api/v5',
    // it has no test numbers: a message to this phone is delivered and charged
    account: { MSG91_AUTH_KEY: 'key', MSG91_TEMPLATE_ID: 'login_otp', MSG91_PHONE: '919812345678' },
  },
  aws: {
    // that of the region
    url: 'AWS_SMS_URL',
    stub: '/vendors/aws',
    account: {
      AWS_SMS_REGION: 'ap-south-1',
      AWS_SMS_ORIGINATION: 'FDEPOS',
      AWS_SMS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      AWS_SMS_SECRET_ACCESS_KEY: 'secret',
      SMS_DLT_ENTITY_ID: '1101234567890123456',
      SMS_DLT_TEMPLATE_ID: '1107123456789012345',
    },
  },
  fineract: {
    url: 'FINERACT_URL',
    stub: '/vendors/fineract/fineract-provider/api',
    account: {
      FINERACT_TENANT: 'aravalli',
      FINERACT_USER: 'deposits',
      FINERACT_PASSWORD: 'its-password',
      FINERACT_OFFICE_ID: '7',
    },
  },
} as const satisfies Readonly<Record<string, Vendor>>;
export type VendorName = keyof typeof VENDORS;

function setu(product: string) {
  return {
    url: 'SETU_URL',
    own: 'https://dg-sandbox.setu.co',
    stub: '/vendors/setu',
    account: { SETU_CLIENT_ID: 'id', SETU_CLIENT_SECRET: 'secret', [product]: 'product' },
  };
}

/** A place at which a contract suite asks a vendor. */
interface VendorPlace {
  readonly where: "the sandbox's stub" | "the vendor's own sandbox";
  readonly account: Environment;
  /** Milliseconds between two polls: a vendor takes seconds for what the stub knows at once. */
  readonly pauseMs: number;
}

/**
 * Returns the places of a vendor: always the stub, and the vendor's own sandbox if the environment has an account
 * there. Each setting of the account is read from a variable with the prefix `LIVE_`, and so is the URL, which may be
 * left out if the vendor has one test environment for all customers.
 */
export function placesOf(name: VendorName, environment: Environment = process.env): readonly VendorPlace[] {
  const { url, stub, account } = VENDORS[name];
  const values = { [url]: `${sandboxUrl()}${stub}`, ...account };
  const live = Object.fromEntries(Object.entries(values).map(([key, value]) => [`LIVE_${key}`, value]));
  const own = accountIn(environment, VENDORS[name]);
  return [
    { where: "the sandbox's stub", account: accountIn(live, VENDORS[name])!, pauseMs: 100 },
    ...(own ? [{ where: "the vendor's own sandbox", account: own, pauseMs: 2_000 } as const] : []),
  ];
}

/** Returns the settings of an account; undefined if a variable is missing. */
function accountIn(environment: Environment, { url, own, account }: Vendor): Environment | undefined {
  const given = [url, ...Object.keys(account)].map((key) => {
    const value = environment[`LIVE_${key}`];
    return [key, key === url ? (value ?? own) : value] as const;
  });
  return given.every(([, value]) => value) ? Object.fromEntries(given) : undefined;
}
