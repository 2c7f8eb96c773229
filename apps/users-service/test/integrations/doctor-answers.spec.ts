import type { Environment } from '@fd/platform';
import { type Check, everyVendor, runDoctor } from '../support/doctor.js';
import { answersJson, type Behaviour, BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';

let stub: ScriptedProvider;
beforeAll(async () => {
  stub = await ScriptedProvider.start();
});
afterAll(() => stub.stop());

/** Checks one vendor, whose stub answers every call as given. */
async function checksOf(
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
      const { code, checks } = await checksOf(vendor, answer(VENDORS[vendor]!));
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
    const { code, checks } = await checksOf(vendor, answer, changes);
    const [fault] = checks.filter(({ outcome }) => outcome === 'fault');
    expect(fault?.detail).toMatch(detail);
    expect(fault?.action).toMatch(action);
    expect(code).toBe(1);
  });

  it('asks Fineract for every column that a registration writes', async () => {
    await checksOf(
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
    const { code } = await checksOf(
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
    const { checks } = await checksOf(
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
