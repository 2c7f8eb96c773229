import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { timeLimit } from '@fd/envelope';
import { ConfigError, databaseConfig, type Environment } from '@fd/platform';
import { jwksText, providerSettings, secretText, settings } from '../../test/support/settings.js';
import { SMS_TEXTS } from './sms-templates.js';
import { keysConfig, piiConfig, USERS_SETTINGS, usersConfig } from './users-config.js';

/** The problems that the settings have. */
function problemsOf(environment: Environment): string {
  try {
    usersConfig(environment);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
}

const REGISTERED = JSON.stringify({
  login_otp: {
    text: SMS_TEXTS.login_otp.replace(/\{\w+\}/g, '{#numeric#}'),
    dlt_template_id: '1107123456789012345',
    msg91_template_id: 'flow1',
  },
  pan_taken_over: {
    text: SMS_TEXTS.pan_taken_over,
    dlt_template_id: '1107123456789012346',
    msg91_template_id: 'flow2',
  },
});

const production = (overrides: Environment = {}): Environment =>
  settings({
    NODE_ENV: 'production',
    OTP_TEST_RULES: '',
    JWT_ISSUER: 'https://users.example',
    SMS_PRIMARY_URL: 'https://sms-one.example/send',
    SMS_FALLBACK_URL: 'https://sms-two.example/send',
    SMS_TEMPLATES: REGISTERED,
    ...providerSettings('https://providers.example'),
    DATABASE_URL: 'postgres://db.example/fd?sslmode=verify-full',
    REDIS_URL: 'rediss://:its-own-password@redis.example',
    ...overrides,
  });

/** AWS for short messages, with credentials that the SDK finds. */
const AWS = {
  SMS_PROVIDERS: 'aws',
  SMS_DLT_ENTITY_ID: '1101123456789012345',
  AWS_SMS_REGION: 'ap-south-1',
  AWS_SMS_ORIGINATION: 'arn:aws:sms-voice:ap-south-1:123456789012:sender-id/FDEPOS/IN',
};
const AWS_KEYS = {
  AWS_SMS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SMS_SECRET_ACCESS_KEY: 'its-own-secret',
};

const VERIFICATION_VENDORS = {
  PAN_PROVIDERS: 'cashfree, setu',
  BANK_PROVIDERS: 'setu',
  LOCKER_PROVIDERS: 'setu, cashfree',
  LOCKER_RETURN_URL: 'https://app.deposits.example/returned',
  EKYC_PROVIDERS: 'cashfree, hosted',
  CASHFREE_CLIENT_ID: 'cashfree-client',
  CASHFREE_CLIENT_SECRET: 'cashfree-secret',
  SETU_CLIENT_ID: 'setu-client',
  SETU_CLIENT_SECRET: 'setu-client-secret',
  SETU_PAN_PRODUCT_ID: 'pan-product',
  SETU_BANK_PRODUCT_ID: 'bank-product',
  SETU_LOCKER_PRODUCT_ID: 'locker-product',
};

const WITHOUT_OWN_FORMATS = {
  PAN_REGISTRY_URL: '',
  PAN_REGISTRY_API_KEY: '',
  BANK_VERIFICATION_URL: '',
  BANK_VERIFICATION_API_KEY: '',
  DOCUMENT_LOCKER_URL: '',
  DOCUMENT_LOCKER_API_KEY: '',
};

/** Settings with which an issuer is reached over Fineract. */
const fineractAt = (slug: string, changes: object = {}): Environment => ({
  ISSUER_API_OVERRIDES: JSON.stringify({
    [slug]: {
      api: 'fineract',
      url: 'https://cbs.example/fineract-provider/api/',
      tenant: 'kaveri',
      user: 'deposits',
      password: 'its-own-password',
      ...changes,
    },
  }),
});

const WITHOUT_USER = { user: undefined, password: undefined };
const WITH_TOKEN = {
  ...WITHOUT_USER,
  token_url: 'https://idp.example/token',
  client_id: 'fd',
  client_secret: 'its-own-secret',
};

/** Published settings of docker/example.env. */
const EXAMPLES = parseEnv(
  readFileSync(resolve(__dirname, '../../../../docker/example.env'), 'utf8'),
) as Record<string, string>;
const PUBLISHED_PASSWORD = new URL(EXAMPLES['DATABASE_URL']!).password;
const EXAMPLE_SECRETS = USERS_SETTINGS.filter(
  (name) => name in EXAMPLES && (/KEY|SECRET/.test(name) || /:\/\/[^/]*@/.test(EXAMPLES[name]!)),
);

describe('usersConfig', () => {
  it('accepts complete settings, in production too', () => {
    expect(problemsOf(settings())).toBe('');
    expect(problemsOf(production())).toBe('');
    const vendors = {
      SMS_PROVIDERS: 'msg91, twilio',
      MSG91_AUTH_KEY: 'its-auth-key-1',
      TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      TWILIO_AUTH_TOKEN: 'its-auth-token',
      TWILIO_FROM: 'FDEPOS',
    };
    const needless = {
      SMS_PRIMARY_URL: '',
      SMS_PRIMARY_API_KEY: '',
      SMS_FALLBACK_URL: '',
      SMS_FALLBACK_API_KEY: '',
    };
    expect(problemsOf(production({ ...needless, ...vendors }))).toBe('');
    expect(problemsOf(production({ ...needless, ...AWS }))).toBe('');
    expect(problemsOf(production({ ...needless, ...AWS, ...AWS_KEYS }))).toBe('');
    expect(problemsOf(production({ ...WITHOUT_OWN_FORMATS, ...VERIFICATION_VENDORS }))).toBe('');
  });

  it('reports all missing settings together', () => {
    const problems = problemsOf({});
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'JWT_KEYS', 'OTP_SECRET', 'INDEX_SECRET', 'PII_KEYS']) {
      expect(problems).toContain(`${name}: is not set`);
    }
    for (const name of [
      'SMS_PRIMARY_URL',
      'SMS_FALLBACK_API_KEY',
      'PAN_REGISTRY_URL',
      'BANK_VERIFICATION_API_KEY',
      'AADHAAR_URL',
      'AADHAAR_API_KEY',
    ])
      expect(problems).toContain(`${name}: is required`);
  });

  const [sameSecret, ownSecret] = [secretText(), secretText()];
  const twice = (jwks: string): string => {
    const [key] = (JSON.parse(jwks) as { keys: object[] }).keys;
    return JSON.stringify({ keys: [key, { ...key, kid: 'b' }] });
  };
  const CLUSTER = { REDIS_CLUSTER: 'true' };
  it.each<[string, Environment, RegExp]>([
    ['a short secret', { OTP_SECRET: 'c2hvcnQ=' }, /OTP_SECRET: must be base64/],
    [
      'a secret that is a placeholder',
      { INDEX_SECRET: Buffer.alloc(32, 'x').toString('base64') },
      /INDEX_SECRET/,
    ],
    [
      'a list of secrets with a short one',
      { OTP_SECRET: `${secretText()},c2hvcnQ=` },
      /OTP_SECRET: must be base64/,
    ],
    [
      'a list of secrets with an empty one',
      { REFRESH_TOKEN_SECRET: `${secretText()},` },
      /REFRESH_TOKEN_SECRET/,
    ],
    [
      'a provider of short messages that we do not know',
      { SMS_PROVIDERS: 'msg91,pigeon' },
      /SMS_PROVIDERS: must/,
    ],
    ['a provider of short messages twice', { SMS_PROVIDERS: 'primary,primary' }, /SMS_PROVIDERS: must/],
    ['MSG91 without a key', { SMS_PROVIDERS: 'msg91' }, /MSG91_AUTH_KEY: is required/],
    [
      'MSG91 without its templates',
      { SMS_PROVIDERS: 'msg91', MSG91_AUTH_KEY: 'k' },
      /SMS_TEMPLATES: each template/,
    ],
    ['Twilio without an account', { SMS_PROVIDERS: 'twilio' }, /TWILIO_ACCOUNT_SID: is required/],
    ['AWS without a region', { ...AWS, AWS_SMS_REGION: '' }, /AWS_SMS_REGION: is required: SMS_PROVIDERS/],
    ['AWS without a sender', { ...AWS, AWS_SMS_ORIGINATION: '' }, /AWS_SMS_ORIGINATION: is required/],
    ['AWS without our registration', { ...AWS, SMS_DLT_ENTITY_ID: '' }, /SMS_DLT_ENTITY_ID: is required/],
    ['AWS without its templates', AWS, /SMS_TEMPLATES: each template must have its dlt_template_id/],
    ['an invalid AWS region', { ...AWS, AWS_SMS_REGION: 'mumbai' }, /AWS_SMS_REGION/],
    [
      'half of a pair of keys of AWS',
      { ...AWS, AWS_SMS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE' },
      /AWS_SMS_ACCESS_KEY_ID: must be set together/,
    ],
    ['a PAN provider that we do not know', { PAN_PROVIDERS: 'setu,pigeon' }, /PAN_PROVIDERS: must/],
    ['a PAN provider twice', { PAN_PROVIDERS: 'setu,setu' }, /PAN_PROVIDERS: must/],
    ['Setu without a key', { PAN_PROVIDERS: 'setu' }, /SETU_CLIENT_SECRET: is required/],
    [
      'Setu without the product that is used',
      { ...VERIFICATION_VENDORS, SETU_BANK_PRODUCT_ID: '' },
      /SETU_BANK_PRODUCT_ID: is required: BANK_PROVIDERS names setu/,
    ],
    [
      'a locker of a vendor without an address to return to',
      { ...VERIFICATION_VENDORS, LOCKER_PROVIDERS: 'setu', LOCKER_RETURN_URL: '' },
      /LOCKER_RETURN_URL: is required: LOCKER_PROVIDERS names setu/,
    ],
    [
      'an address to return to that is not https',
      { LOCKER_RETURN_URL: 'http://app.deposits.example/' },
      /LOCKER_RETURN_URL/,
    ],
    [
      'a document locker without an address',
      { DOCUMENT_LOCKER_URL: '' },
      /DOCUMENT_LOCKER_URL: is required: LOCKER_PROVIDERS names locker/,
    ],
    [
      'hosted eKYC without a key',
      { EKYC_API_KEY: '' },
      /EKYC_API_KEY: is required: EKYC_PROVIDERS names hosted/,
    ],
    ['hosted eKYC of a vendor that has none here', { EKYC_PROVIDERS: 'setu' }, /EKYC_PROVIDERS: must/],
    ['a template without a name', { CASHFREE_KYC_TEMPLATE: '\n' }, /CASHFREE_KYC_TEMPLATE/],
    ['an id that no header takes', { CASHFREE_CLIENT_ID: 'two\nlines' }, /CASHFREE_CLIENT_ID/],
    ...[
      'https://app.example',
      'app.example:443',
      'App.example',
      'localhost',
      'app..example',
      'bücher.example',
    ].map((domain): [string, Environment, RegExp] => [
      `the domain ${domain} for autofill`,
      { SMS_AUTOFILL_DOMAIN: domain },
      /SMS_AUTOFILL_DOMAIN: /,
    ]),
    ['templates that are no JSON', { SMS_TEMPLATES: 'no JSON at all' }, /SMS_TEMPLATES: must be JSON/],
    ['an unknown template', { SMS_TEMPLATES: '{"hello":{"text":"x"}}' }, /SMS_TEMPLATES: must be JSON/],
    ['an empty NODE_ENV', { NODE_ENV: '' }, /NODE_ENV: must be development, test or production/],
    ['an unknown NODE_ENV', { NODE_ENV: 'prod' }, /NODE_ENV: must be development, test or production/],
    [
      'a secret that is another one backwards',
      {
        OTP_SECRET: sameSecret,
        INDEX_SECRET: Buffer.from(sameSecret, 'base64').reverse().toString('base64'),
      },
      /must be different/,
    ],
    ['one secret twice', { OTP_SECRET: `${sameSecret},${sameSecret}` }, /must be different/],
    [
      'a former secret for another purpose',
      { OTP_SECRET: `${secretText()},${sameSecret}`, PII_KEYS: `k1:${sameSecret}` },
      /must be different/,
    ],
    ['a secret that is no base64', { INDEX_SECRET: '!'.repeat(60) }, /INDEX_SECRET/],
    [
      'one secret for two purposes',
      { OTP_SECRET: sameSecret, INDEX_SECRET: sameSecret },
      /must be different/,
    ],
    ['a PII key of 16 bytes', { PII_KEYS: 'k1:AAAAAAAAAAAAAAAAAAAAAA==' }, /PII_KEYS/],
    [
      'a PII key that is a placeholder',
      { PII_KEYS: `k1:${Buffer.alloc(32).toString('base64')}` },
      /PII_KEYS/,
    ],
    ['two PII keys of one id', { PII_KEYS: `k1:${secretText()},k1:${secretText()}` }, /PII_KEYS/],
    ['keys that are no JSON', { JWT_KEYS: 'key' }, /JWT_KEYS/],
    ['no key', { JWT_KEYS: '{"keys":[]}' }, /JWT_KEYS/],
    ['two keys of one id', { JWT_KEYS: jwksText('a', 'a') }, /JWT_KEYS/],
    ['one key under two ids', { JWT_KEYS: twice(jwksText('a')) }, /JWT_KEYS: .* all different/],
    ['a database URL of another kind', { DATABASE_URL: 'mysql://x' }, /DATABASE_URL/],
    ['two Redis that are no cluster', { REDIS_URL: 'redis://a,redis://b' }, /REDIS_URL: must be one URL/],
    [
      'a node of another kind',
      { ...CLUSTER, REDIS_URL: 'redis://a,rediss://b' },
      /REDIS_URL: must be one URL/,
    ],
    [
      'a node with another password',
      { ...CLUSTER, REDIS_URL: 'redis://:x@a,redis://:y@b' },
      /REDIS_URL: must/,
    ],
    ['a database of a cluster', { ...CLUSTER, REDIS_URL: 'redis://a/1' }, /REDIS_URL: must be one URL/],
    ['a malformed Redis URL', { ...CLUSTER, REDIS_URL: 'redis://a,http://b' }, /REDIS_URL: must/],
    [
      'a prefix that would choose a slot',
      { REDIS_KEY_PREFIX: '{}' },
      /REDIS_KEY_PREFIX: must have no braces/,
    ],
    [
      'fact sheets that must be shown, without the keys of their signatures',
      { FACT_SHEET_REQUIRED: 'kaveri', FACT_SHEET_KEYS: '' },
      /FACT_SHEET_KEYS: must be set: kaveri/,
    ],
    ['a test rule of no form', { OTP_TEST_RULES: '91.*=code:12' }, /OTP_TEST_RULES/],
    ['a test rule of no pattern', { OTP_TEST_RULES: '(=ttl:0' }, /OTP_TEST_RULES/],
    ['a clock at no address', { CLOCK_URL: 'sandbox' }, /CLOCK_URL: must be a URL/],
    ['an invalid port', { PORT: '70000' }, /PORT/],
    [
      'more connections of one address than of all',
      { MAX_CONNECTIONS: '10', MAX_CONNECTIONS_PER_ADDRESS: '11' },
      /MAX_CONNECTIONS_PER_ADDRESS: must not be more than MAX_CONNECTIONS/,
    ],
    ['sentinels that are no hosts', { REDIS_SENTINELS: 'redis://a:1' }, /REDIS_SENTINELS: must be hosts/],
    [
      'sentinels of a cluster',
      { REDIS_SENTINELS: 'a:1', REDIS_CLUSTER: 'true' },
      /REDIS_SENTINELS: must not be set with/,
    ],
    ['a password of no sentinels', { REDIS_SENTINEL_PASSWORD: 'x' }, /REDIS_SENTINELS: must be set/],
    ['certificates that cannot be read', { REDIS_CA_FILE: '/none.pem' }, /REDIS_CA_FILE: must be a file/],
    ...['statement_timeout=0', 'options=-c%20lock_timeout%3D0', 'password=x'].map(
      (query): [string, Environment, RegExp] => [
        `settings of PostgreSQL in its URL: ${query}`,
        { DATABASE_URL: `postgres://db.example/fd?sslmode=verify-full&${query}` },
        /DATABASE_URL: must have only host, port, ssl, sslmode/,
      ],
    ),
    ['a pooler of another kind', { DATABASE_POOLER: 'session' }, /DATABASE_POOLER: must be none or/],
    ['a switch that is neither on nor off', { STRICT_JOURNEY: 'yes' }, /STRICT_JOURNEY: must be true/],
    ['issuers that are no JSON', { ISSUER_API_OVERRIDES: 'kaveri' }, /ISSUER_API_OVERRIDES: must be JSON/],
    ['an issuer without its key', { ISSUER_API_OVERRIDES: '{"kaveri":{"url":"http://a"}}' }, /ISSUER_API_OV/],
    ['a mail server over HTTP', { MAIL_SMTP_URL: 'http://mail' }, /MAIL_SMTP_URL/],
    [
      'an unknown wire format of an issuer',
      { ISSUER_API_OVERRIDES: '{"kavari":{"url":"https://kaveri.example","api_key":"its-key"}}' },
      /ISSUER_API_OVERRIDES: must name aravalli, .* only/,
    ],
    ...['?ignoreTLS=true', '/?tls.rejectUnauthorized=false', '#x?debug=true'].map(
      (query): [string, Environment, RegExp] => [
        `options of the mailer in its URL: ${query}`,
        { MAIL_SMTP_URL: `smtps://user:pass%3F@mail.example${query}` },
        /MAIL_SMTP_URL: must have no query/,
      ],
    ),
    ['tries that outlast the leases of the worker', { PROVIDER_TIMEOUT_MS: '1001' }, /PROVIDER_TIMEOUT_MS/],
    ['a sender of two lines', { MAIL_FROM: 'a@b.example\r\nBcc: c@d.example' }, /MAIL_FROM/],
  ])('refuses %s, without repeating it', (_name, overrides, problem) => {
    const problems = problemsOf(settings(overrides));
    expect(problems).toMatch(problem);
    const parts = Object.values(overrides).flatMap((value) => [value!, ...value!.split(/[,:"]/)]);
    for (const part of parts.filter(({ length }) => length >= 8)) expect(problems).not.toContain(part);
  });

  it.each<[string, Environment, RegExp]>([
    [
      'a Fineract without a tenant',
      fineractAt('kaveri', { tenant: undefined }),
      /ISSUER_API_OV.*must be JSON/,
    ],
    ['a Fineract with a key of ours', fineractAt('kaveri', { api_key: 'its-key' }), /ISSUER_API_OV.*must be/],
    [
      'calls to Fineract that outlast the lease of the worker',
      fineractAt('kaveri', { timeout_ms: 4_001 }),
      /ISSUER_API_OV.*must be JSON/,
    ],
    ['an unknown kind of API', fineractAt('kaveri', { api: 'finacle' }), /ISSUER_API_OV.*must be JSON/],
    [
      'a Fineract with a user and a token endpoint',
      fineractAt('kaveri', {
        token_url: 'https://idp.example',
        client_id: 'fd',
        client_secret: 'its-own-password',
      }),
      /ISSUER_API_OV.*must be JSON/,
    ],
    [
      'a token endpoint without a secret',
      fineractAt('kaveri', { ...WITHOUT_USER, token_url: 'https://idp.example', client_id: 'fd' }),
      /ISSUER_API_OV.*must be JSON/,
    ],
    ['a user with a colon', fineractAt('kaveri', { user: 'deposits:fd' }), /ISSUER_API_OV.*must be JSON/],
    ['leads over Fineract', fineractAt('sahyadri'), /ISSUER_API_OVERRIDES: must not reach sahyadri over Fi/],
  ])('refuses %s, without its password', (_name, overrides, problem) => {
    const problems = problemsOf(settings(overrides));
    expect(problems).toMatch(problem);
    expect(problems).not.toContain('its-own-password');
  });

  it.each<[string, Environment]>([
    ['the smallest limits of codes', { OTP_SENDS_PER_HOUR: '1', OTP_MIN_CONVERSION_PERCENT: '1' }],
    ['stores of this machine', { DATABASE_URL: 'postgres://localhost/fd?sslmode=verify-full' }],
    ...[
      'localhost.example',
      'ip6-localhost.example',
      '[64:ff9b::8f00:1]',
      '[2002:7e00:1::1]',
      '[::8f00:1]',
    ].map((host): [string, Environment] => [
      `a provider whose host only looks like this machine: ${host}`,
      { PAN_REGISTRY_URL: `https://${host}/` },
    ]),
    [
      'one key for several products of a company that serves our own formats',
      { PAN_REGISTRY_API_KEY: 'key-of-both-products', EKYC_API_KEY: 'key-of-both-products' },
    ],
    ['a collector in the cluster', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector.monitoring:4318' }],
    ['all connections for one address', { MAX_CONNECTIONS: '10', MAX_CONNECTIONS_PER_ADDRESS: '10' }],
    ['a mail server that asks for no password', { MAIL_SMTP_URL: 'smtps://mail.example' }],
  ])('accepts %s in production', (_name, overrides) => {
    expect(problemsOf(production(overrides))).toBe('');
  });

  it('reports problems of single settings and of their combinations together', () => {
    const problems = problemsOf(
      production({ PORT: 'x', OTP_TEST_RULES: '91\\d{10}=ttl:0', DATABASE_URL: undefined }),
    );
    expect(problems).toMatch(/PORT: /);
    expect(problems).toMatch(/DATABASE_URL: is not set/);
    expect(problems).toMatch(/OTP_TEST_RULES: is refused/);
  });

  it.each<[string, Environment, RegExp]>([
    ['a clock that can be moved', { CLOCK_URL: 'https://sandbox.example' }, /CLOCK_URL: is refused/],
    [
      'events to addresses of a private network',
      { EVENTS_TO_LOCAL_ADDRESSES: 'true' },
      /EVENTS_TO_LOCAL_ADDRESSES: is refused/,
    ],
    ['fixed codes', { OTP_TEST_RULES: '9199999000\\d\\d=code:123456' }, /OTP_TEST_RULES: is refused/],
    ['texts that are not registered', { SMS_TEMPLATES: '' }, /SMS_TEMPLATES: login_otp: must be registered/],
    [
      'a text that was registered otherwise',
      { SMS_TEMPLATES: REGISTERED.replace('your code', 'your OTP') },
      /SMS_TEMPLATES: login_otp: must be registered[^]*is your code/,
    ],
    [
      'a text that was registered without the line for the browser',
      { SMS_AUTOFILL_DOMAIN: 'app.deposits.example' },
      /SMS_TEMPLATES: login_otp: must be registered[^]*anyone\.\\n@SMS_AUTOFILL_DOMAIN #\{code\}/,
    ],
    ['MSG91 in clear', { MSG91_URL: 'http://msg91.example' }, /MSG91_URL: must be https/],
    ['AWS in clear', { AWS_SMS_URL: 'http://aws.example' }, /AWS_SMS_URL: must be https/],
    [
      'a secret of AWS that everybody knows',
      { ...AWS, ...AWS_KEYS, AWS_SMS_SECRET_ACCESS_KEY: EXAMPLES['ISSUER_API_KEY'] },
      /AWS_SMS_SECRET_ACCESS_KEY: is or has a published/,
    ],
    ['Cashfree in clear', { CASHFREE_URL: 'http://cashfree.example' }, /CASHFREE_URL: must be https/],
    [
      'a published key of Setu',
      { SETU_CLIENT_SECRET: EXAMPLES['ISSUER_API_KEY'] },
      /SETU_CLIENT_SECRET: is or has a published/,
    ],
    ['messages in clear', { SMS_PRIMARY_URL: 'http://sms.example' }, /SMS_PRIMARY_URL: must be https/],
    [
      'a PAN registry in clear',
      { PAN_REGISTRY_URL: 'http://pan.example' },
      /PAN_REGISTRY_URL: must be https/,
    ],
    ['an issuer in clear', { JWT_ISSUER: 'http://users.example' }, /JWT_ISSUER: must be https/],
    [
      'an issuer’s API in clear',
      {
        ISSUER_API_OVERRIDES:
          '{"aravalli":{"url":"https://a.example","api_key":"a"},"kaveri":{"url":"HTTP://kaveri.example","api_key":"its-key"}}',
      },
      /ISSUER_API_OVERRIDES: must be https/,
    ],
    [
      'Fineract in clear',
      fineractAt('kaveri', { url: 'http://cbs.example' }),
      /ISSUER_API_OVERRIDES: must be h/,
    ],
    [
      'a token endpoint in clear',
      fineractAt('kaveri', { ...WITH_TOKEN, token_url: 'http://idp.example/token' }),
      /ISSUER_API_OVERRIDES: must be https/,
    ],
    [
      'a secret of a client that everybody knows',
      fineractAt('kaveri', { ...WITH_TOKEN, client_secret: EXAMPLES['ISSUER_API_KEY'] }),
      /ISSUER_API_OVERRIDES: is or has a published/,
    ],
    [
      'the password of a new Fineract',
      fineractAt('kaveri', { password: 'password' }),
      /ISSUER_API_OVERRIDES: is or has a published/,
    ],
    [
      'a published password of Fineract',
      fineractAt('kaveri', { password: EXAMPLES['ISSUER_API_KEY'] }),
      /ISSUER_API_OVERRIDES: is or has a published/,
    ],
    [
      'a frontend without TLS',
      { CORS_ORIGINS: 'https://app.example, http://localhost:3000' },
      /CORS_ORIGINS: must be https/,
    ],
    [
      'a secret of ours as the key of a provider',
      { OTP_SECRET: ownSecret, EKYC_API_KEY: ownSecret },
      /secrets and keys: must not be the keys of providers/,
    ],
    [
      'a secret of ours as the password of Redis',
      { INDEX_SECRET: ownSecret, REDIS_URL: `rediss://:${encodeURIComponent(ownSecret)}@redis.example` },
      /secrets and keys: must not be the keys of providers/,
    ],
    [
      'disabled certificate checks',
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      /NODE_TLS_REJECT_UNAUTHORIZED: must not be 0/,
    ],
    ['any page as a frontend', { CORS_ORIGINS: ' * ' }, /CORS_ORIGINS: must name its origins/],
    ['PostgreSQL in clear', { DATABASE_URL: 'postgres://db.example/fd' }, /DATABASE_URL: must use TLS/],
    ['Redis in clear', { REDIS_URL: 'redis://redis.example' }, /REDIS_URL: must use TLS/],
    ...['tls=', 'password=its-own-password', 'path=/tmp/redis'].map(
      (query): [string, Environment, RegExp] => [
        `options of Redis in its URL: ${query}`,
        { REDIS_URL: `rediss://redis.example?${query}` },
        /REDIS_URL: must have no query/,
      ],
    ),
    ...[
      'sslmode=verify-ca&sslrootcert=CA',
      'sslmode=require&sslrootcert=CA',
      'sslmode=verify-full&sslmode=disable',
    ].map((query): [string, Environment, RegExp] => [
      `a certificate of PostgreSQL with any name: ${query}`,
      {
        DATABASE_URL: `postgres://db.example/fd?uselibpqcompat=true&${query.replace('CA', import.meta.filename)}`,
      },
      /DATABASE_URL: must use TLS/,
    ]),
    [
      'an issuer in clear, behind a blank',
      {
        ISSUER_API_OVERRIDES: JSON.stringify({ kaveri: { url: ' http://cbs.example', api_key: ownSecret } }),
      },
      /ISSUER_API_OVERRIDES: must be https/,
    ],
    [
      'a published password of sentinels',
      { REDIS_SENTINELS: 'a:1', REDIS_SENTINEL_PASSWORD: PUBLISHED_PASSWORD },
      /REDIS_SENTINEL_PASSWORD: is or has a published/,
    ],
    [
      'a secret of ours as the password of sentinels',
      { INDEX_SECRET: ownSecret, REDIS_SENTINELS: 'a:1', REDIS_SENTINEL_PASSWORD: ownSecret },
      /secrets and keys: must not be the keys of providers/,
    ],
    ['Redis without a password', { REDIS_URL: 'rediss://redis.example' }, /REDIS_URL: must have a password/],
    [
      'Redis without a password in a private network',
      { REDIS_URL: 'redis://user@redis.example', PRIVATE_NETWORK: 'true' },
      /REDIS_URL: must have a password/,
    ],
    [
      'a node of a cluster with a guessable password',
      { ...CLUSTER, REDIS_URL: 'rediss://:elevenchars@a, rediss://:elevenchars@b' },
      /REDIS_URL: must have a password of at least 12/,
    ],
    [
      'sentinels without a password',
      { REDIS_SENTINELS: 'a:1' },
      /REDIS_SENTINEL_PASSWORD: must have at least/,
    ],
    [
      'PostgreSQL with a guessable password',
      { DATABASE_URL: 'postgres://fd:fd@db.example/fd?sslmode=verify-full' },
      /DATABASE_URL: must have a password of at least 12/,
    ],
    [
      'a mail server with a guessable password',
      { MAIL_SMTP_URL: 'smtps://fd:fd@mail.example' },
      /MAIL_SMTP_URL: must have a password of at least 12/,
    ],
    ...USERS_SETTINGS.filter((name) =>
      /_API_KEY$|_AUTH_(KEY|TOKEN)$|CLIENT_SECRET$|SECRET_ACCESS/.test(name),
    ).flatMap((name) =>
      ['x', 'elevenchars', `x${' '.repeat(20)}`].map((key): [string, Environment, RegExp] => [
        `a short ${name}: ${key}`,
        { [name]: key },
        new RegExp(`${name}: must have at least 12 characters`),
      ]),
    ),
    ...['password1234', 'abc123abc123', '123456789012', 'aabbccddeeff', 'ChangeMe-2026', 'rotavatorrot'].map(
      (key): [string, Environment, RegExp] => [
        `a guessable key: ${key}`,
        { PAN_REGISTRY_API_KEY: key },
        /PAN_REGISTRY_API_KEY: must have at least 12 characters/,
      ],
    ),
    [
      'a guessable password of Redis',
      { REDIS_URL: 'rediss://:password1234@redis.example' },
      /REDIS_URL: must have a password of at least 12/,
    ],
    ...USERS_SETTINGS.filter((name) =>
      /^(MSG91|TWILIO|AWS|CASHFREE|SETU)_.*(KEY|TOKEN|SECRET)$/.test(name),
    ).map((name): [string, Environment, RegExp] => [
      `the key of another provider as ${name}`,
      { [name]: 'key-of-two-vendors', PAN_REGISTRY_API_KEY: 'key-of-two-vendors' },
      new RegExp(`${name}: must not be the key of another provider`),
    ]),
    ...[
      { kaveri: { url: 'https://kaveri.example', api_key: 'x' } },
      { kaveri: { api: 'fineract', url: 'https://cbs.example', tenant: 't', user: 'fd', password: 'x' } },
    ].map((override): [string, Environment, RegExp] => [
      'an issuer with a short key',
      { ISSUER_API_OVERRIDES: JSON.stringify(override) },
      /ISSUER_API_OVERRIDES: its keys and passwords: each must have at least 12/,
    ]),
    [
      'a client of Fineract with a short secret',
      fineractAt('kaveri', { ...WITH_TOKEN, client_secret: 'x' }),
      /ISSUER_API_OVERRIDES: its keys and passwords: each must have/,
    ],
    ...[
      'localhost',
      'LOCALHOST.:8443',
      'pan.localhost',
      '127.0.0.1',
      '127.1',
      '0x7f000002',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '[::ffff:0:127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b::]',
      '[2002:7f00:1::1]',
      'localhost.localdomain',
      'localhost6.localdomain6',
      'ip6-localhost.',
      'ip6-loopback',
    ].map((host): [string, Environment, RegExp] => [
      `a provider on this machine: ${host}`,
      { PAN_REGISTRY_URL: `https://${host}/pan` },
      /PAN_REGISTRY_URL: must not be on this machine/,
    ]),
    ...USERS_SETTINGS.filter(
      (name) => /_URL$/.test(name) && !/^(CLOCK|DATABASE|GUIDE|MAIL_SMTP|REDIS)_/.test(name),
    ).map((name): [string, Environment, RegExp] => [
      `${name} on this machine`,
      { [name]: 'https://localhost:3443/' },
      new RegExp(`${name}: must not be on this machine`),
    ]),
    [
      'a token endpoint on this machine',
      fineractAt('kaveri', { ...WITH_TOKEN, token_url: 'https://localhost/token' }),
      /ISSUER_API_OVERRIDES: must not be on this machine/,
    ],
    ...USERS_SETTINGS.filter((name) => /^OTP_(SENDS|MIN)_/.test(name)).map(
      (name): [string, Environment, RegExp] => [
        `no limit by ${name}`,
        { [name]: '0' },
        new RegExp(`${name}: must be at least 1`),
      ],
    ),
  ])('refuses %s in production', (_name, overrides, problem) => {
    expect(problemsOf(production(overrides))).toMatch(problem);
  });

  it.each(EXAMPLE_SECRETS)('refuses %s of docker/example.env, and only in production', (name) => {
    const example = { [name]: EXAMPLES[name] };
    expect(problemsOf(settings(example))).toBe('');
    const network = { PRIVATE_NETWORK: 'true' };
    expect(problemsOf(production({ ...network, ...example }))).toMatch(
      new RegExp(`^[^\n]*\n  - ${name}: (must be random|is or has a published)[^\n]*$`),
    );
  });

  it('refuses a published key among others of its list, in every form', () => {
    const [example] = /[^:]+$/.exec(EXAMPLES['PII_KEYS']!)!;
    expect(problemsOf(production({ PII_KEYS: `k1:${secretText()},old:${example}` }))).toMatch(
      /PII_KEYS: must/,
    );
    const [own] = (JSON.parse(jwksText('own')) as { keys: object[] }).keys;
    const [published] = (JSON.parse(EXAMPLES['JWT_KEYS']!) as { keys: object[] }).keys;
    expect(problemsOf(production({ JWT_KEYS: JSON.stringify({ keys: [own, published] }) }))).toMatch(
      /JWT_KEYS: must be random/,
    );
    const override = JSON.stringify({
      kaveri: { url: 'https://kaveri.example', api_key: EXAMPLES['ISSUER_API_KEY'] },
    });
    expect(problemsOf(production({ ISSUER_API_OVERRIDES: override }))).toMatch(/ISSUER_API_OVERRIDES: is or/);
  });

  it.each(['DATABASE_URL', 'REDIS_URL', 'MAIL_SMTP_URL'])(
    'refuses a percent sign in %s that begins no encoding, together with other problems',
    (name) => {
      // no UTF-8, so that no driver reads it
      const url = production()[name]!.replace(/\/\/(.*@)?/, '//user:its-%E0-password@');
      const problems = problemsOf(production({ [name]: url, INDEX_SECRET: 'short' }));
      expect(problems).toContain(`${name}: must have %25 for a % that begins no encoding`);
      expect(problems).toContain('INDEX_SECRET: must');
      expect(problems).not.toContain('its-');
    },
  );

  it('applies the same rules to commands', () => {
    const example = { ...EXAMPLES, NODE_ENV: 'production' };
    expect(() => keysConfig(example, 'AUDIT_KEYS')).toThrow(/AUDIT_KEYS: must be random/);
    expect(() => piiConfig(example)).toThrow(/PII_KEYS: must be random.*\n.*INDEX_SECRET: must be random/);
    expect(() => databaseConfig(example)).toThrow(/DATABASE_URL: must use TLS/);
    expect(piiConfig(EXAMPLES).keys).toHaveLength(1);
  });

  it('accepts one Redis with any password, or the nodes of a cluster', () => {
    const one = 'redis://:a,b@redis.example/2';
    expect(usersConfig(settings({ REDIS_URL: one })).redis).toMatchObject({ urls: [one], isCluster: false });
    const [first, second] = ['rediss://u:a,b@one.example', 'rediss://u:a,b@two.example:7000'];
    const { redis } = usersConfig(settings({ ...CLUSTER, REDIS_URL: `${first}, ${second}` }));
    expect(redis).toMatchObject({ urls: [first, second], isCluster: true });
  });

  it('takes a mail server with its user and password', () => {
    expect(problemsOf(production({ MAIL_SMTP_URL: 'smtps://user:its-pass%3Fword@mail.example:465' }))).toBe(
      '',
    );
  });

  it('never puts a value into its message', () => {
    const secret = 'not-base64-but-still-secret!';
    expect(problemsOf(settings({ OTP_SECRET: secret, SMS_PRIMARY_URL: 'ftp://user:pass@host' }))).not.toMatch(
      /still-secret|pass@/,
    );
  });

  it('uses the common URL of issuers, or an override', () => {
    const { issuerOf } = usersConfig(
      settings({ ISSUER_API_OVERRIDES: '{"kaveri":{"url":"http://kaveri.example/","api_key":"its-key"}}' }),
    ).providers;
    expect(issuerOf('kaveri')).toMatchObject({ baseUrl: 'http://kaveri.example', apiKey: 'its-key' });
    expect(issuerOf('vindhya')).toMatchObject({
      kind: 'http',
      baseUrl: 'http://127.0.0.1:1/issuers/vindhya',
      apiKey: 'issuers-common-key',
    });
  });

  it('uses Fineract for an issuer when configured', () => {
    const { issuerOf } = usersConfig(settings(fineractAt('kaveri'))).providers;
    expect(issuerOf('kaveri')).toEqual({
      kind: 'fineract',
      name: 'issuer-kaveri',
      baseUrl: 'https://cbs.example/fineract-provider/api',
      tenant: 'kaveri',
      login: { kind: 'basic', user: 'deposits', password: 'its-own-password' },
      officeId: 1,
      reviewsAccounts: false,
      timeoutMs: timeLimit(4_000),
    });
    expect(usersConfig(production(fineractAt('kaveri'))).providers.issuerOf('kaveri').kind).toBe('fineract');
    expect(issuerOf('vindhya').kind).toBe('http');
    const withToken = usersConfig(production(fineractAt('kaveri', WITH_TOKEN))).providers.issuerOf('kaveri');
    expect(withToken).toMatchObject({
      kind: 'fineract',
      login: {
        kind: 'oauth2',
        tokenUrl: 'https://idp.example/token',
        clientId: 'fd',
        clientSecret: 'its-own-secret',
      },
    });
  });

  it('requires an Aadhaar provider while an issuer uses Aadhaar codes, and only then', () => {
    const without = { AADHAAR_URL: '', AADHAAR_API_KEY: '' };
    const all = ['AADHAAR_URL', 'AADHAAR_API_KEY'];
    const missing = (EKYC_METHODS: string) => {
      const problems = problemsOf(production({ ...without, EKYC_METHODS }));
      return all.filter((name) => problems.includes(`${name}: is required: an issuer uses AADHAAR_OTP`));
    };
    expect(missing('')).toEqual(all);
    expect(missing('sahyadri=HOSTED,kaveri=AADHAAR_OTP')).toEqual(all);
    const switchedOff = { EKYC_METHODS: 'sahyadri=HOSTED' };
    expect(problemsOf(production({ ...without, ...switchedOff }))).toBe('');
    // nothing is built for a provider that no issuer uses
    expect(usersConfig(settings(switchedOff)).providers.aadhaar).toBeUndefined();
    expect(usersConfig(settings()).providers.aadhaar).toMatchObject({ apiKey: 'aadhaar-provider-key' });
  });

  it('returns the providers of verifications in order, each with its account', () => {
    const { pan, bank, ekyc } = usersConfig(settings(VERIFICATION_VENDORS)).providers;
    expect(pan).toMatchObject([
      { kind: 'cashfree', name: 'cashfree-pan', baseUrl: 'https://api.cashfree.com/verification' },
      { kind: 'setu', name: 'setu-pan', baseUrl: 'https://dg.setu.co', productId: 'pan-product' },
    ]);
    expect(bank).toMatchObject([{ kind: 'setu', name: 'setu-bank', productId: 'bank-product' }]);
    expect(ekyc.map(({ name }) => name)).toEqual(['cashfree-ekyc', 'ekyc']);
    expect(() => usersConfig(settings({ EKYC_PROVIDERS: 'cashfree' }))).toThrow(
      /CASHFREE_CLIENT_SECRET: is required: EKYC_PROVIDERS names cashfree/,
    );
    const own = usersConfig(settings()).providers;
    expect(own.pan).toMatchObject([{ kind: 'http', name: 'pan-registry', apiKey: 'pan-registry-key' }]);
    expect(own.bank).toMatchObject([{ kind: 'http', name: 'bank', apiKey: 'bank-verification-key' }]);
  });

  it('limits sends by address and prefix in production by default', () => {
    expect(usersConfig(production()).otp).toMatchObject({
      sendsPerIpHour: 600,
      sendsPerPrefixHour: 2_000,
      sendsPerHour: 20_000,
      minConversionPercent: 10,
    });
    expect(usersConfig(settings()).otp).toMatchObject({
      sendsPerIpHour: 0,
      sendsPerPrefixHour: 0,
      sendsPerHour: 0,
      minConversionPercent: 0,
    });
    expect(usersConfig(settings({ OTP_SENDS_PER_HOUR: '0' })).otp.sendsPerHour).toBe(0);
  });

  it('signs with the first key and publishes no private keys', () => {
    const { tokens } = usersConfig(settings({ JWT_KEYS: jwksText('new', 'old') }));
    expect(tokens.keys.map(({ kid }) => kid)).toEqual(['new', 'old']);
    expect(Object.keys(tokens.keys[0]!.publicJwk).sort()).toEqual([
      'alg',
      'crv',
      'kid',
      'kty',
      'use',
      'x',
      'y',
    ]);
  });

  it('finds a line for each key and secret in the document for operators', () => {
    const page = readFileSync(resolve(__dirname, '../../../../docs/operations-keys.md'), 'utf8');
    const secret = /_(SECRET|KEYS|API_KEY|OVERRIDES)$|^(DATABASE|REDIS|MAIL_SMTP)_URL$/;
    const secrets = USERS_SETTINGS.filter((name) => secret.test(name));
    expect(secrets.length).toBeGreaterThan(15);
    expect(
      secrets.filter((name) => !page.includes(`| \`${name}\``) && !page.includes(`, \`${name}\``)),
    ).toEqual([]);
  });

  it('finds each setting once, in the README or on the page of settings that both services share', () => {
    const pages = ['../../README.md', '../../../../docs/settings.md'];
    const rows = pages.flatMap((page) => [
      ...readFileSync(resolve(__dirname, page), 'utf8').matchAll(/^\| (`[A-Z][^|]+)\|/gm),
    ]);
    const described = rows.flatMap(([, names = '']) => [...names.matchAll(/`([A-Z][A-Z0-9_]+)`/g)]);
    expect(described.map(([, name]) => name).sort()).toEqual([...USERS_SETTINGS].sort());
  });
});
