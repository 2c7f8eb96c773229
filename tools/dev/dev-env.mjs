// Settings of the services in development. Secrets are generated at first use and stored in .data, never in the repository.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
// not by name: a Node.js without parseEnv must get as far as install()
import util from 'node:util';
import { readIfThere } from '../files.mjs';
import { withLock } from '../stores/lock.mjs';
import { partners } from './sandbox-data.mjs';
import { baseUrl, dataPath, portOf, portsOf, root } from '../workspace.mjs';

const secret = () => randomBytes(32).toString('base64');

/** The RFC 7638 thumbprint of a key. MEMBERS in alphabetical order. */
const thumbprint = (jwk, members) =>
  createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members.map((member) => [member, jwk[member]]))))
    .digest('base64url');

function signingKeys() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = privateKey.export({ format: 'jwk' });
  const kid = thumbprint(jwk, ['crv', 'kty', 'x', 'y']);
  return JSON.stringify({ keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] });
}

/** The settings of docker/example.env. */
const exampleSettings = () => util.parseEnv(readFileSync(join(root, 'docker/example.env'), 'utf8'));

const SECRETS = ['OTP_SECRET', 'REFRESH_TOKEN_SECRET', 'INDEX_SECRET', 'RATE_LIMIT_SECRET'];
const OF_VENDORS = ['MSG91_AUTH_KEY', 'TWILIO_AUTH_TOKEN', 'AWS_SMS_SECRET_ACCESS_KEY'];
const CLIENT_SECRETS = ['CASHFREE_CLIENT_SECRET', 'SETU_CLIENT_SECRET'];

/**
 * How to make each secret. Each is made once: with a new one, tokens, stored personal data and sent codes would be unreadable.
 * The sandbox accepts any credentials.
 */
function madeOnce() {
  const ofProviders = Object.keys(exampleSettings()).filter((name) => name.endsWith('_API_KEY'));
  const credentials = [...ofProviders, ...OF_VENDORS, ...CLIENT_SECRETS];
  return {
    JWT_KEYS: signingKeys,
    ...Object.fromEntries(SECRETS.map((name) => [name, () => secret()])),
    PII_KEYS: () => `dev:${secret()}`,
    AUDIT_KEYS: () => `dev:${secret()}`,
    FACT_SHEET_KEYS: () => `dev:${secret()}`,
    ...Object.fromEntries(
      credentials.map((name) => [name, () => `${name}-${randomBytes(12).toString('hex')}`]),
    ),
  };
}

/** Returns new secrets of the same kinds as those of development. */
export const newSecrets = () =>
  Object.fromEntries(Object.entries(madeOnce()).map(([name, make]) => [name, make()]));

/** Replaces FILE atomically: a reader never sees half of it. */
export function writePrivately(file, value, mode = 0o600) {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode });
  renameSync(`${file}.new`, file);
}

function secrets(folder) {
  const file = join(folder, 'dev-env.json');
  const kept = JSON.parse(readIfThere(file) || '{}');
  const missing = Object.entries(madeOnce()).filter(([name]) => !kept[name]);
  for (const [name, make] of missing) kept[name] = make();
  if (missing.length > 0) writePrivately(file, kept);
  return kept;
}

const publicKeyFile = (slug) => join(dataPath('partners'), `${slug}.public.jwk.json`);

/** The partner's backend keeps the private key, which decrypts the partner tokens that we encrypt for it. */
function partnerKeys(slug) {
  if (existsSync(publicKeyFile(slug))) return;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = publicKey.export({ format: 'jwk' });
  const use = { kid: thumbprint(jwk, ['e', 'kty', 'n']), alg: 'RSA-OAEP-256', use: 'enc' };
  const privateFile = join(dataPath('partners'), `${slug}.private.jwk.json`);
  writePrivately(privateFile, { ...privateKey.export({ format: 'jwk' }), ...use });
  writePrivately(publicKeyFile(slug), { ...jwk, ...use }, 0o644);
}

/** The sandbox's partners, each with the file of its public key. */
export const developmentPartners = () =>
  partners.map((partner) => ({ ...partner, publicKey: publicKeyFile(partner.slug) }));

const VERIFICATION = ['PAN_PROVIDERS', 'BANK_PROVIDERS', 'LOCKER_PROVIDERS'];

/** Issuers without leads, which Fineract does not have. */
const OVER_FINERACT = ['aravalli', 'kaveri', 'nilgiri', 'vindhya'];

/** The sandbox's tenant of each issuer; it accepts any password. */
const fineract = (slug) => ({
  api: 'fineract',
  url: `http://127.0.0.1:${portOf('sandbox')}/vendors/fineract/fineract-provider/api`,
  tenant: slug,
  user: 'deposits',
  password: secret(),
  reviews_accounts: true,
});

/** The settings that select each vendor that the sandbox plays. */
export const VENDORS = {
  cashfree: [...VERIFICATION, 'EKYC_PROVIDERS'],
  setu: VERIFICATION,
  msg91: ['SMS_PROVIDERS'],
  twilio: ['SMS_PROVIDERS'],
  aws: ['SMS_PROVIDERS'],
  fineract: ['ISSUER_API_OVERRIDES'],
};

/** Settings that select the vendors NAMES, in this order, instead of the sandbox's own formats. */
export function vendorSettings(names) {
  const settings = {};
  for (const name of names) {
    if (!Object.hasOwn(VENDORS, name))
      throw new Error(`--vendors: "${name}" is not one of ${Object.keys(VENDORS).join(', ')}`);
    for (const setting of VENDORS[name])
      settings[setting] =
        name === 'fineract'
          ? JSON.stringify(Object.fromEntries(OVER_FINERACT.map((slug) => [slug, fineract(slug)])))
          : [settings[setting], name].filter(Boolean).join(',');
  }
  return settings;
}

const webhookUrl = (vendor) => `http://127.0.0.1:${portOf('users-service')}/api/v1/webhooks/${vendor}`;

/** The settings of all external services of users-service, which the sandbox plays: as in the images, and those of vendors. */
function externalServices() {
  const sandbox = `http://127.0.0.1:${portOf('sandbox')}`;
  const smtp = `127.0.0.1:${portOf('sandbox', 'SMTP_PORT')}`;
  const examples = Object.entries(exampleSettings())
    .filter(([name, value]) => value.includes('//sandbox:') || /^(MAIL_FROM|OTP_TEST_RULES)$/.test(name))
    .map(([name, value]) => [
      name,
      value.replace('http://sandbox:3003', sandbox).replace('sandbox:2525', smtp),
    ]);
  return {
    ...Object.fromEntries(examples),
    // the ids are for SMS_PROVIDERS=msg91 and aws
    SMS_TEMPLATES: JSON.stringify({
      login_otp: {
        text: '{#numeric#} is your code to log in. It is valid for {#numeric#} minutes. Do not share it with anyone.',
        dlt_template_id: '1107000000000000001',
        msg91_template_id: 'login_otp',
      },
      pan_taken_over: {
        text: 'Another person has proved by eKYC to hold the PAN in your fixed deposit account, so it is no longer in your account. Log in and verify your own PAN to go on.',
        dlt_template_id: '1107000000000000002',
        msg91_template_id: 'pan_taken_over',
      },
    }),
    MSG91_URL: `${sandbox}/vendors/msg91/api/v5`,
    TWILIO_URL: `${sandbox}/vendors/twilio`,
    TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
    TWILIO_FROM: 'FDEPOS',
    SMS_DLT_ENTITY_ID: '1101000000000000001',
    AWS_SMS_URL: `${sandbox}/vendors/aws`,
    AWS_SMS_REGION: 'ap-south-1',
    AWS_SMS_ORIGINATION: 'FDEPOS',
    AWS_SMS_ACCESS_KEY_ID: 'development',
    // for PAN_PROVIDERS, BANK_PROVIDERS, LOCKER_PROVIDERS and EKYC_PROVIDERS
    CASHFREE_URL: `${sandbox}/vendors/cashfree/verification`,
    CASHFREE_CLIENT_ID: 'cashfree-client',
    SETU_URL: `${sandbox}/vendors/setu`,
    SETU_CLIENT_ID: 'setu-client',
    SETU_PAN_PRODUCT_ID: 'setu-pan',
    SETU_BANK_PRODUCT_ID: 'setu-bank',
    SETU_LOCKER_PRODUCT_ID: 'setu-locker',
    LOCKER_RETURN_URL: `https://localhost:${portOf('sandbox', 'HTTPS_PORT')}/`,
  };
}

/**
 * The environment of SERVICE in development. The caller's environment overrides these settings, except for the ports and
 * the address.
 */
export async function developmentEnvironment(service, { databaseUrl, redisUrl, owner, stamps }) {
  const folder = dataPath();
  const kept = await withLock(join(folder, 'dev-env.lock'), () => {
    for (const { slug } of partners) partnerKeys(slug);
    return secrets(folder);
  });
  const chosen = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
  const external = externalServices();
  const clientId = (vendor) => chosen[`${vendor}_CLIENT_ID`] ?? external[`${vendor}_CLIENT_ID`];
  return {
    ...kept,
    JWT_ISSUER: baseUrl('users-service'),
    ...external,
    VENDOR_WEBHOOKS: `${clientId('CASHFREE')}=${webhookUrl('cashfree')},${clientId('SETU')}=${webhookUrl('setu')}`,
    // users-service follows the sandbox's clock; kept, because a clock that falls back puts tokens into the future
    CLOCK_FILE: join(folder, 'clock.json'),
    // the sandbox plays the partner's backend; the secrets go with the database that knows them
    EVENTS_TO_LOCAL_ADDRESSES: 'true',
    PARTNER_EVENTS_FILE: join(stamps ?? dataPath('partners'), 'app.events.json'),
    // the console in the browser calls the services
    USERS_BASE_URL: baseUrl('users-service'),
    MASTER_BASE_URL: baseUrl('master-service'),
    // where the sandbox serves it
    GUIDE_URL: `${baseUrl('sandbox')}/guide`,
    ...chosen,
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    ...Object.fromEntries(portsOf(service).map(({ setting, port }) => [setting, String(port)])),
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ...owner,
  };
}
