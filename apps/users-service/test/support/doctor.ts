import type { Environment } from '@fd/platform';
import { bankVendors } from '../../src/banking/index.js';
import { usersConfig } from '../../src/config/users-config.js';
import type { AsOperator } from '../../src/core/index.js';
import { signedJwt } from '../../src/identity/index.js';
import { doctorCommand, issuerVendors, mailVendors, smsVendors } from '../../src/integrations/index.js';
import { ekycVendors, panVendors } from '../../src/kyc/index.js';
import { sandboxUrl } from './sandbox.config.js';
import { providerSettings, settings, vendorSettings } from './settings.js';

export const TEXTS = {
  login_otp: {
    text: '{#numeric#} is your code to log in. It is valid for {#numeric#} minutes. Do not share it with anyone.',
    msg91_template_id: 'login_otp',
    dlt_template_id: '1107123456789012345',
  },
  pan_taken_over: {
    text: 'Another person has proved by eKYC to hold the PAN in your fixed deposit account, so it is no longer in your account. Log in and verify your own PAN to go on.',
    msg91_template_id: 'pan_taken_over',
    dlt_template_id: '1107123456789012346',
  },
};

/** Settings for an issuer over Fineract. */
export const fineractAt = (password: string, base = sandboxUrl()): string =>
  JSON.stringify({
    aravalli: {
      api: 'fineract',
      url: `${base}/vendors/fineract/fineract-provider/api`,
      tenant: 'aravalli',
      user: 'fd',
      password,
    },
  });

/** Settings for every vendor below one base URL, as in the sandbox. */
export const everyVendor = (base = sandboxUrl()): Environment => ({
  ...providerSettings(base),
  ...vendorSettings(base),
  SMS_PRIMARY_URL: `${base}/providers/sms/primary/messages`,
  SMS_FALLBACK_URL: `${base}/providers/sms/fallback/messages`,
  SMS_PROVIDERS: 'msg91,twilio,aws,primary,fallback',
  SMS_TEMPLATES: JSON.stringify(TEXTS),
  MSG91_URL: `${base}/vendors/msg91/api/v5`,
  MSG91_AUTH_KEY: 'msg91-key',
  TWILIO_URL: `${base}/vendors/twilio`,
  TWILIO_ACCOUNT_SID: `AC${'0123456789abcdef'.repeat(2)}`,
  TWILIO_AUTH_TOKEN: 'twilio-token',
  TWILIO_FROM: 'FDEPOS',
  AWS_SMS_URL: `${base}/vendors/aws`,
  AWS_SMS_REGION: 'ap-south-1',
  AWS_SMS_ORIGINATION: 'FDEPOS',
  AWS_SMS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SMS_SECRET_ACCESS_KEY: 'aws-secret',
  SMS_DLT_ENTITY_ID: '1101234567890123456',
  PAN_PROVIDERS: 'cashfree,setu,registry',
  BANK_PROVIDERS: 'cashfree,setu,verification',
  LOCKER_PROVIDERS: 'setu,cashfree,locker',
  EKYC_PROVIDERS: 'cashfree,hosted',
  PAN_LOOKUP_TIMEOUT_MS: '1000',
  ISSUER_API_OVERRIDES: fineractAt('fineract-password', base),
});

export interface Check {
  readonly vendor: string;
  readonly check: string;
  readonly outcome: string;
  readonly detail: string;
  readonly action?: string;
}

/** Runs the command; returns its exit code and output. @param given differences from the settings of a service that starts */
export async function runDoctor(asOperator: AsOperator, given: Environment, args: string[], input = '') {
  const config = usersConfig(settings(given));
  const said: string[] = [];
  const warned: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const complain = jest
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => warned.push(String(text)) > 0);
  const command = doctorCommand({
    asOperator,
    settings: () => config,
    ports: [smsVendors, mailVendors, panVendors, bankVendors, ekycVendors, issuerVendors],
    signed: ({ tokens }, type, report) => signedJwt(tokens.keys[0]!, type, report),
    readInput: () => Promise.resolve(input),
  });
  try {
    const code = await command.run(args);
    // stderr also has warnings of Node.js, so only stdout is read as JSON
    return { code, output: said.join(''), text: [...said, ...warned].join(''), config };
  } finally {
    write.mockRestore();
    complain.mockRestore();
  }
}
