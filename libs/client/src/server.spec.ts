import crypto, { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import {
  type EventDelivery,
  type EventRefusal,
  EventVerificationError,
  missedEvents,
  type PartnerEvent,
  verifyEvent,
} from './server.js';

const ID = '0198c0de-0000-7000-8000-000000000001';
const SECRET = `whsec_${Buffer.alloc(32, 'new').toString('base64')}`;
const FORMER_SECRET = `whsec_${Buffer.alloc(32, 'old').toString('base64')}`;
const NOW = new Date('2026-11-30T10:15:31Z');
const SECONDS = NOW.getTime() / 1_000;

const EVENT = {
  id: ID,
  type: 'bank.registered',
  timestamp: '2026-11-29T10:15:30.123Z',
  data: {
    user_id: '0198c0de-0000-7000-8000-0000000000aa',
    issuer_code: 'ARAVFIN',
    step: 'BANK',
    status: 'DONE',
    reason_code: null,
    link: '/issuer-apis/aravalli/v1/journey',
  },
};
const BODY = JSON.stringify(EVENT);

const keys = generateKeyPairSync('ed25519');
const rawPublicKey = Buffer.from(keys.publicKey.export({ format: 'jwk' }).x!, 'base64url');
const PUBLIC_KEY = `whpk_${rawPublicKey.toString('base64')}`;

const contentOf = (body: string | Uint8Array, id = ID, seconds = SECONDS) =>
  Buffer.concat([Buffer.from(`${id}.${seconds}.`), Buffer.from(body)]);
const hmac = (secret: string, content: Uint8Array) =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(content)
    .digest('base64')}`;
const ed25519 = (content: Uint8Array) => `v1a,${sign(null, content, keys.privateKey).toString('base64')}`;

const headersOf = (signature: string, id = ID, seconds: string | number = SECONDS) => ({
  'webhook-id': id,
  'webhook-timestamp': String(seconds),
  'webhook-signature': signature,
});

/** A genuine delivery of BODY. */
const signed = (body: string | Uint8Array = BODY, id = ID, seconds = SECONDS): EventDelivery => ({
  body,
  headers: headersOf(hmac(SECRET, contentOf(body, id, seconds)), id, seconds),
  secrets: SECRET,
  now: NOW,
});

type Verdict = 'accepted' | EventRefusal;

function verdictOn(delivery: EventDelivery): Verdict {
  try {
    verifyEvent(delivery);
    return 'accepted';
  } catch (error) {
    if (error instanceof EventVerificationError) return error.reason;
    throw error;
  }
}

/** Any JSON object that has what every event has. */
const anyEvent = fc
  .record({
    type: fc.string({ unit: 'binary' }),
    timestamp: fc.string(),
    data: fc.record({ user_id: fc.uuid(), reason_code: fc.option(fc.string({ unit: 'grapheme' })) }),
    added: fc.jsonValue(),
  })
  .map((fields) => ({ id: ID, ...fields }));

describe('verifyEvent', () => {
  it('returns the event of a genuine delivery, from a string and from bytes', () => {
    expect(verifyEvent(signed())).toEqual(EVENT);
    expect(verifyEvent(signed(Buffer.from(BODY)))).toEqual(EVENT);
    expect(verifyEvent(signed(new Uint8Array(Buffer.from(BODY))))).toEqual(EVENT);
  });

  it('returns events of types and fields that it does not know', () => {
    const later = { ...EVENT, type: 'deposit.booked', data: { ...EVENT.data, amount: null }, version: 2 };
    expect(verifyEvent(signed(JSON.stringify(later)))).toEqual(later);
  });

  // the events of these vectors are not ours: a right signature is seen by the refusal of what it signs
  it.each([
    [
      'of most libraries of Standard Webhooks',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1614265330,
      '{"test": 2432232314}',
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    ],
    [
      'of its library for Rust',
      'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
      'msg_27UH4WbU6Z5A5EzD8u03UvzRbpk',
      1649367553,
      '{"email":"test@example.com","username":"test_user"}',
      'v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=',
    ],
  ])('accepts the signature of the published vector %s', (_, secret, id, seconds, body, signature) => {
    const now = new Date(seconds * 1_000);
    const delivery = { body, headers: headersOf(signature, id, seconds), secrets: secret, now };
    expect(() => verifyEvent(delivery)).toThrow('the body is not an event');
    expect(verdictOn({ ...delivery, body: body.replace('t', 'T') })).toBe('no-matching-signature');
    expect(new Webhook(secret).sign(id, now, body)).toBe(signature);
  });

  it('accepts the signature that OpenSSL made with the first key of RFC 8032', () => {
    const signature =
      'v1a,Gsqdd03wCWEPjVyCi84fY33q9uL2pDLYR/6kOwWwYqel+yF221DJq3Uh4l8MrZ24tTlcafPr0B4gdWahJY4RBQ==';
    const secrets = 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
    const delivery = { body: BODY, headers: headersOf(signature), secrets, now: NOW };
    expect(verifyEvent(delivery)).toEqual(EVENT);
    expect(verdictOn({ ...delivery, secrets: PUBLIC_KEY })).toBe('no-matching-signature');
  });

  it('returns every event that standardwebhooks signs, at the time of this machine', () =>
    fc.assert(
      fc.property(anyEvent, fc.uint8Array({ minLength: 24, maxLength: 64 }), (event, key) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`;
        const body = JSON.stringify(event);
        const at = new Date();
        const signature = new Webhook(secret).sign(ID, at, body);
        const headers = headersOf(signature, ID, Math.floor(at.getTime() / 1_000));
        expect(verifyEvent({ body, headers, secrets: secret })).toEqual(JSON.parse(body));
        expect(verifyEvent({ body: Buffer.from(body), headers, secrets: secret })).toEqual(JSON.parse(body));
      }),
    ));

  it('agrees with standardwebhooks about each delivery', () => {
    // a change of a genuine delivery
    const change = fc.record({
      id: fc.constantFrom(ID, ID.toUpperCase(), 'another'),
      late: fc.constantFrom(-400, -200, 0, 200, 400),
      body: fc.constantFrom(BODY, `${BODY} `, BODY.slice(0, -1), BODY.replace('DONE', 'FAILED')),
      secret: fc.constantFrom(SECRET, FORMER_SECRET),
      others: fc.array(fc.constantFrom('v1,', 'v1', 'v2,AAAA', 'v1a,AAAA', hmac(SECRET, contentOf('')), '')),
    });
    fc.assert(
      fc.property(change, ({ id, late, body, secret, others }) => {
        const seconds = Math.floor(Date.now() / 1_000) - late;
        const signature = hmac(SECRET, contentOf(BODY, ID, seconds));
        const headers = headersOf([...others, signature].join(' '), id, seconds);
        let theirs = 'accepted';
        try {
          new Webhook(secret).verify(body, headers);
        } catch {
          theirs = 'refused';
        }
        const ours = verdictOn({ body, headers, secrets: secret });
        expect(ours === 'accepted' ? ours : 'refused').toBe(theirs);
      }),
      { numRuns: 300 },
    );
  });

  const genuine = hmac(SECRET, contentOf(BODY));
  const bare = genuine.slice('v1,'.length);
  const at = (seconds: string) => ({ headers: headersOf(genuine, ID, seconds) });

  it.each<[string, Partial<EventDelivery>, EventRefusal]>([
    ['a body of somebody without the secret', { secrets: FORMER_SECRET }, 'no-matching-signature'],
    ['a truncated body', { body: BODY.slice(0, -1) }, 'no-matching-signature'],
    ['an empty body', { body: '' }, 'no-matching-signature'],
    [
      'a body that was parsed and written again',
      { body: JSON.stringify(EVENT, null, 1) },
      'no-matching-signature',
    ],
    ['a body with a byte order mark', { body: `\ufeff${BODY}` }, 'no-matching-signature'],
    ['a body in UTF-16', { body: Buffer.from(BODY, 'utf16le') }, 'no-matching-signature'],
    ['another id', { headers: headersOf(genuine, 'x') }, 'no-matching-signature'],
    ['another time', at(String(SECONDS + 1)), 'no-matching-signature'],
    ['the same time written in another way', at(`0${SECONDS}`), 'no-matching-signature'],
    ['a time with letters', at(`${SECONDS}s`), 'malformed-header'],
    ['a time in ISO 8601', at(NOW.toISOString()), 'malformed-header'],
    ['a negative time', at('-1'), 'malformed-header'],
    ['a time without end', at('1'.repeat(400)), 'malformed-header'],
    ['an empty time', at(''), 'missing-header'],
    ['a signature without its version', { headers: headersOf(bare) }, 'no-matching-signature'],
    ['half of a signature', { headers: headersOf(bare.slice(0, 8)) }, 'no-matching-signature'],
    ['a signature of another version', { headers: headersOf(`v2,${bare}`) }, 'no-matching-signature'],
    ['an HMAC that says Ed25519', { headers: headersOf(`v1a,${bare}`) }, 'no-matching-signature'],
    [
      'a signature in lower case',
      { headers: headersOf(`v1,${bare.toLowerCase()}`) },
      'no-matching-signature',
    ],
    [
      'more signatures than any delivery has',
      { headers: headersOf(Array<string>(17).fill(genuine).join(' ')) },
      'malformed-header',
    ],
  ])('refuses %s', (_, changes, reason) => {
    expect(verdictOn({ ...signed(), ...changes })).toBe(reason);
  });

  it('refuses a delivery in which any byte of the body or letter of a header was changed', () => {
    const bytes = Buffer.from(BODY);
    const secrets = [SECRET, PUBLIC_KEY];
    const signatures = `${hmac(SECRET, contentOf(BODY))} ${ed25519(contentOf(BODY))}`;
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (index, difference) => {
        const body = Buffer.from(bytes);
        body[index]! ^= difference;
        const delivery = { body, headers: headersOf(signatures), secrets, now: NOW };
        expect(verdictOn(delivery)).toBe('no-matching-signature');
      }),
    );
    for (const one of signatures.split(' '))
      fc.assert(
        fc.property(fc.nat(one.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (index, letter) => {
          fc.pre(one[index] !== letter);
          const headers = headersOf(one.slice(0, index) + letter + one.slice(index + 1));
          expect(verdictOn({ body: BODY, headers, secrets, now: NOW })).toBe('no-matching-signature');
        }),
      );
  });

  it('compares in constant time each signature that could be the right one', () => {
    const compared = jest.spyOn(crypto, 'timingSafeEqual');
    const right = hmac(SECRET, contentOf(BODY));
    const wrong = hmac(FORMER_SECRET, contentOf(BODY));
    const headers = headersOf(`${wrong} ${right}`);
    expect(verdictOn({ ...signed(), headers })).toBe('accepted');
    expect(compared.mock.calls.map(([given]) => Buffer.from(given as Uint8Array).toString())).toEqual([
      wrong,
      right,
    ]);
    compared.mockRestore();
  });

  it('answers any request with an event or an EventVerificationError', () => {
    const text = fc.string({ unit: 'binary' });
    const value = fc.oneof(text, fc.array(text), fc.constant(undefined), fc.constant(String(SECONDS)));
    const name = fc.constantFrom('webhook-id', 'Webhook-Timestamp', 'webhook-signature', 'get', '__proto__');
    fc.assert(
      fc.property(fc.dictionary(name, value), fc.oneof(text, fc.uint8Array()), (headers, body) => {
        expect(verdictOn({ headers, body, secrets: [SECRET, PUBLIC_KEY], now: NOW })).not.toBe('accepted');
      }),
    );
  });

  it.each<[Verdict, number, number | undefined]>([
    ['accepted', -300, undefined],
    ['accepted', 300, undefined],
    ['stale', -301, undefined],
    ['stale', 301, undefined],
    ['stale', 86_400, undefined],
    ['accepted', -10, 10],
    ['stale', 11, 10],
    ['accepted', 0, 0],
    ['stale', 1, 0],
  ])('says %s for a delivery of %d seconds ago and the tolerance %p', (verdict, late, toleranceSeconds) => {
    expect(verdictOn({ ...signed(BODY, ID, SECONDS - late), toleranceSeconds })).toBe(verdict);
  });

  it('refuses every delivery when its own time is invalid', () => {
    expect(verdictOn({ ...signed(), now: new Date(Number.NaN) })).toBe('stale');
  });

  it('returns an event again without a list of known ones: its id tells', () => {
    expect([verifyEvent(signed()).id, verifyEvent(signed()).id]).toEqual([ID, ID]);
  });

  it.each([
    ['a recorded delivery', SECONDS],
    ['another delivery of an event', SECONDS - 5],
  ])('refuses %s that is repeated within the tolerance', (_, seconds) => {
    const known = new Set([verifyEvent(signed()).id]);
    const isKnown = (id: string) => known.has(id);
    expect(verdictOn({ ...signed(BODY, ID, seconds), isKnown })).toBe('repeated');
    known.clear();
    expect(verdictOn({ ...signed(BODY, ID, seconds), isKnown })).toBe('accepted');
  });

  it('asks for the id of a genuine delivery only', () => {
    const asked: string[] = [];
    const isKnown = (id: string) => asked.push(id) > 0;
    const forged = { ...signed(), secrets: FORMER_SECRET };
    expect(verdictOn({ ...forged, isKnown })).toBe('no-matching-signature');
    expect(asked).toEqual([]);
    expect(verdictOn({ ...signed(), isKnown })).toBe('repeated');
    expect(asked).toEqual([ID]);
  });

  it('refuses a genuine delivery whose id is not that of its event', () => {
    expect(verdictOn(signed(BODY, '0198c0de-0000-7000-8000-000000000002'))).toBe('id-differs');
  });

  it.each([
    ['nothing', ''],
    ['text', 'no JSON'],
    ['null', 'null'],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['an event without data', JSON.stringify({ ...EVENT, data: null })],
    ['an event without a user', JSON.stringify({ ...EVENT, data: {} })],
    ['an event with a numeric id', JSON.stringify({ ...EVENT, id: 1 })],
    ['an event without a type', JSON.stringify({ ...EVENT, type: undefined })],
    ['an event after a byte order mark', `\ufeff${BODY}`],
    ['bytes that are not UTF-8', Buffer.from(BODY.replace('DONE', 'D\xd6NE'), 'latin1')],
  ])('refuses %s, though it is signed', (_, body) => {
    expect(verdictOn(signed(body))).toBe('malformed-body');
  });

  it('reads the bytes that are signed, not a string that has the same ones', () => {
    const body = (letter: string) => `{"id":"${ID}","type":"${letter}","timestamp":"","data":{"user_id":""}}`;
    expect(verifyEvent({ ...signed(body('\ufffd')), body: body('\ud800') }).type).toBe('\ufffd');
  });

  describe('with several signatures and secrets', () => {
    const content = contentOf(BODY);
    const [current, former, asymmetric] = [
      hmac(SECRET, content),
      hmac(FORMER_SECRET, content),
      ed25519(content),
    ];
    const confused = hmac(`whsec_${rawPublicKey.toString('base64')}`, content);
    const another = `whsec_${Buffer.alloc(24).toString('base64')}`;
    const none = 'no-matching-signature';

    it.each<[Verdict, string, string, string | string[]]>([
      ['accepted', 'both signatures and the new secret', `${current} ${former}`, SECRET],
      ['accepted', 'both signatures and the former secret', `${current} ${former}`, FORMER_SECRET],
      ['accepted', 'the new signature and both secrets', current, [FORMER_SECRET, SECRET]],
      [none, 'the new signature and the former secret', current, FORMER_SECRET],
      [none, 'both signatures and another secret', `${current} ${former}`, [another]],
      ['accepted', 'both kinds and the public key', `${current} ${asymmetric}`, PUBLIC_KEY],
      ['accepted', 'both kinds and the secret', `${asymmetric} ${current}`, SECRET],
      [none, 'Ed25519 and the secret', asymmetric, SECRET],
      [none, 'an HMAC and the public key', current, PUBLIC_KEY],
      [none, 'an HMAC made with the public key', confused, PUBLIC_KEY],
      [none, 'an Ed25519 signature cut short', asymmetric.slice(0, 72), PUBLIC_KEY],
      ['accepted', 'signatures of later versions as well', `v2,AAAA ${current} v9z,x,y`, SECRET],
    ])('says %s for %s', (verdict, _, signature, secrets) => {
      expect(verdictOn({ body: BODY, headers: headersOf(signature), secrets, now: NOW })).toBe(verdict);
    });
  });

  describe('with headers', () => {
    const plain = headersOf(genuine);
    const named = (turn: (name: string) => string) =>
      Object.fromEntries(Object.entries(plain).map(([name, value]) => [turn(name), value]));
    const valued = (turn: (value: string) => string[]) =>
      Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, turn(value)]));
    const titled = named((name) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()));

    it.each<[Verdict, string, EventDelivery['headers']]>([
      ['accepted', 'of the Fetch API', new Headers(plain)],
      ['accepted', 'in capitals', named((name) => name.toUpperCase())],
      ['accepted', 'in title case', titled],
      ['accepted', 'in lists of one', valued((value) => [value])],
      ['accepted', 'beside others', { ...plain, get: 'x', cookie: ['a', 'b'], host: undefined }],
      ['accepted', 'without a prototype', Object.assign(Object.create(null) as object, plain)],
      ['malformed-header', 'sent twice', valued((value) => [value, value])],
      ['malformed-header', 'sent in two spellings', { ...plain, 'Webhook-Id': ID }],
      ['missing-header', 'that are missing', {}],
      ['missing-header', 'that are missing in the Fetch API', new Headers()],
      ['missing-header', 'that are inherited', Object.create(plain) as typeof plain],
      ['missing-header', 'of which one is undefined', { ...plain, 'webhook-signature': undefined }],
      ['missing-header', 'of which one is an empty list', { ...plain, 'webhook-timestamp': [] }],
      ['missing-header', 'of which one is empty', { ...plain, 'webhook-id': '' }],
    ])('says %s for those %s', (verdict, _, headers) => {
      expect(verdictOn({ ...signed(), headers })).toBe(verdict);
    });
  });

  const base64 = (bytes: number) => Buffer.alloc(bytes, 'key').toString('base64');

  it.each<[string, string | string[]]>([
    ['no secret', []],
    ['an unset variable', undefined as unknown as string],
    ['an empty secret', ''],
    ['a prefix alone', 'whsec_'],
    ['a secret without its prefix', base64(32)],
    ['a secret key', `whsk_${base64(32)}`],
    ['a short secret', `whsec_${base64(23)}`],
    ['a long secret', `whsec_${base64(65)}`],
    ['a secret with a line break', `${SECRET}\n`],
    ['a secret that is cut', SECRET.slice(0, -1)],
    ['a secret in base64url', `whsec_${Buffer.alloc(32, 0xff).toString('base64url')}`],
    ['a public key of 33 bytes', `whpk_${base64(33)}`],
    ['a malformed secret beside a good one', [SECRET, 'whsec_k3y']],
  ])('throws a TypeError that shows nothing of %s', (_, secrets) => {
    const act = () => verifyEvent({ ...signed(), secrets });
    expect(act).toThrow(TypeError);
    const shown = String(catchError(act));
    for (const secret of [secrets].flat())
      if (secret) expect(shown).not.toContain(secret.replace(/^wh\w\w+?_/, '') || 'nothing');
  });

  it('throws a TypeError for a tolerance that is none, and for a parsed body', () => {
    for (const toleranceSeconds of [-1, Number.NaN, Infinity])
      expect(() => verifyEvent({ ...signed(), toleranceSeconds })).toThrow(TypeError);
    expect(() => verifyEvent({ ...signed(), body: EVENT as unknown as string })).toThrow(/raw body/);
  });

  it('shows nothing of the delivery and no secret in the texts of refusals', () => {
    const body = JSON.stringify({ ...EVENT, data: 'private' });
    for (const delivery of [signed(body), { ...signed(), secrets: FORMER_SECRET }, signed('private')]) {
      const { message, cause } = catchError(() => verifyEvent(delivery));
      expect(cause).toBeUndefined();
      expect(message).not.toMatch(/private|0198c0de|v1,|whsec/);
    }
  });

  function catchError(act: () => unknown): Error {
    try {
      act();
    } catch (error) {
      return error as Error;
    }
    throw new Error('nothing was thrown');
  }
});

describe('missedEvents', () => {
  const events = [1, 2, 3, 4, 5].map((last) => ({ ...EVENT, id: ID.slice(0, -1) + String(last) }));
  const [first, , third, , fifth] = events.map(({ id }) => id);
  const FIRST_PAGE = '/partner/v1/events?limit=100';
  let server: Server | undefined;
  let paths: string[];
  let authorizations: (string | undefined)[];

  beforeEach(() => void ([paths, authorizations] = [[], []]));
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** Starts a service that answers so; returns its address. */
  async function start(answer: RequestListener): Promise<string> {
    server = createServer((request, response) => {
      paths.push(request.url!);
      authorizations.push(request.headers.authorization);
      answer(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const refusing =
    (status: number, errorCode: string): RequestListener =>
    (_, response) =>
      response.writeHead(status).end(JSON.stringify({ success: 0, payload: {}, error: [{ errorCode }] }));
  /** Keeps KEPT, and answers two at a time. */
  const keeping =
    (kept: readonly { readonly id: string }[]): RequestListener =>
    (request, response) => {
      const after = new URL(request.url!, 'http://service').searchParams.get('after');
      const begin = kept.findIndex(({ id }) => id === after) + 1;
      if (after !== null && begin === 0) return refusing(400, 'SVCUSER2922')(request, response);
      const payload = { events: kept.slice(begin, begin + 2), has_more: begin + 2 < kept.length };
      response.end(JSON.stringify({ success: 1, statusCode: 200, message: 'SUCCESS', payload }));
    };

  async function all(usersUrl: string, after?: string): Promise<PartnerEvent[]> {
    const taken: PartnerEvent[] = [];
    for await (const event of missedEvents({ usersUrl, key: 'fdb_key', after })) taken.push(event);
    return taken;
  }

  it('yields all kept events in order, page by page, with the key of the backend', async () => {
    expect(await all(`${await start(keeping(events))}/`)).toEqual(events);
    expect(paths).toEqual([
      FIRST_PAGE,
      `${FIRST_PAGE}&after=${events[1]!.id}`,
      `${FIRST_PAGE}&after=${events[3]!.id}`,
    ]);
    expect(new Set(authorizations)).toEqual(new Set(['Bearer fdb_key']));
  });

  it('yields the events after the given one, and none after the last one', async () => {
    const usersUrl = await start(keeping(events));
    expect(await all(usersUrl, third)).toEqual(events.slice(3));
    expect(await all(usersUrl, fifth)).toEqual([]);
    expect(paths).toEqual([`${FIRST_PAGE}&after=${third}`, `${FIRST_PAGE}&after=${fifth}`]);
  });

  it('yields nothing when the service keeps no event', async () => {
    expect(await all(await start(keeping([])))).toEqual([]);
  });

  it('fetches a page only when its events are needed', async () => {
    const page = missedEvents({ usersUrl: await start(keeping(events)), key: 'fdb_key' });
    expect(paths).toEqual([]);
    expect([(await page.next()).value, (await page.next()).value]).toEqual(events.slice(0, 2));
    expect(paths).toHaveLength(1);
    expect((await page.next()).value).toEqual(events[2]);
    expect(paths).toHaveLength(2);
  });

  it.each(['0198c0de-0000-7000-8000-0000000000ff', 'a&limit=1#?'])(
    'begins with the oldest kept event when the service does not know %s',
    async (after) => {
      expect(await all(await start(keeping(events.slice(3))), after)).toEqual(events.slice(3));
      expect(paths).toEqual([`${FIRST_PAGE}&after=${encodeURIComponent(after)}`, FIRST_PAGE]);
    },
  );

  it.each([
    [401, 'SVCUSER2921', first],
    [400, 'SVCUSER2903', first],
    [429, 'SVCUSER1517', first],
    [400, 'SVCUSER2922', undefined],
  ])('throws after %d %s', async (status, code, after) => {
    const usersUrl = await start(refusing(status, code));
    await expect(all(usersUrl, after)).rejects.toThrow(`the service answered ${status} ${code}`);
    expect(paths).toHaveLength(1);
  });

  it.each(['<html>', 'null', '{"error":{}}', '{"error":[{"errorCode":2922}]}'])(
    'throws when a gateway answers 400 with %s',
    async (body) => {
      const usersUrl = await start((_, response) => response.writeHead(400).end(body));
      await expect(all(usersUrl, first)).rejects.toThrow(/^the service answered 400$/);
    },
  );

  it('throws without an answer in 10 seconds', async () => {
    const usersUrl = await start(() => undefined);
    const after = AbortSignal.timeout.bind(AbortSignal);
    const limits = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => after(ms / 100));
    await expect(all(usersUrl)).rejects.toThrow('aborted due to timeout');
    expect(limits).toHaveBeenCalledWith(10_000);
    limits.mockRestore();
  });
});

describe('the page about events', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/integrators/events.md'), 'utf8');

  it('shows a delivery that its secret verifies', () => {
    const [, head, body] = /^POST https:\S+\n([^{]+)\n\n(\{.*\})$/m.exec(page)!;
    const headers = Object.fromEntries(head!.split('\n').map((line) => line.split(': ')));
    const [, secrets] = /signed with `(whsec_[^`]+)`/.exec(page)!;
    const now = new Date(Number(headers['webhook-timestamp']) * 1_000);
    expect(verifyEvent({ body: body!, headers, secrets: secrets!, now })).toEqual(EVENT);
  });

  it('describes the types that the client knows', () => {
    const source = readFileSync(join(import.meta.dirname, 'server.ts'), 'utf8');
    const known = [...source.matchAll(/^ {2}\| '(\w+\.[\w.]+)'/gm)].map(([, type]) => type);
    expect(known.length).toBeGreaterThan(10);
    expect([...page.matchAll(/^\| `(\w+\.[\w.]+)` /gm)].map(([, type]) => type)).toEqual(
      expect.arrayContaining(known),
    );
  });
});
