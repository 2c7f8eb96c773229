import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '@fd/platform';
import { compactVerify, importJWK } from 'jose';
import { type Check, everyVendor, fineractAt, runDoctor, TEXTS } from '../support/doctor.js';
import { effectsOf } from '../support/effects.js';
import { toolsOf, WHO } from '../support/operator.js';
import { sandboxPorts, sandboxUrl } from '../support/sandbox.config.js';
import { answersJson, type Behaviour, BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
let mailUrl: string;
beforeAll(async () => {
  service = await startService();
  mailUrl = `smtp://127.0.0.1:${(await sandboxPorts()).smtp}`;
});
afterAll(() => service.close());

const everything = (): Environment => ({ ...everyVendor(), MAIL_SMTP_URL: mailUrl });

const tokenAt = (more: object = {}): Environment => ({
  ISSUER_API_OVERRIDES: JSON.stringify({
    aravalli: {
      api: 'fineract',
      url: `${sandboxUrl()}/vendors/fineract/fineract-provider/api`,
      tenant: 'aravalli',
      token_url: `${sandboxUrl()}/vendors/fineract/oauth2/token`,
      client_id: 'fd',
      client_secret: 'fineract-secret',
      ...more,
    },
  }),
});

/** Runs the command with CHANGES to the settings of a green run. */
function examined(changes: Environment, args: string[] = ['--test-values'], input = '') {
  const [asOperator] = toolsOf(service);
  return runDoctor(asOperator, { ...everything(), ...changes }, args, input);
}

async function checksOf(changes: Environment, args: string[]) {
  const { code, output } = await examined(changes, ['--json', ...args]);
  return { code, checks: (JSON.parse(output) as { checks: Check[] }).checks };
}

describe('users-service doctor', () => {
  it('passes at the stubs of all vendors, with their test values', async () => {
    const { code, checks } = await checksOf({}, ['--test-values']);
    expect(checks.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expect(code).toBe(0);
    expect(new Set(checks.map(({ vendor }) => vendor))).toEqual(
      new Set([
        ...['msg91', 'twilio', 'aws', 'sms-primary', 'sms-fallback', 'mail'],
        ...['cashfree-pan', 'setu-pan', 'pan-registry', 'cashfree-bank', 'setu-bank', 'bank'],
        ...['aadhaar', 'setu-locker', 'cashfree-locker', 'document-locker', 'cashfree-ekyc', 'ekyc'],
        ...['aravalli', 'kaveri', 'nilgiri', 'sahyadri', 'vindhya'].map((slug) => `issuer-${slug}`),
      ]),
    );
  });

  it('passes at an issuer that is reached with a token', async () => {
    const { code, checks } = await checksOf(tokenAt(), ['--provider', 'issuer-aravalli']);
    expect([code, checks.map(({ outcome }) => outcome)]).toEqual([0, ['ok', 'ok', 'ok']]);
  });

  it('lists no Aadhaar provider while no issuer uses Aadhaar codes', async () => {
    const args = ['--provider', 'aadhaar'];
    expect((await examined({}, args)).code).toBe(0);
    const switchedOff = { AADHAAR_URL: '', AADHAAR_API_KEY: '', EKYC_METHODS: 'sahyadri=DIGILOCKER' };
    const { code, text } = await examined(switchedOff, args);
    expect(code).toBe(2);
    expect(text).toMatch(/must be one of msg91, .*document-locker/);
    expect(text).not.toContain('aadhaar');
  });

  const keys = (fault: string): Environment => ({
    CASHFREE_CLIENT_SECRET: `secret!${fault}`,
    SETU_CLIENT_SECRET: `secret!${fault}`,
    MSG91_AUTH_KEY: `key!${fault}`,
    TWILIO_AUTH_TOKEN: `token!${fault}`,
    AWS_SMS_ACCESS_KEY_ID: `key!${fault}`,
    PAN_REGISTRY_API_KEY: `key!${fault}`,
    BANK_VERIFICATION_API_KEY: `key!${fault}`,
    DOCUMENT_LOCKER_API_KEY: `key!${fault}`,
    EKYC_API_KEY: `key!${fault}`,
    ISSUER_API_KEY: `key!${fault}`,
    ISSUER_API_OVERRIDES: fineractAt(`password!${fault}`),
  });
  const login_otp = (changes: object): Environment => ({
    SMS_TEMPLATES: JSON.stringify({ ...TEXTS, login_otp: { ...TEXTS.login_otp, ...changes } }),
  });

  it.each<[what: string, changes: () => Environment, provider: string, detail: RegExp, action: RegExp]>([
    [
      'a wrong key at Cashfree',
      () => keys('wrong-key'),
      'cashfree-pan',
      /authentication_failed/,
      /CASHFREE_CLIENT_ID/,
    ],
    ['a wrong key at Setu', () => keys('wrong-key'), 'setu-bank', /status 401/, /SETU_CLIENT_ID/],
    ['a wrong key at MSG91', () => keys('wrong-key'), 'msg91', /status 401/, /MSG91_AUTH_KEY/],
    ['an empty wallet at MSG91', () => keys('no-money'), 'msg91', /type error: 301/, /wallet is empty/],
    ['a wrong token at Twilio', () => keys('wrong-key'), 'twilio', /status 401/, /TWILIO_AUTH_TOKEN/],
    [
      'a wrong key at AWS',
      () => keys('wrong-key'),
      'aws',
      /UnrecognizedClientException/,
      /AWS_SMS_ACCESS_KEY_ID/,
    ],
    [
      'a missing right at AWS',
      () => keys('address'),
      'aws',
      /AccessDeniedException/,
      /sms-voice:SendTextMessage/,
    ],
    ['the spending limit at AWS', () => keys('no-money'), 'aws', /MONTHLY_SPEND_LIMIT/, /raise it/],
    ['fields of AWS with other names', () => keys('shape'), 'aws', /malformed: MessageId/, /contract/],
    [
      'a silent AWS',
      () => ({ ...keys('silent'), SMS_TIMEOUT_MS: '1000' }),
      'aws',
      /timeout/,
      /did not answer/,
    ],
    [
      'a wrong password at Fineract',
      () => keys('wrong-key'),
      'issuer-aravalli',
      /misconfigured/,
      /user and password/,
    ],
    [
      'a wrong secret at the token endpoint of Fineract',
      () => tokenAt({ client_secret: 'secret!wrong-key' }),
      'issuer-aravalli',
      /status 401: token refused/,
      /client_id, client_secret and scope/,
    ],
    [
      'an invalid token endpoint',
      () => tokenAt({ token_url: `${sandboxUrl()}/api/magic-values` }),
      'issuer-aravalli',
      /status 404: no token/,
      /token_url/,
    ],
    [
      'an unreachable token endpoint',
      () => tokenAt({ token_url: 'http://127.0.0.1:1' }),
      'issuer-aravalli',
      /unavailable: ECONNREFUSED: token endpoint/,
      /token_url/,
    ],
    ['a refused address', () => keys('address'), 'cashfree-bank', /ip_validation_failed/, /allow-list/],
    ['a refused address, by status', () => keys('address'), 'setu-pan', /status 403/, /our egress addresses/],
    [
      'an empty wallet at Cashfree',
      () => keys('no-money'),
      'cashfree-pan',
      /insufficient_balance/,
      /put money/,
    ],
    ['an empty account at Twilio', () => keys('no-money'), 'twilio', /no money/, /Put money/],
    [
      'a wrong clock',
      () => keys('clock'),
      'setu-pan',
      /clocks of this machine and of the vendor differ by 36\d\d s/,
      /NTP/,
    ],
    [
      'another text registered',
      () => login_otp({ text: '{#numeric#} is your OTP.' }),
      'sms-primary',
      /login_otp has a registered text that differs/,
      /Register this text/,
    ],
    [
      'an unregistered text',
      () => ({ SMS_TEMPLATES: '{}', SMS_PROVIDERS: 'primary' }),
      'sms-primary',
      /login_otp is not registered/,
      /SMS_TEMPLATES/,
    ],
    [
      'another text in the panel of MSG91',
      () => login_otp({ msg91_template_id: 'login_otp_old' }),
      'msg91',
      /login_otp: the text in the panel of MSG91/,
      /##name##/,
    ],
    [
      'a template that MSG91 does not have',
      () => login_otp({ msg91_template_id: 'gone' }),
      'msg91',
      /login_otp: MSG91 has no template/,
      /Copy the id/,
    ],
    ['XML instead of JSON', () => keys('xml'), 'setu-bank', /malformed: status 200: body/, /not JSON/],
    [
      'fields with other names',
      () => keys('shape'),
      'cashfree-pan',
      /malformed: status 200: valid/,
      /contract/,
    ],
    [
      'fields of an issuer with other names',
      () => keys('shape'),
      'issuer-aravalli',
      /malformed: status 200: content/,
      /contract/,
    ],
    [
      'an error inside a 200',
      () => keys('error-inside'),
      'cashfree-bank',
      /api_error/,
      /source of Cashfree is down/,
    ],
    [
      'a wrong key at the locker of Setu',
      () => keys('wrong-key'),
      'setu-locker',
      /status 401/,
      /SETU_CLIENT_ID/,
    ],
    [
      'an address that the locker of Cashfree does not allow',
      () => keys('address'),
      'cashfree-locker',
      /ip_validation_failed/,
      /allow-list/,
    ],
    [
      'fields of the locker of Setu with other names',
      () => keys('shape'),
      'setu-locker',
      /malformed: status 404/,
      /contract/,
    ],
    [
      'a wrong key at the KYC links of Cashfree',
      () => keys('wrong-key'),
      'cashfree-ekyc',
      /authentication_failed/,
      /CASHFREE_CLIENT_ID/,
    ],
    [
      'fields of a KYC link with other names',
      () => keys('shape'),
      'cashfree-ekyc',
      /malformed: status 404/,
      /contract/,
    ],
    [
      'a template of KYC links that Cashfree does not have',
      () => ({ CASHFREE_KYC_TEMPLATE: 'gone' }),
      'cashfree-ekyc',
      /a link of the template gone is refused/,
      /CASHFREE_KYC_TEMPLATE/,
    ],
    [
      'a wrong key at the document locker',
      () => keys('wrong-key'),
      'document-locker',
      /status 401/,
      /check DOCUMENT_LOCKER_URL and DOCUMENT_LOCKER_API_KEY/,
    ],
    [
      'fields of hosted eKYC with other names',
      () => keys('shape'),
      'ekyc',
      /malformed: status 404/,
      /contract/,
    ],
    [
      'hosted eKYC that is down',
      () => keys('unavailable'),
      'ekyc',
      /unavailable: status 503/,
      /accepts no calls/,
    ],
    // PAN look-ups have a time limit that settings can shorten
    [
      'a silent vendor',
      () => ({ ...keys('silent'), PAN_LOOKUP_TIMEOUT_MS: '100' }),
      'cashfree-pan',
      /timeout/,
      /in time: check CASHFREE_URL/,
    ],
    [
      'a vendor that is down',
      () => keys('unavailable'),
      'bank',
      /unavailable: status 503/,
      /accepts no calls/,
    ],
    [
      'an unreachable vendor',
      () => ({ SETU_URL: 'http://127.0.0.1:1' }),
      'setu-pan',
      /ECONNREFUSED/,
      /Cannot connect to 127.0.0.1:1/,
    ],
    [
      'an unreachable issuer',
      () => ({ ISSUER_API_URL: 'http://127.0.0.1:1' }),
      'issuer-kaveri',
      /ECONNREFUSED/,
      /check ISSUER_API_URL and ISSUER_API_KEY/,
    ],
    [
      'an unreachable SMS provider',
      () => ({ SMS_PRIMARY_URL: 'http://127.0.0.1:1' }),
      'sms-primary',
      /ECONNREFUSED/,
      /check SMS_PRIMARY_URL and SMS_PRIMARY_API_KEY/,
    ],
    [
      'a host without an address',
      () => ({ CASHFREE_URL: 'https://cashfree.invalid' }),
      'cashfree-pan',
      /ENOTFOUND|EAI_AGAIN/,
      /DNS/,
    ],
  ])('reports %s and names the remedy', async (_what, changes, provider, detail, action) => {
    const { code, checks } = await checksOf(changes(), ['--test-values', '--provider', provider]);
    const faults = checks.filter(({ outcome }) => outcome === 'fault');
    expect(code).toBe(1);
    expect(faults).toContainEqual(
      expect.objectContaining({
        vendor: provider,
        detail: expect.stringMatching(detail) as string,
        action: expect.stringMatching(action) as string,
      }),
    );
  });

  it('reports an untrusted certificate', async () => {
    const { https } = await sandboxPorts();
    const { code, checks } = await checksOf({ SETU_URL: `https://127.0.0.1:${https}` }, [
      '--provider',
      'setu-pan',
    ]);
    expect(code).toBe(1);
    expect(checks[0]).toMatchObject({
      check: 'reach',
      action: expect.stringMatching(/certificate/) as string,
    });
    expect(checks[1]).toMatchObject({ outcome: 'skipped', detail: 'not run: see reach' });
  });

  it('pays for nothing without --paid, and once with it', async () => {
    const pan = 'ABCPK1234F';
    const free = await checksOf({}, ['--provider', 'cashfree']);
    expect(free.code).toBe(0);
    expect(free.checks.filter(({ outcome }) => outcome === 'skipped').map(({ detail }) => detail)).toEqual([
      'costs two calls (pan and pan-lite): run with --paid',
      'costs one penny drop: run with --paid',
      'costs one KYC link, if the vendor charges for unused links: run with --paid',
    ]);
    const before = (await effectsOf('cashfree', pan)).length;
    const person = JSON.stringify({ pan, date_of_birth: '1990-01-01' });
    const { code, text } = await examined({}, ['--paid', '--provider', 'cashfree', ...WHO], person);
    expect(code).toBe(0);
    expect((await effectsOf('cashfree', pan)).length - before).toBe(2);
    expect(text).toMatch(/charged: two calls/);
    expect(text).toMatch(/needs account_number, ifsc, holder_name/);
    expect(text).toMatch(/needs phone/);
    expect(text).not.toContain(pan);
    const recorded = await service.dataSource.query<object[]>(
      `SELECT actor, code FROM onboarding.audit_unsealed WHERE action = 'VENDORS_PAID_CHECK'
       UNION ALL SELECT actor, code FROM onboarding.audit_events WHERE action = 'VENDORS_PAID_CHECK'`,
    );
    expect(recorded).toEqual([{ actor: 'operator:doctor by asha-rao', code: 'TICKET_4711' }]);
  });

  it('skips the paid check of an account whose holder is not named, and says which field it needs', async () => {
    const account = '501000121111';
    const person = JSON.stringify({ account_number: account, ifsc: 'HDFC0001234' });
    const { code, text } = await examined({}, ['--paid', '--provider', 'bank', ...WHO], person);
    expect(text).toMatch(/account verification +needs holder_name$/m);
    expect(code).toBe(0);
  });

  it('sends no test values to hosts where a vendor charges', async () => {
    const { checks } = await checksOf({ SETU_URL: 'http://setu.invalid' }, [
      '--test-values',
      '--provider',
      'setu-pan',
    ]);
    expect(checks.filter(({ check }) => check === 'PAN look-up')).toEqual([
      expect.objectContaining({ outcome: 'skipped' }),
    ]);
  });

  it.each([
    ['to a file', 'file'],
    ['as the last line of its output', '-'],
  ])('writes a report that the published keys verify, %s', async (_where, target) => {
    const file = join(tmpdir(), `doctor-${process.pid}.jws`);
    const { config, output } = await examined({}, [
      '--provider',
      'ekyc',
      '--report',
      target === '-' ? '-' : file,
    ]);
    const [jws, ...table] = output.trimEnd().split('\n').reverse();
    if (target === '-') expect(table.join()).toContain('ekyc');
    const key = await importJWK({ ...config.tokens.keys[0]!.publicJwk }, 'ES256');
    const { payload, protectedHeader } = await compactVerify(
      target === '-' ? jws! : await readFile(file, 'utf8'),
      key,
    );
    expect(protectedHeader).toMatchObject({ typ: 'doctor-report+jws', kid: 'test-key' });
    const report = JSON.parse(new TextDecoder().decode(payload)) as object;
    expect(report).toMatchObject({ is_green: true, issuer: 'http://localhost:3001' });
  });

  it.each([
    ['an unknown provider', ['--provider', 'nobody'], ''],
    ['an unknown option', ['--fast'], ''],
    ['both kinds of values', ['--paid', '--test-values'], ''],
    ['a paid check without an operator', ['--paid'], '{"pan":"ABCPK1234F"}'],
    ['values in malformed JSON', ['--paid', ...WHO], 'ABCPK1234F'],
    ['an unknown field', ['--paid', ...WHO], '{"aadhaar":"234567812346"}'],
  ])('exits with 2 for %s, and prints none of the values it was given', async (_what, args, input) => {
    const { code, text } = await examined({}, args, input);
    expect(code).toBe(2);
    expect(text).not.toMatch(/ABCPK1234F|234567812346/);
  });
});

let stub: ScriptedProvider;
beforeAll(async () => {
  stub = await ScriptedProvider.start();
});
afterAll(() => stub.stop());

/** Checks one vendor, whose stub answers every call as given. */
async function checksOfVendor(
  vendor: string,
  behaviour: Behaviour,
  changes: Environment = {},
  args: readonly string[] = [],
) {
  stub.behaviour = behaviour;
  const given = { ...everyVendor(new URL(stub.url).origin), ...changes };
  const nobody = () => Promise.reject(new Error('a free run records nothing'));
  const { code, output } = await runDoctor(nobody, given, ['--json', '--provider', vendor, ...args]);
  return { code, checks: (JSON.parse(output) as { checks: readonly Check[] }).checks };
}

const answersHtml =
  (status: number): Behaviour =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html><h1>Not here</h1></html>');

/** The answer to the calls whose path ends with one of these texts; to the others that of OTHERWISE. */
const byPath =
  (paths: Readonly<Record<string, Behaviour>>, otherwise: Behaviour): Behaviour =>
  (response) => {
    const path = response.req.url!.split('?')[0]!;
    const known = Object.keys(paths).find((end) => path.endsWith(end));
    (known === undefined ? otherwise : paths[known]!)(response);
  };

const ownError = (type: string) => ({ error: { type, message: 'No.' } });
const cashfreeError = (type: string, code: string, message: string) => ({ type, code, message });
const setuError = (code: string) => ({ error: { code, detail: 'No.', traceId: '1-5759e988' } });
const twilioError = (status: number, code: number) => ({ code, message: 'No.', more_info: '', status });
const fineractError = (code: string, errors: object[] = []) => ({
  developerMessage: 'No.',
  httpStatusCode: '400',
  defaultUserMessage: 'No.',
  userMessageGlobalisationCode: code,
  errors,
});
const cbsError = (responseCode: string) => ({ header: { responseCode }, body: {} });

interface Vendor {
  /** A setting that each remedy names. */
  readonly setting: RegExp;
  /** Its documented refusal of a key, and of a product that the account does not have. */
  readonly wrongKey: Behaviour;
  readonly notEnabled: Behaviour;
}

const OWN = {
  wrongKey: answersJson(401, ownError('authentication_failed')),
  notEnabled: answersJson(400, ownError('product_not_enabled')),
};
const CASHFREE: Vendor = {
  setting: /CASHFREE_URL|CASHFREE_CLIENT_ID/,
  wrongKey: answersJson(
    401,
    cashfreeError(
      'authentication_error',
      'authentication_failed',
      'Invalid clientId and clientSecret combination',
    ),
  ),
  notEnabled: answersJson(
    400,
    cashfreeError('validation_error', 'invalid_request', 'service not enabled for this account'),
  ),
};
const SETU: Vendor = {
  setting: /SETU_URL|SETU_CLIENT_ID/,
  wrongKey: answersJson(401, setuError('unauthorised')),
  notEnabled: answersJson(400, setuError('product_not_enabled')),
};
const VENDORS: Readonly<Record<string, Vendor>> = {
  msg91: {
    setting: /MSG91_URL|MSG91_AUTH_KEY/,
    wrongKey: answersJson(200, { type: 'error', message: 'Invalid authkey', code: '207' }),
    notEnabled: answersJson(400, { status: 'fail', hasError: true, errors: 'SMS is not enabled' }),
  },
  twilio: {
    setting: /TWILIO_URL|TWILIO_ACCOUNT_SID/,
    wrongKey: answersJson(401, twilioError(401, 20003)),
    notEnabled: answersJson(400, twilioError(400, 20001)),
  },
  aws: {
    setting: /AWS_SMS_REGION|AWS_SMS_ACCESS_KEY_ID/,
    wrongKey: answersJson(400, { __type: 'UnrecognizedClientException', Message: 'No.' }),
    notEnabled: answersJson(400, { __type: 'OptInRequired', Message: 'No.' }),
  },
  'sms-primary': { setting: /SMS_PRIMARY_URL/, ...OWN },
  'cashfree-pan': CASHFREE,
  'setu-pan': SETU,
  'pan-registry': { setting: /PAN_REGISTRY_URL/, ...OWN },
  'cashfree-bank': CASHFREE,
  'setu-bank': SETU,
  bank: { setting: /BANK_VERIFICATION_URL/, ...OWN },
  aadhaar: { setting: /AADHAAR_URL/, ...OWN },
  'setu-locker': SETU,
  'cashfree-locker': CASHFREE,
  'document-locker': { setting: /DOCUMENT_LOCKER_URL/, ...OWN },
  'cashfree-ekyc': CASHFREE,
  ekyc: { setting: /EKYC_URL/, ...OWN },
  // over Fineract
  'issuer-aravalli': {
    setting: /ISSUER_API_OVERRIDES/,
    wrongKey: answersJson(401, fineractError('error.msg.not.authenticated')),
    notEnabled: answersJson(400, fineractError('validation.msg.validation.errors.exist')),
  },
  // core banking, which answers 200
  'issuer-kaveri': {
    setting: /ISSUER_API_URL/,
    wrongKey: answersJson(401, cbsError('05')),
    notEnabled: answersJson(200, cbsError('30')),
  },
  'issuer-nilgiri': { setting: /ISSUER_API_URL/, ...OWN },
};

/** What a vendor, or another server at a wrong address, may answer to each of our calls; with the words of the remedy. */
const KINDS: readonly [kind: string, answer: (vendor: Vendor) => Behaviour, remedy: RegExp][] = [
  ['a wrong base path, with a web page', () => answersHtml(404), /path/],
  ['a wrong base path, with JSON', () => answersJson(404, { message: 'no Route matched' }), /path/],
  ['a wrong key', ({ wrongKey }) => wrongKey, /key|user and password/],
  ['a product that is not enabled', ({ notEnabled }) => notEnabled, /enabled/],
  ['a redirect', () => BEHAVIOURS.redirects, /redirect/],
  ['a web page', () => BEHAVIOURS.answersHtml, /not JSON/],
];

/** Checks that need no answer of the vendor's API. */
const WITHOUT_API = ['reach', 'registered texts'];

describe('users-service doctor, at each vendor', () => {
  describe.each(Object.keys(VENDORS))('%s', (vendor) => {
    it.each(KINDS)('is not green for %s, and names the remedy', async (_kind, answer, remedy) => {
      const { code, checks } = await checksOfVendor(vendor, answer(VENDORS[vendor]!));
      const [fault] = checks.filter(({ outcome }) => outcome === 'fault');
      expect(fault?.action).toMatch(remedy);
      expect(fault?.action).toMatch(VENDORS[vendor]!.setting);
      const isGreen = checks.filter(({ outcome, check }) => outcome === 'ok' && !WITHOUT_API.includes(check));
      expect([isGreen, code]).toEqual([[], 1]);
    });
  });

  it('knows every vendor', async () => {
    const { text } = await runDoctor(() => Promise.reject(new Error()), everyVendor(), [
      '--provider',
      'none',
    ]);
    const [, names = ''] = /must be one of (.*)\n/.exec(text)!;
    const others = ['sms-fallback', 'mail', 'issuer-sahyadri', 'issuer-vindhya'];
    expect(names.split(', ').sort()).toEqual([...Object.keys(VENDORS), ...others].sort());
  });
});

const PAN = 'ABCPV1234D';
const SERVICE_ID = `MG${'0123456789abcdef'.repeat(2)}`;
const REVEALED = {
  pan: PAN,
  valid: true,
  pan_status: 'VALID',
  type: 'Individual',
  registered_name: 'JOHN DOE',
};
const SHORT_PAN = answersJson(400, cashfreeError('validation_error', 'pan_length_short', 'Enter valid PAN.'));

describe('users-service doctor, with documented answers', () => {
  it.each<
    [what: string, vendor: string, answer: Behaviour, detail: RegExp, action: RegExp, changes?: Environment]
  >([
    [
      'a refused address of MSG91',
      'msg91',
      answersJson(200, { type: 'error', message: 'IP is not whitelisted', code: '418' }),
      /418/,
      /Allow our egress addresses/,
    ],
    [
      'a refused address of MSG91, by status',
      'msg91',
      answersJson(418, { message: 'no' }),
      /418/,
      /Allow our egress addresses/,
    ],
    [
      'a wrong key of MSG91, in the newer shape',
      'msg91',
      answersJson(200, { status: 'fail', hasError: true, errors: 'Unauthorized', code: '401' }),
      /207/,
      /MSG91_AUTH_KEY/,
    ],
    [
      'a wrong key of MSG91, in the older shape',
      'msg91',
      answersJson(401, { msg_type: 'error', msg: 'Authentication failure' }),
      /207/,
      /MSG91_AUTH_KEY/,
    ],
    [
      'a balance at Twilio that pays for no message',
      'twilio',
      answersJson(200, { account_sid: 'AC1', balance: '0.02', currency: 'USD' }),
      /0\.02 USD/,
      /Put money/,
    ],
    [
      'test credentials of Twilio',
      'twilio',
      answersJson(403, twilioError(403, 20008)),
      /20008/,
      /test credentials.*live ones/,
    ],
    [
      'an unknown messaging service of Twilio',
      'twilio',
      byPath(
        { [SERVICE_ID]: answersJson(404, twilioError(404, 20404)) },
        answersJson(200, { balance: '41.20', currency: 'USD' }),
      ),
      /no messaging service/,
      /TWILIO_FROM/,
      { TWILIO_FROM: SERVICE_ID },
    ],
    [
      'a test secret at the live address of Cashfree',
      'cashfree-pan',
      answersJson(
        400,
        cashfreeError(
          'validation_error',
          'x-client-secret_value_invalid',
          'Client secret belongs to test environment',
        ),
      ),
      /credentials/,
      /test or live.*CASHFREE_URL/,
    ],
    [
      'a product that is inactive at Cashfree, with 404',
      'cashfree-bank',
      answersJson(404, cashfreeError('internal_error', 'api_error', 'something went wrong')),
      /status 404/,
      /CASHFREE_URL.*enabled/,
    ],
    [
      'a path that Cashfree does not have',
      'cashfree-pan',
      answersJson(
        404,
        cashfreeError('api_connection_error', 'request_failed', 'endpoint or method is not valid'),
      ),
      /status 404/,
      /path.*CASHFREE_URL/,
    ],
    [
      'a second call of Cashfree that is not enabled',
      'cashfree-pan',
      byPath({ '/pan': SHORT_PAN }, CASHFREE.notEnabled),
      /not enabled/,
      /enabled in the dashboard/,
    ],
    [
      'an unknown product instance of Setu',
      'setu-bank',
      answersJson(404, setuError('product_instance_not_found')),
      /product/,
      /PRODUCT_ID/,
    ],
    [
      'a wrong secret of AWS',
      'aws',
      answersJson(403, { __type: 'InvalidSignatureException', Message: 'The signature does not match.' }),
      /InvalidSignatureException/,
      /AWS_SMS_SECRET_ACCESS_KEY.*clock/,
    ],
    [
      'an expired key of AWS',
      'aws',
      answersJson(403, { __type: 'ExpiredTokenException', Message: 'No.' }),
      /ExpiredTokenException/,
      /AWS_SMS_ACCESS_KEY_ID/,
    ],
    [
      'a missing column of Fineract',
      'issuer-aravalli',
      byPath(
        {
          '/clients/search': answersJson(200, { content: [] }),
          '/query': answersJson(
            400,
            fineractError('validation.msg.validation.errors.exist', [
              { userMessageGlobalisationCode: 'error.msg.invalid.column', parameterName: 'column' },
            ]),
          ),
        },
        answersJson(404, {}),
      ),
      /column/,
      /fd_payout_accounts.*README/,
    ],
  ])('reports %s', async (_what, vendor, answer, detail, action, changes = {}) => {
    const { code, checks } = await checksOfVendor(vendor, answer, changes);
    const [fault] = checks.filter(({ outcome }) => outcome === 'fault');
    expect(fault?.detail).toMatch(detail);
    expect(fault?.action).toMatch(action);
    expect(code).toBe(1);
  });

  it('asks Fineract for every column that a registration writes', async () => {
    await checksOfVendor(
      'issuer-aravalli',
      byPath({ '/clients/search': answersJson(200, { content: [] }) }, answersJson(200, [])),
    );
    const { path } = stub.calls.at(-1)!;
    const columns = new URL(path, stub.url).searchParams.get('resultColumns')!.split(',');
    expect(columns).toEqual(
      expect.arrayContaining(['reference', 'holder_name', 'account_number', 'ifsc', 'status']),
    );
  });

  it('passes at a messaging service of the account', async () => {
    const { code } = await checksOfVendor(
      'twilio',
      byPath(
        { [SERVICE_ID]: answersJson(200, { sid: SERVICE_ID }) },
        answersJson(200, { balance: '41.20', currency: 'USD' }),
      ),
      { TWILIO_FROM: SERVICE_ID },
    );
    expect(code).toBe(0);
  });

  it('reports a changed shape of the second of two calls as such', async () => {
    const changed = answersJson(200, { reference_id: 1, match: 'Y', pan_status: 'E' });
    const lookUp = byPath({ '/pan': answersJson(200, REVEALED) }, changed);
    const { checks } = await checksOfVendor(
      'cashfree-pan',
      (response) => (stub.calls.at(-1)!.body['pan'] === PAN ? lookUp : SHORT_PAN)(response),
      {},
      ['--test-values'],
    );
    expect(checks.filter(({ outcome }) => outcome === 'fault')).toEqual([
      expect.objectContaining({
        check: 'PAN look-up',
        detail: 'the second of two calls: malformed: status 200: name_match, dob_match',
        action: expect.stringMatching(/differs from the contract/) as string,
      }),
    ]);
  });
});
