import type { Environment } from '@fd/platform';

/** Settings with which a vendor's own sandbox is reached; undefined without credentials in the environment. */
function given(names: readonly string[], url: Environment): Environment | undefined {
  const found = names.map((name) => [name, process.env[`FD_TEST_${name}`]] as const);
  return found.every(([, value]) => value) ? { ...url, ...Object.fromEntries(found) } : undefined;
}

/** By provider of BANK_PROVIDERS: `FD_TEST_` and the name of each setting. */
export const VENDOR_SANDBOXES: Readonly<Record<string, Environment | undefined>> = {
  cashfree: given(['CASHFREE_CLIENT_ID', 'CASHFREE_CLIENT_SECRET'], {
    CASHFREE_URL: 'https://sandbox.cashfree.com/verification',
  }),
  setu: given(['SETU_CLIENT_ID', 'SETU_CLIENT_SECRET', 'SETU_BANK_PRODUCT_ID'], {
    SETU_URL: 'https://dg-sandbox.setu.co',
  }),
};
