import { timeLimit } from '@fd/envelope';
import { parsed, type Problem, setting } from '@fd/platform';
import { z } from 'zod';
import { isNamed, missingSettings } from './needed-settings.js';
import { orderedNames } from './parsed-settings.js';
import { apiKey, baseUrl, optionalText, ownApi } from './provider-settings.js';
import type { SmsConfig, SmsProviderSettings } from './slices.js';
import {
  isRegistered,
  type RegisteredSms,
  SMS_TEXTS,
  type SmsTemplateId,
  smsTexts,
} from './sms-templates.js';

const NEEDED_SETTINGS = {
  primary: ['SMS_PRIMARY_URL', 'SMS_PRIMARY_API_KEY'],
  fallback: ['SMS_FALLBACK_URL', 'SMS_FALLBACK_API_KEY'],
  msg91: ['MSG91_AUTH_KEY'],
  twilio: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'],
  aws: ['AWS_SMS_REGION', 'AWS_SMS_ORIGINATION', 'SMS_DLT_ENTITY_ID'],
} as const;
type SmsProviderName = keyof typeof NEEDED_SETTINGS;

const NAMES = Object.keys(NEEDED_SETTINGS) as SmsProviderName[];
const TEMPLATES = Object.keys(SMS_TEXTS) as SmsTemplateId[];

const registrations = z.partialRecord(
  z.enum(TEMPLATES),
  z.strictObject({
    text: z.string().min(1),
    dlt_template_id: optionalText(/^\d{10,30}$/),
    msg91_template_id: optionalText(/^\w{1,60}$/),
  }),
);

const templates = parsed(
  `must be JSON: {"${TEMPLATES[0]}": {"text": "...", "dlt_template_id": "..."}, ...}`,
  (text): SmsConfig['templates'] => {
    const read = Object.entries(registrations.parse(JSON.parse(text))).map(([id, given]) => [
      id,
      { text: given.text, dltTemplateId: given.dlt_template_id, msg91TemplateId: given.msg91_template_id },
    ]);
    return Object.fromEntries(read) as Partial<Record<SmsTemplateId, RegisteredSms>>;
  },
).prefault('{}');

export const smsSettings = {
  /** In order of preference. */
  SMS_PROVIDERS: orderedNames(NAMES).prefault('primary,fallback'),
  SMS_PRIMARY_URL: baseUrl.optional(),
  SMS_PRIMARY_API_KEY: apiKey.optional(),
  SMS_FALLBACK_URL: baseUrl.optional(),
  SMS_FALLBACK_API_KEY: apiKey.optional(),
  SMS_TIMEOUT_MS: setting.int(1_000, 15_000).default(8_000),
  /** How long a provider may be silent before the next one sends, and charges, the message as well. Vendors take 1 to 3 s. */
  SMS_NEXT_PROVIDER_MS: setting.int(100, 5_000).default(4_000),
  /** By template: the registered text and its ids. */
  SMS_TEMPLATES: templates,
  /** Host of the page that takes the code; short enough for one message of 160 characters. */
  SMS_AUTOFILL_DOMAIN: optionalText(
    /^(?=[a-z0-9.-]{4,60}$)(?:[a-z0-9][a-z0-9-]*\.)+[a-z][a-z0-9-]*[a-z0-9]$/,
  ),
  /** The sender's own registration with the operators. */
  SMS_DLT_ENTITY_ID: optionalText(/^\d{10,30}$/),
  SMS_DLT_HEADER: optionalText(/^[A-Za-z0-9]{3,11}$/),
  MSG91_URL: baseUrl.default('https://control.msg91.com/api/v5'),
  MSG91_AUTH_KEY: apiKey.optional(),
  TWILIO_URL: baseUrl.default('https://api.twilio.com'),
  TWILIO_ACCOUNT_SID: optionalText(/^AC[0-9a-f]{32}$/),
  TWILIO_AUTH_TOKEN: apiKey.optional(),
  /** A number of the account, a header, or the id of a messaging service. */
  TWILIO_FROM: optionalText(/^(?:\+[1-9]\d{6,14}|[A-Za-z0-9]{3,11}|MG[0-9a-f]{32})$/),
  AWS_SMS_REGION: optionalText(/^[a-z]{2}(?:-[a-z]+)+-\d$/),
  /** Defaults to the endpoint of the region. */
  AWS_SMS_URL: baseUrl.optional(),
  /** The sender id, pool or number, by name, id or ARN. */
  AWS_SMS_ORIGINATION: optionalText(/^[A-Za-z0-9_:/+-]{1,256}$/),
  /** Without both keys the SDK looks for credentials itself. */
  AWS_SMS_ACCESS_KEY_ID: optionalText(/^[\x21-\x2e\x30-\x7e]{1,128}$/),
  AWS_SMS_SECRET_ACCESS_KEY: apiKey.optional(),
};

type Given = z.output<z.ZodObject<typeof smsSettings>>;

export function* smsProblems(given: Partial<Given> & { readonly NODE_ENV?: string }): Iterable<Problem> {
  const { SMS_PROVIDERS, SMS_TEMPLATES, SMS_AUTOFILL_DOMAIN: domain } = given;
  yield* missingSettings<Partial<Given>>(given, 'SMS_PROVIDERS', NEEDED_SETTINGS);
  for (const [provider, field, id] of TEMPLATE_IDS)
    if (
      isNamed(SMS_PROVIDERS, provider) &&
      TEMPLATES.some((name) => SMS_TEMPLATES?.[name]?.[id] === undefined)
    )
      yield ['SMS_TEMPLATES', `each template must have its ${field}: SMS_PROVIDERS names ${provider}`];
  const { AWS_SMS_ACCESS_KEY_ID: id, AWS_SMS_SECRET_ACCESS_KEY: secret } = given;
  if (isNamed(SMS_PROVIDERS, 'aws') && (id === undefined) !== (secret === undefined))
    yield ['AWS_SMS_ACCESS_KEY_ID', 'must be set together with AWS_SMS_SECRET_ACCESS_KEY'];
  if (given.NODE_ENV !== 'production') return;
  for (const name of TEMPLATES) {
    const registered = SMS_TEMPLATES?.[name];
    if (registered !== undefined && isRegistered(smsTexts(domain)[name], registered)) continue;
    // names the setting instead of its value
    const text = smsTexts(domain && 'SMS_AUTOFILL_DOMAIN')[name].replaceAll('\n', '\\n');
    yield ['SMS_TEMPLATES', `${name}: must be registered in production with the text that we send: ${text}`];
  }
}

/** Ids of templates that a provider needs: the field of the setting, and ours. */
const TEMPLATE_IDS = [
  ['msg91', 'msg91_template_id', 'msg91TemplateId'],
  ['aws', 'dlt_template_id', 'dltTemplateId'],
] as const;

function awsKeys({ AWS_SMS_ACCESS_KEY_ID: id, AWS_SMS_SECRET_ACCESS_KEY: secret }: Given) {
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

export function smsConfig(given: Given): SmsConfig {
  // present, by the rules
  const providers: Record<SmsProviderName, () => SmsProviderSettings> = {
    primary: () => ownApi('sms-primary', 'SMS_PRIMARY', given),
    fallback: () => ownApi('sms-fallback', 'SMS_FALLBACK', given),
    msg91: () => ({ kind: 'msg91', name: 'msg91', baseUrl: given.MSG91_URL, authKey: given.MSG91_AUTH_KEY! }),
    twilio: () => ({
      kind: 'twilio',
      name: 'twilio',
      baseUrl: given.TWILIO_URL,
      accountSid: given.TWILIO_ACCOUNT_SID!,
      authToken: given.TWILIO_AUTH_TOKEN!,
      from: given.TWILIO_FROM!,
    }),
    aws: () => ({
      kind: 'aws',
      name: 'aws',
      region: given.AWS_SMS_REGION!,
      endpoint: given.AWS_SMS_URL,
      keys: awsKeys(given),
      origination: given.AWS_SMS_ORIGINATION!,
    }),
  };
  return {
    providers: given.SMS_PROVIDERS.map((name) => providers[name]()),
    dltEntityId: given.SMS_DLT_ENTITY_ID,
    dltHeader: given.SMS_DLT_HEADER,
    templates: given.SMS_TEMPLATES,
    texts: smsTexts(given.SMS_AUTOFILL_DOMAIN),
    timeoutMs: timeLimit(given.SMS_TIMEOUT_MS),
    nextProviderMs: timeLimit(given.SMS_NEXT_PROVIDER_MS),
  };
}
