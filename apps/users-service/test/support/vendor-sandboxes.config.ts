import type { Environment } from '@fd/platform';

/** Returns the settings for a vendor's own sandbox, or undefined if the environment holds no credentials. */
function given(names: readonly string[], url: Environment): Environment | undefined {
  const found = names.map((name) => [name, process.env[`FD_TEST_${name}`]] as const);
  return found.every(([, value]) => value) ? { ...url, ...Object.fromEntries(found) } : undefined;
}

/** Settings by provider of BANK_PROVIDERS; each is read from `FD_TEST_` and its name. */
export const VENDOR_SANDBOXES: Readonly<Record<string, Environment | undefined>> = {
  cashfree: given(['CASHFREE_CLIENT_ID', 'CASHFREE_CLIENT_SECRET'], {
    CASHFREE_URL: 'https://sandbox.cashfree.com/verification',
  }),
  setu: given(['SETU_CLIENT_ID', 'SETU_CLIENT_SECRET', 'SETU_BANK_PRODUCT_ID'], {
    SETU_URL: 'https://dg-sandbox.setu.co',
  }),
};
