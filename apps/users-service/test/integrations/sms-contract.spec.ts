import dns from 'node:dns';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timeLimit } from '@fd/envelope';
import { ProviderError, type ProviderFailure } from '@fd/errors';
import type { Environment } from '@fd/platform';
import { usersConfig } from '../../src/config/users-config.js';
import type { AwsSmsAdapter } from '../../src/integrations/sms/adapters/aws/aws-sms.adapter.js';
import { smsAdapters } from '../../src/integrations/sms/adapters/sms-adapters.js';
import type { SmsMessage, SmsProvider } from '../../src/integrations/sms/sms.port.js';
import { aPhone, aPhoneEnding, inboxOf } from '../support/inbox.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import {
  answersJson,
  type Behaviour,
  BEHAVIOURS,
  pours,
  ScriptedProvider,
} from '../support/scripted-provider.js';
import { settings } from '../support/settings.js';
import { LIVE_LIMIT_MS, placesOf } from '../support/vendor-places.config.js';

const ACCOUNT = `AC${'0123456789abcdef'.repeat(2)}`;
const TEXT =
  '{#numeric#} is your code to log in. It is valid for {#numeric#} minutes. Do not share it with anyone.';
const REGISTRATION = {
  SMS_DLT_ENTITY_ID: '1101234567890123456',
  SMS_DLT_HEADER: 'FDEPOS',
  SMS_TEMPLATES: JSON.stringify({
    login_otp: { text: TEXT, dlt_template_id: '1107123456789012345', msg91_template_id: 'flow1' },
    pan_taken_over: { text: 'any', dlt_template_id: '1107123456789012346', msg91_template_id: 'flow2' },
  }),
};

/** The settings of each provider below a base URL, and its answer when it has accepted a message. */
const PROVIDERS: Readonly<
  Record<
    string,
    { readonly at: (base: string) => Environment; readonly sandboxPath: string; readonly taken: Behaviour }
  >
> = {
  primary: {
    at: (base) => ({ SMS_PRIMARY_URL: `${base}/messages` }),
    sandboxPath: '/providers/sms/primary',
    taken: answersJson(202, { message_id: 'm-1' }),
  },
  msg91: {
    at: (base) => ({ MSG91_URL: `${base}/api/v5`, MSG91_AUTH_KEY: 'msg91-key' }),
    sandboxPath: '/vendors/msg91',
    taken: answersJson(200, { type: 'success', message: '3763646c3058373530393938' }),
  },
  twilio: {
    at: (base) => ({
      TWILIO_URL: base,
      TWILIO_ACCOUNT_SID: ACCOUNT,
      TWILIO_AUTH_TOKEN: 'twilio-token',
      TWILIO_FROM: 'FDEPOS',
    }),
    sandboxPath: '/vendors/twilio',
    taken: answersJson(201, { sid: 'SM1', status: 'queued', error_code: null }),
  },
  aws: {
    at: (base) => ({
      AWS_SMS_URL: base,
      AWS_SMS_REGION: 'ap-south-1',
      AWS_SMS_ORIGINATION: 'FDEPOS',
      AWS_SMS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      AWS_SMS_SECRET_ACCESS_KEY: 'aws-secret',
    }),
    sandboxPath: '/vendors/aws',
    taken: answersJson(200, { MessageId: '0190-1' }),
  },
};

function adapterOf(name: string, base: string, more: Environment = {}): SmsProvider {
  const given = { SMS_PROVIDERS: name, ...REGISTRATION, ...PROVIDERS[name]!.at(base), ...more };
  return smsAdapters(usersConfig(settings(given)).sms)[0]!;
}

const aMessage = (phone = aPhone()): SmsMessage => ({
  phone,
  templateId: 'login_otp',
  variables: { code: '493027', minutes: '10' },
  idempotencyKey: 'key-of-this-message',
  usefulMs: 600_000,
});

/** For providers that never answer. */
const SILENT_MS = timeLimit(100);

const send = (provider: SmsProvider, message = aMessage(), limitMs = timeLimit(3_000)) =>
  provider.send(message, AbortSignal.timeout(limitMs));
type LookUp = (error: NodeJS.ErrnoException) => void;
const failing = (failure: ProviderFailure) => expect.objectContaining({ name: 'ProviderError', failure });

const FAULTS: readonly [what: string, behaviour: Behaviour, failure: ProviderFailure][] = [
  ['refuses our key (401)', answersJson(401, { message: 'who are you' }), 'misconfigured'],
  ['refuses our address (403)', answersJson(403, { message: 'not from here' }), 'misconfigured'],
  ['refuses the message (400)', answersJson(400, { message: 'no' }), 'refused'],
  ['fails at a proxy (502)', answersJson(502, {}), 'timeout'],
  ['times out at a proxy (504)', answersJson(504, {}), 'timeout'],
  ['answers a web page', BEHAVIOURS.answersHtml, 'malformed'],
  ['answers nothing', BEHAVIOURS.answersNothing, 'malformed'],
  ['answers other JSON', answersJson(200, { status: 'fine' }), 'malformed'],
  ['answers too much', BEHAVIOURS.answersHuge, 'malformed'],
  ['redirects', BEHAVIOURS.redirects, 'timeout'],
  ['breaks off', BEHAVIOURS.breaksOff, 'timeout'],
];

/** To test a new adapter, add a line to PROVIDERS. */
describe.each(Object.keys(PROVIDERS))('SMS adapter: %s', (name) => {
  const { sandboxPath, taken } = PROVIDERS[name]!;
  let scripted: ScriptedProvider;
  let provider: SmsProvider;
  beforeAll(async () => {
    scripted = await ScriptedProvider.start();
    provider = adapterOf(name, scripted.url);
  });
  afterAll(() => scripted.stop());

  describe('at the sandbox', () => {
    const played = () => adapterOf(name, `${sandboxUrl()}${sandboxPath}`);

    it('delivers a message with its values', async () => {
      const message = aMessage();
      await expect(send(played(), message)).resolves.toBeUndefined();
      expect(await inboxOf(message.phone)).toMatchObject([{ channel: 'sms', code: '493027' }]);
    });

    it.each<[string, string, ProviderFailure]>([
      ['is down', '0503', 'unavailable'],
      ['answers XML', '0506', 'malformed'],
    ])('reports the failure of a message when it %s', async (_what, ending, failure) => {
      const message = aMessage(aPhoneEnding(ending));
      await expect(send(played(), message)).rejects.toEqual(failing(failure));
      expect(await inboxOf(message.phone)).toEqual([]);
    });
  });

  it.each(FAULTS)(
    'reports the failure of a message when the provider %s',
    async (_what, behaviour, failure) => {
      scripted.behaviour = behaviour;
      await expect(send(provider)).rejects.toEqual(failing(failure));
    },
  );

  it.each([200, 400, 500])('stops reading an answer of status %i that has no end', async (status) => {
    scripted.behaviour = pours(status);
    const tooLarge = { failure: 'malformed', detail: 'answer too large' };
    await expect(send(provider)).rejects.toMatchObject(tooLarge);
  });

  it('reports that nothing was sent when the provider is unreachable', async () => {
    const gone = await ScriptedProvider.start();
    const nowhere = adapterOf(name, gone.url);
    await gone.stop();
    await expect(send(nowhere)).rejects.toEqual(failing('unavailable'));
  });

  it("accepts the provider's success answer", async () => {
    scripted.behaviour = taken;
    await expect(send(provider)).resolves.toBeUndefined();
  });
});

describe('a silent SMS provider', () => {
  it.concurrent.each(Object.entries(PROVIDERS))(
    'reports the failure of a message when the sandbox hangs: %s',
    async (name, { sandboxPath }) => {
      const message = aMessage(aPhoneEnding('0504'));
      const played = adapterOf(name, `${sandboxUrl()}${sandboxPath}`);
      await expect(send(played, message, SILENT_MS)).rejects.toEqual(failing('timeout'));
      expect(await inboxOf(message.phone)).toEqual([]);
    },
  );

  it.concurrent.each(Object.keys(PROVIDERS))(
    'reports the failure of a message when the provider hangs: %s',
    async (name) => {
      const scripted = await ScriptedProvider.start();
      scripted.behaviour = BEHAVIOURS.hangs;
      await expect(send(adapterOf(name, scripted.url), aMessage(), SILENT_MS)).rejects.toEqual(
        failing('timeout'),
      );
      await scripted.stop();
    },
  );
});

describe('answers with the status of a success', () => {
  it.each([
    ['primary', { id: 'm-1' }, 'malformed', 'status 201: message_id'],
    ['twilio', { sid: 'SM1' }, 'malformed', 'status 201: status'],
    ['twilio', { sid: 'SM1', status: 'failed' }, 'refused', 'failed'],
    ['msg91', { type: 'error', message: 'no', code: '999' }, 'refused', 'status 201: type error'],
    ['msg91', { type: 'error', message: 'no', code: '301' }, 'misconfigured', 'status 201: type error: 301'],
    ['msg91', { type: 'success' }, 'malformed', 'status 201: message'],
  ])('does not take a message of %s as sent by %j: %s', async (name, body, failure, detail) => {
    const scripted = await ScriptedProvider.start();
    scripted.behaviour = answersJson(201, body);
    await expect(send(adapterOf(name, scripted.url))).rejects.toMatchObject({ failure, detail });
    await scripted.stop();
  });
});

describe('requests to the vendors', () => {
  let scripted: ScriptedProvider;
  beforeAll(async () => {
    scripted = await ScriptedProvider.start();
  });
  afterAll(() => scripted.stop());

  const sentBy = async (name: string, more: Environment = {}) => {
    scripted.behaviour = PROVIDERS[name]!.taken;
    await send(adapterOf(name, scripted.url, more), aMessage('919812345678'));
    const { method, path, headers, body } = scripted.calls.at(-1)!;
    const { authorization, authkey, 'content-type': type, 'idempotency-key': idempotencyKey } = headers;
    return { method, path, authorization, authkey, type, idempotencyKey, body };
  };

  it('sends a provider of our own format the text, its values and the registration', async () => {
    expect(await sentBy('primary')).toEqual({
      method: 'POST',
      path: '/messages/messages',
      authorization: 'Bearer sms-primary-key',
      authkey: undefined,
      type: 'application/json',
      idempotencyKey: 'key-of-this-message',
      body: {
        to: '919812345678',
        template_id: 'login_otp',
        text: '493027 is your code to log in. It is valid for 10 minutes. Do not share it with anyone.',
        variables: { code: '493027', minutes: '10' },
        dlt_entity_id: '1101234567890123456',
        dlt_header: 'FDEPOS',
        dlt_template_id: '1107123456789012345',
      },
    });
  });

  it('sends MSG91 the flow with the values by name', async () => {
    expect(await sentBy('msg91')).toEqual({
      method: 'POST',
      path: '/messages/api/v5/flow',
      authorization: undefined,
      authkey: 'msg91-key',
      type: 'application/json',
      idempotencyKey: undefined,
      body: {
        template_id: 'flow1',
        sender: 'FDEPOS',
        short_url: '0',
        recipients: [{ mobiles: '919812345678', code: '493027', minutes: '10' }],
      },
    });
  });

  it.each([
    ['FDEPOS', 'From'],
    ['+14155550100', 'From'],
    [`MG${'0'.repeat(32)}`, 'MessagingServiceSid'],
  ])('sends Twilio a form, from %s as %s', async (from, field) => {
    expect(await sentBy('twilio', { TWILIO_FROM: from })).toEqual({
      method: 'POST',
      path: `/messages/2010-04-01/Accounts/${ACCOUNT}/Messages.json`,
      authorization: `Basic ${Buffer.from(`${ACCOUNT}:twilio-token`).toString('base64')}`,
      authkey: undefined,
      type: 'application/x-www-form-urlencoded',
      idempotencyKey: undefined,
      body: {
        To: '+919812345678',
        [field]: from,
        Body: '493027 is your code to log in. It is valid for 10 minutes. Do not share it with anyone.',
        ValidityPeriod: '600',
      },
    });
  });
});

describe('requests to AWS', () => {
  let scripted: ScriptedProvider;
  beforeAll(async () => {
    scripted = await ScriptedProvider.start();
    scripted.behaviour = PROVIDERS['aws']!.taken;
  });
  beforeEach(() => (scripted.calls.length = 0));
  afterAll(() => scripted.stop());

  const TEXT_SENT = '493027 is your code to log in. It is valid for 10 minutes. Do not share it with anyone.';
  const BODY = {
    DestinationPhoneNumber: '+919812345678',
    OriginationIdentity: 'FDEPOS',
    MessageBody: TEXT_SENT,
    MessageType: 'TRANSACTIONAL',
    TimeToLive: 600,
    DestinationCountryParameters: {
      IN_ENTITY_ID: '1101234567890123456',
      IN_TEMPLATE_ID: '1107123456789012345',
    },
  };

  it('signs requests to AWS, with the text, its registration and the life of the code', async () => {
    await send(adapterOf('aws', scripted.url), aMessage('919812345678'));
    const [{ method, path, headers, body }] = scripted.calls as [(typeof scripted.calls)[0]];
    expect([method, path]).toEqual(['POST', '/messages/']);
    expect(headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/ap-south-1\/sms-voice\/aws4_request, /,
      ) as string,
    });
    expect(body).toEqual(BODY);
  });

  it.each([
    [0, undefined],
    [1_000, 5],
    [864_000_000, 259_200],
  ])('limits a life of %i ms to what AWS takes', async (usefulMs, TimeToLive) => {
    await send(adapterOf('aws', scripted.url), { ...aMessage(), usefulMs });
    expect(scripted.calls.map(({ body }) => body['TimeToLive'])).toEqual([TimeToLive]);
  });

  it.each<[status: number, body: object, headers?: Record<string, string>]>([
    [500, { __type: 'InternalServerException' }],
    [429, { __type: 'ThrottlingException' }],
    [503, {}],
  ])('does not let the SDK repeat a request after %i', async (status, body) => {
    scripted.behaviour = answersJson(status, body);
    await expect(send(adapterOf('aws', scripted.url))).rejects.toBeInstanceOf(ProviderError);
    expect(scripted.calls).toHaveLength(1);
    scripted.behaviour = PROVIDERS['aws']!.taken;
  });

  it.each([
    [8_192, 'accepts'],
    [8_193, 'refuses'],
  ])('reads 8 KiB of an answer: of %i bytes it %s a message', async (size, outcome) => {
    scripted.behaviour = (response) => response.end('{"MessageId":"m-1"}'.padEnd(size));
    const sent = send(adapterOf('aws', scripted.url)).then(
      () => 'accepts',
      () => 'refuses',
    );
    expect(await sent).toBe(outcome);
    scripted.behaviour = PROVIDERS['aws']!.taken;
  });

  describe("with the SDK's own settings of endpoints", () => {
    let folder: string;
    beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'aws-'))));
    afterAll(() => rm(folder, { recursive: true }));

    const SERVICE = 'pinpoint_sms_voice_v2';
    const CASES: Readonly<Record<string, (url: string) => { env?: Environment; file?: string }>> = {
      AWS_ENDPOINT_URL: (url) => ({ env: { AWS_ENDPOINT_URL: url } }),
      'AWS_ENDPOINT_URL of the service': (url) => ({
        env: { [`AWS_ENDPOINT_URL_${SERVICE.toUpperCase()}`]: url },
      }),
      'endpoint_url in the file': (url) => ({ file: `[default]\nendpoint_url = ${url}\n` }),
      'endpoint_url of the service in the file': (url) => ({
        file: `[default]\nservices = own\n[services own]\n${SERVICE} =\n  endpoint_url = ${url}\n`,
      }),
    };

    it.each(
      Object.entries(CASES).flatMap(([what, given]) =>
        ["AWS's own", 'ours'].map((endpoint) => [what, endpoint, given] as const),
      ),
    )('ignores %s: asks %s endpoint', async (what, endpoint, given) => {
      const other = await ScriptedProvider.start();
      other.behaviour = PROVIDERS['aws']!.taken;
      const { env = {}, file = '' } = given(other.url);
      const path = join(folder, `${what} ${endpoint}`);
      await writeFile(path, file);
      jest.replaceProperty(process, 'env', { ...process.env, AWS_CONFIG_FILE: path, ...env });
      const hosts: string[] = [];
      jest.spyOn(dns, 'lookup').mockImplementation(((host: string, _options: object, reply: LookUp) => {
        hosts.push(host);
        reply(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }));
      }) as typeof dns.lookup);
      if (endpoint === 'ours') await send(adapterOf('aws', scripted.url));
      else {
        const sent = send(adapterOf('aws', '', { AWS_SMS_URL: '' }));
        await expect(sent).rejects.toEqual(failing('unavailable'));
      }
      jest.restoreAllMocks();
      await other.stop();
      expect(other.calls).toEqual([]);
      expect(hosts).toEqual(endpoint === 'ours' ? [] : ['sms-voice.ap-south-1.amazonaws.com']);
      expect(scripted.calls).toHaveLength(endpoint === 'ours' ? 1 : 0);
    });
  });

  it("signs with credentials that the SDK's chain finds, and sends nothing without any", async () => {
    const keyless = { AWS_SMS_ACCESS_KEY_ID: '', AWS_SMS_SECRET_ACCESS_KEY: '' };
    const nowhere = {
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: '/none',
      AWS_SHARED_CREDENTIALS_FILE: '/none',
    };
    const environment = jest.replaceProperty(process, 'env', { ...process.env, ...nowhere });
    const refused = send(adapterOf('aws', scripted.url, keyless));
    await expect(refused).rejects.toMatchObject({ failure: 'misconfigured', detail: 'no credentials' });
    environment.replaceValue({
      ...process.env,
      AWS_ACCESS_KEY_ID: 'AKIAFROMCHAIN',
      AWS_SECRET_ACCESS_KEY: 'secret',
    });
    await send(adapterOf('aws', scripted.url, keyless));
    expect(scripted.calls.map(({ headers }) => headers.authorization)).toEqual([
      expect.stringContaining('Credential=AKIAFROMCHAIN/'),
    ]);
  });
});

describe("answers in the vendors' formats", () => {
  let scripted: ScriptedProvider;
  beforeAll(async () => {
    scripted = await ScriptedProvider.start();
  });
  afterAll(() => scripted.stop());

  it.each<[name: string, what: string, status: number, body: object, failure: ProviderFailure]>([
    ['msg91', 'an error with status 200', 200, { type: 'error', message: 'no' }, 'refused'],
    ['msg91', 'a wrong key', 200, { type: 'error', message: 'Authentication failure' }, 'misconfigured'],
    ['msg91', 'a wrong key by its code', 200, { type: 'error', message: 'no', code: '207' }, 'misconfigured'],
    ['msg91', 'an address not allowed', 200, { type: 'error', message: 'no', code: 418 }, 'misconfigured'],
    ['msg91', 'an empty wallet', 200, { type: 'error', message: 'Insufficient balance' }, 'misconfigured'],
    ['msg91', 'an address not allowed, by status', 418, {}, 'misconfigured'],
    ['msg91', 'a wrong key with its status', 400, { type: 'error', message: '207' }, 'misconfigured'],
    ['msg91', 'an empty wallet by its code', 200, { type: 'error', message: '301' }, 'misconfigured'],
    ['msg91', 'an invalid number', 200, { type: 'error', message: 'Invalid mobile', code: '202' }, 'refused'],
    ['msg91', 'an error of the older shape', 200, { msg_type: 'error', msg: 'no' }, 'refused'],
    [
      'msg91',
      'a wrong key in the older shape',
      200,
      { msg_type: 'error', msg: 'x', code: 207 },
      'misconfigured',
    ],
    [
      'msg91',
      'an error of the newer shape',
      200,
      { status: 'fail', hasError: true, errors: 'no' },
      'refused',
    ],
    [
      'msg91',
      'a wrong key in the newer shape',
      200,
      { status: 'fail', hasError: true, errors: ['Unauthorized'] },
      'misconfigured',
    ],
    ['msg91', 'an error without a text', 200, { status: 'fail', hasError: true }, 'refused'],
    [
      'msg91',
      'words beyond 200 characters',
      200,
      { type: 'error', message: `${'IP '.repeat(20_000)}blacklisted` },
      'refused',
    ],
    ['msg91', 'an unknown type', 200, { type: 'warning', message: 'x' }, 'malformed'],
    ['twilio', 'a phone that has opted out, with 403', 403, { code: 21610 }, 'refused'],
    ['twilio', 'a blocked delivery, with 403', 403, { code: 30450 }, 'refused'],
    ['twilio', 'an address not allowed', 403, { code: 20403 }, 'misconfigured'],
    ['msg91', 'too many calls', 429, { type: 'error', message: 'slow down' }, 'unavailable'],
    ...(
      [
        ['a wrong key', { __type: 'UnrecognizedClientException' }, 'misconfigured'],
        ['a wrong secret', { __type: 'InvalidSignatureException' }, 'misconfigured'],
        ['a missing right', { __type: 'com.amazonaws#AccessDeniedException' }, 'misconfigured'],
        ['an unknown sender', { __type: 'ResourceNotFoundException' }, 'misconfigured'],
        [
          'a spending limit',
          { __type: 'ServiceQuotaExceededException', Reason: 'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT' },
          'misconfigured',
        ],
        [
          'an unregistered sender',
          { __type: 'ValidationException', Reason: 'SENDER_ID_NOT_REGISTERED' },
          'misconfigured',
        ],
        [
          'a closed country',
          { __type: 'ValidationException', Reason: 'COUNTRY_NOT_ENABLED' },
          'misconfigured',
        ],
        [
          'a sender without registration',
          { __type: 'ConflictException', Reason: 'REGISTRATION_NOT_COMPLETE' },
          'misconfigured',
        ],
        ['an invalid number', { __type: 'ValidationException', Reason: 'INVALID_PARAMETER' }, 'refused'],
        [
          'a person who opted out',
          { __type: 'ConflictException', Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT' },
          'refused',
        ],
        [
          "an unverified number in the vendor's sandbox",
          { __type: 'ConflictException', Reason: 'DESTINATION_PHONE_NUMBER_NOT_VERIFIED' },
          'refused',
        ],
        ['too many calls', { __type: 'ThrottlingException' }, 'unavailable'],
      ] as const
    ).map(([what, body, failure]): [string, string, number, object, ProviderFailure] => [
      'aws',
      what,
      400,
      body,
      failure,
    ]),
    ['aws', 'an internal error', 500, { __type: 'InternalServerException' }, 'timeout'],
    ['aws', 'an answer without an id', 200, { MessageId: '' }, 'malformed'],
    ['twilio', 'a wrong token', 401, { code: 20003, status: 401 }, 'misconfigured'],
    ['twilio', 'too many calls', 429, { code: 20429, status: 429 }, 'unavailable'],
    ['twilio', 'an invalid number', 400, { code: 21211, status: 400 }, 'refused'],
    ['twilio', 'a person who opted out', 400, { code: 21610, status: 400 }, 'refused'],
    ['twilio', 'a disabled country', 400, { code: 21408, status: 400 }, 'misconfigured'],
    ['twilio', 'a foreign sender', 400, { code: 21606, status: 400 }, 'misconfigured'],
    ['twilio', 'a full queue', 400, { code: 21611, status: 400 }, 'unavailable'],
    ['twilio', 'a number that it cannot reach', 400, { code: 21612, status: 400 }, 'refused'],
    ['twilio', 'an unknown messaging service', 400, { code: 21701, status: 400 }, 'misconfigured'],
    ['twilio', 'a wrong template', 400, { code: 21901, status: 400 }, 'misconfigured'],
    ['twilio', 'an unknown code', 400, { code: 99999, status: 400 }, 'refused'],
    ['twilio', 'a message that failed at once', 201, { sid: 'SM1', status: 'failed' }, 'refused'],
  ])('reads an answer of %s: %s', async (name, what, status, body, failure) => {
    scripted.behaviour = answersJson(status, body);
    const reason = what === 'too many calls' ? 'throttled' : undefined;
    await expect(send(adapterOf(name, scripted.url), aMessage(), SILENT_MS)).rejects.toMatchObject({
      failure,
      reason,
    });
  });
});

/** Twilio's test credentials send nothing and cost nothing. MSG91 has none: it delivers, and charges, one message. */
describe.each(
  (['twilio', 'msg91'] as const).flatMap((name) =>
    placesOf(name).map(({ where, account }) => [name, where, account] as const),
  ),
)('SMS adapter %s at %s', (name, _where, { MSG91_TEMPLATE_ID, MSG91_PHONE, ...account }) => {
  const sendWith = (phone: string, changes: Environment = {}): Promise<void> => {
    const id = { msg91_template_id: MSG91_TEMPLATE_ID };
    const env = {
      SMS_PROVIDERS: name,
      SMS_TEMPLATES: JSON.stringify({
        login_otp: { text: TEXT, ...id },
        pan_taken_over: { text: 'x', ...id },
      }),
      TWILIO_FROM: '+15005550006',
      ...account,
      ...changes,
    };
    const [provider] = smsAdapters(usersConfig(settings(env)).sms);
    return provider!.send(aMessage(phone), AbortSignal.timeout(30_000));
  };

  it(
    'accepts a message',
    async () => {
      await expect(sendWith(name === 'msg91' ? MSG91_PHONE! : '919812345678')).resolves.toBeUndefined();
    },
    LIVE_LIMIT_MS,
  );

  it(
    'reports a refused key',
    async () => {
      const key = { MSG91_AUTH_KEY: 'unknown!wrong-key', TWILIO_AUTH_TOKEN: 'unknown!wrong-key' };
      await expect(sendWith('919812345678', key)).rejects.toEqual(failing('misconfigured'));
    },
    LIVE_LIMIT_MS,
  );

  if (name !== 'twilio') return;
  it.each<[what: string, to: string, from: string, failure: ProviderFailure]>([
    ['an invalid number', '15005550001', '+15005550006', 'refused'],
    ['a number that it cannot reach', '15005550002', '+15005550006', 'refused'],
    ['a disabled country', '15005550003', '+15005550006', 'misconfigured'],
    ['a person who opted out', '15005550004', '+15005550006', 'refused'],
    ['a number without SMS', '15005550009', '+15005550006', 'refused'],
    ['an invalid sender', '919812345678', '+15005550001', 'misconfigured'],
    ["another account's sender", '919812345678', '+15005550007', 'misconfigured'],
    ['a full queue', '919812345678', '+15005550008', 'unavailable'],
  ])(
    'reports %s of the documentation: to %s, from %s',
    async (_what, to, from, failure) => {
      await expect(sendWith(to, { TWILIO_FROM: from })).rejects.toEqual(failing(failure));
    },
    LIVE_LIMIT_MS,
  );
});

/** A dry run validates sender, registration and text, sends nothing and is free. */
describe.each(placesOf('aws'))(
  'SMS adapter aws at $where',
  ({ account: { SMS_DLT_TEMPLATE_ID, ...account } }) => {
    const dryRun = async (phone: string, changes: Environment = {}): Promise<void> => {
      const id = { dlt_template_id: SMS_DLT_TEMPLATE_ID };
      const env = {
        SMS_PROVIDERS: 'aws',
        SMS_TEMPLATES: JSON.stringify({
          login_otp: { text: TEXT, ...id },
          pan_taken_over: { text: 'x', ...id },
        }),
        ...account,
        ...changes,
      };
      const [provider] = smsAdapters(usersConfig(settings(env)).sms);
      await (provider as AwsSmsAdapter).dryRun(aMessage(phone), AbortSignal.timeout(30_000));
    };

    it(
      'validates a message and delivers none',
      async () => {
        const phone = aPhone();
        await expect(dryRun(phone)).resolves.toBeUndefined();
        expect(await inboxOf(phone)).toEqual([]);
      },
      LIVE_LIMIT_MS,
    );

    it(
      'reports a refused key',
      async () => {
        const key = { AWS_SMS_ACCESS_KEY_ID: 'unknown!wrong-key' };
        await expect(dryRun(aPhone(), key)).rejects.toEqual(failing('misconfigured'));
      },
      LIVE_LIMIT_MS,
    );
  },
);
