import { parsed, setting } from '@fd/platform';
import { z } from 'zod';
import { orderedNames } from './parsed-settings.js';
import { apiKey, baseUrl } from './provider-settings.js';
import type { SmsConfig, SmsProviderSettings } from './slices.js';
import { isRegistered, type RegisteredSms, SMS_TEXTS, type SmsTemplateId } from './sms-templates.js';

/** SMS providers with their required settings. */
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
    dlt_template_id: z
      .string()
      .regex(/^\d{10,30}$/)
      .optional(),
    msg91_template_id: z
      .string()
      .regex(/^\w{1,60}$/)
      .optional(),
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

/** Settings whose URL must be https in production. */
export const SMS_URL_SETTINGS = [
  'SMS_PRIMARY_URL',
  'SMS_FALLBACK_URL',
  'MSG91_URL',
  'TWILIO_URL',
  'AWS_SMS_URL',
] as const;

/** Settings with keys of other companies. */
export const SMS_KEY_SETTINGS = [
  'SMS_PRIMARY_API_KEY',
  'SMS_FALLBACK_API_KEY',
  'MSG91_AUTH_KEY',
  'TWILIO_AUTH_TOKEN',
  'AWS_SMS_SECRET_ACCESS_KEY',
] as const;

export const smsSettings = {
  /** In order of preference. */
  SMS_PROVIDERS: orderedNames(NAMES).prefault('primary,fallback'),
  SMS_PRIMARY_URL: baseUrl.optional(),
  SMS_PRIMARY_API_KEY: apiKey.optional(),
  SMS_FALLBACK_URL: baseUrl.optional(),
  SMS_FALLBACK_API_KEY: apiKey.optional(),
  SMS_TIMEOUT_MS: setting.int(1_000, 15_000).default(8_000),
  /** By template: the registered text and its ids. */
  SMS_TEMPLATES: templates,
  /** The sender's own registration with the operators. */
  SMS_DLT_ENTITY_ID: z
    .string()
    .regex(/^\d{10,30}$/)
    .optional(),
  SMS_DLT_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9]{3,11}$/)
    .optional(),
  MSG91_URL: baseUrl.default('https://control.msg91.com/api/v5'),
  MSG91_AUTH_KEY: apiKey.optional(),
  TWILIO_URL: baseUrl.default('https://api.twilio.com'),
  TWILIO_ACCOUNT_SID: z
    .string()
    .regex(/^AC[0-9a-f]{32}$/)
    .optional(),
  TWILIO_AUTH_TOKEN: apiKey.optional(),
  /** One of their numbers, a header, or the id of a messaging service. */
  TWILIO_FROM: z
    .string()
    .regex(/^(?:\+[1-9]\d{6,14}|[A-Za-z0-9]{3,11}|MG[0-9a-f]{32})$/)
    .optional(),
  AWS_SMS_REGION: z
    .string()
    .regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/)
    .optional(),
  /** Defaults to the endpoint of the region. */
  AWS_SMS_URL: baseUrl.optional(),
  /** Their own sender id, pool or number, by name, id or ARN. */
  AWS_SMS_ORIGINATION: z
    .string()
    .regex(/^[A-Za-z0-9_:/+-]{1,256}$/)
    .optional(),
  /** Without both keys the SDK looks for credentials itself. */
  AWS_SMS_ACCESS_KEY_ID: z
    .string()
    .regex(/^[\x21-\x2e\x30-\x7e]{1,128}$/)
    .optional(),
  AWS_SMS_SECRET_ACCESS_KEY: apiKey.optional(),
};

type Given = z.output<z.ZodObject<typeof smsSettings>>;

/** A rule over several settings, with the setting to report. */
export interface SmsRule {
  readonly name: string;
  readonly message: string;
  readonly holds: (given: Partial<Given> & { readonly NODE_ENV?: string }) => boolean;
}

/** Invalid values are reported elsewhere and ignored here. */
const isNamed = ({ SMS_PROVIDERS }: Partial<Given>, provider: SmsProviderName): boolean =>
  Array.isArray(SMS_PROVIDERS) && SMS_PROVIDERS.includes(provider);

export const SMS_RULES: readonly SmsRule[] = [
  ...NAMES.flatMap((provider) =>
    NEEDED_SETTINGS[provider].map((name) => ({
      name,
      message: `is required: SMS_PROVIDERS names ${provider}`,
      holds: (given: Partial<Given>) => !isNamed(given, provider) || given[name] !== undefined,
    })),
  ),
  {
    name: 'SMS_TEMPLATES',
    message: 'each template must have its msg91_template_id: SMS_PROVIDERS names msg91',
    holds: (given) =>
      !isNamed(given, 'msg91') ||
      TEMPLATES.every((id) => given.SMS_TEMPLATES?.[id]?.msg91TemplateId !== undefined),
  },
  {
    name: 'SMS_TEMPLATES',
    message: 'each template must have its dlt_template_id: SMS_PROVIDERS names aws',
    holds: (given) =>
      !isNamed(given, 'aws') ||
      TEMPLATES.every((id) => given.SMS_TEMPLATES?.[id]?.dltTemplateId !== undefined),
  },
  {
    name: 'AWS_SMS_ACCESS_KEY_ID',
    message: 'must be set together with AWS_SMS_SECRET_ACCESS_KEY',
    holds: (given) =>
      !isNamed(given, 'aws') ||
      (given.AWS_SMS_ACCESS_KEY_ID === undefined) === (given.AWS_SMS_SECRET_ACCESS_KEY === undefined),
  },
  ...TEMPLATES.map((id) => ({
    name: 'SMS_TEMPLATES',
    message: `${id}: must be registered in production with the text that we send: ${SMS_TEXTS[id]}`,
    holds: ({ NODE_ENV, SMS_TEMPLATES }: Partial<Given> & { readonly NODE_ENV?: string }) => {
      const registered = SMS_TEMPLATES?.[id];
      return NODE_ENV !== 'production' || (registered !== undefined && isRegistered(id, registered));
    },
  })),
];

function awsKeys({ AWS_SMS_ACCESS_KEY_ID: id, AWS_SMS_SECRET_ACCESS_KEY: secret }: Given) {
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

export function smsConfig(given: Given): SmsConfig {
  // present, by the rules
  const providers: Record<SmsProviderName, () => SmsProviderSettings> = {
    primary: () => ({
      kind: 'http',
      name: 'sms-primary',
      baseUrl: given.SMS_PRIMARY_URL!,
      apiKey: given.SMS_PRIMARY_API_KEY!,
    }),
    fallback: () => ({
      kind: 'http',
      name: 'sms-fallback',
      baseUrl: given.SMS_FALLBACK_URL!,
      apiKey: given.SMS_FALLBACK_API_KEY!,
    }),
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
    timeoutMs: given.SMS_TIMEOUT_MS,
  };
}
