import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Environment } from '@fd/platform';

export const secretText = (): string => randomBytes(32).toString('base64');

/** Returns a JWKS as JSON, with new private keys of these ids. */
export function jwksText(...kids: string[]): string {
  const keys = kids.map((kid) => ({
    ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
    kid,
  }));
  return JSON.stringify({ keys });
}

/** Returns settings with which the service starts; the test supplies the stores. */
export function settings(overrides: Environment = {}): Environment {
  return {
    NODE_ENV: 'test',
    PORT: '0',
    JWT_ISSUER: 'http://localhost:3001',
    JWT_KEYS: jwksText('test-key'),
    REFRESH_TOKEN_SECRET: secretText(),
    OTP_SECRET: secretText(),
    INDEX_SECRET: secretText(),
    PII_KEYS: `k1:${secretText()}`,
    AUDIT_KEYS: `a1:${secretText()}`,
    OTP_TEST_RULES: '9199999000\\d\\d=code:123456;\\d{8}0408=ttl:0',
    SMS_PRIMARY_URL: 'http://127.0.0.1:1/primary',
    SMS_PRIMARY_API_KEY: 'sms-primary-key',
    SMS_FALLBACK_URL: 'http://127.0.0.1:1/fallback',
    SMS_FALLBACK_API_KEY: 'sms-fallback-key',
    SMS_TIMEOUT_MS: '1500',
    ...providerSettings('http://127.0.0.1:1'),
    MAIL_SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'Deposits <no-reply@deposits.example>',
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    REDIS_URL: 'redis://127.0.0.1:1',
    // the tests run in the same process and block the event loop
    MAX_EVENT_LOOP_DELAY_MS: '10000',
    ...overrides,
  };
}

/** Settings with the URLs of all providers below one base URL, as in the sandbox. */
export function providerSettings(base: string): Environment {
  return {
    PAN_REGISTRY_URL: `${base}/providers/pan`,
    PAN_REGISTRY_API_KEY: 'pan-registry-key',
    BANK_VERIFICATION_URL: `${base}/providers/bank`,
    BANK_VERIFICATION_API_KEY: 'bank-verification-key',
    AADHAAR_URL: `${base}/providers/aadhaar`,
    AADHAAR_API_KEY: 'aadhaar-provider-key',
    DOCUMENT_LOCKER_URL: `${base}/providers/locker`,
    DOCUMENT_LOCKER_API_KEY: 'document-locker-key',
    EKYC_URL: `${base}/providers/ekyc`,
    EKYC_API_KEY: 'ekyc-provider-key',
    ISSUER_API_URL: `${base}/issuers`,
    ISSUER_API_KEY: 'issuers-common-key',
  };
}

/**
 * Settings with the URLs of the vendors that serve several products, below the same base URL. The sandbox charges these
 * accounts for each read of an Aadhaar: whether vendors do is not documented.
 */
export function vendorSettings(base: string): Environment {
  return {
    CASHFREE_URL: `${base}/vendors/cashfree/verification`,
    CASHFREE_CLIENT_ID: 'cashfree-id',
    CASHFREE_CLIENT_SECRET: 'cashfree-secret!charge-each-read',
    SETU_URL: `${base}/vendors/setu`,
    SETU_CLIENT_ID: 'setu-id',
    SETU_CLIENT_SECRET: 'setu-secret!charge-each-read',
    SETU_PAN_PRODUCT_ID: 'setu-pan-product',
    SETU_BANK_PRODUCT_ID: 'setu-bank-product',
    SETU_LOCKER_PRODUCT_ID: 'setu-locker-product',
    LOCKER_RETURN_URL: 'https://app.deposits.example/returned',
  };
}
