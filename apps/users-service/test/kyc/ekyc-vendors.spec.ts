import { createHmac, randomUUID } from 'node:crypto';
import type { EkycStatusPayload, LockerSessionPayload } from '@fd/contracts';
import { EkycErrors, LockerErrors, WebhookErrors } from '@fd/errors';
import type { Environment } from '@fd/platform';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import { aadhaarReadsOf, effectsOf } from '../support/effects.js';
import { finishEkyc, finishLocker } from '../support/ekyc.js';
import { HoldingProxy } from '../support/holding-proxy.js';
import { check, over, stepOf, tryCheck } from '../support/hosted-ekyc.js';
import { issuerPath } from '../support/issuers.js';
import { open, show, tryOpen, URL_OF, type Vendor, VENDORS, vendors } from '../support/locker-vendors.js';
import { as, logIn } from '../support/login.js';
import { aPanHolder, type VerifiedPan, verifyPan } from '../support/pan.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { answersJson, type Behaviour, BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { vendorSettings } from '../support/settings.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

/** Completes the eKYC on the page as the PAN holder, or as another person. */
const verify = (id: string, { full_name, dob }: VerifiedPan, name = full_name) =>
  finishEkyc(id, 'verified', { name, date_of_birth: dob });

interface Row {
  readonly provider: string | null;
  readonly status: string;
  readonly state: string;
}

async function rowOf(service: TestService, id: string): Promise<Row> {
  const [row] = await service.dataSource.query<[Row]>(
    'SELECT provider, status, state FROM onboarding.ekyc_requests WHERE id = $1',
    [id],
  );
  return row;
}

const effects = async (id: string, kind: string): Promise<number> =>
  (await effectsOf('cashfree', id)).filter((effect) => effect.kind === kind).length;

describe('hosted eKYC over a KYC link of Cashfree', () => {
  let service: TestService;
  let replica: Awaited<ReturnType<TestService['replica']>>;
  beforeAll(async () => {
    service = await startService(over('cashfree'));
    replica = await service.replica(over('cashfree'));
  });
  afterAll(() => service.close());

  it.concurrent(
    'verifies the PAN holder with one link and one read, for parallel calls on two replicas',
    async () => {
      const { login, pan } = await aPanHolder(service);
      const me = as(service.api, login);
      const opened = await check(me);
      const { ekyc_request_id: id } = opened;
      expect(opened).toMatchObject({ is_ekyc_verified: false, ekyc_status: 'LINK_CREATED' });
      expect(await check(me)).toMatchObject({ ekyc_url: opened.ekyc_url, ekyc_request_id: id });
      await verify(id!, pan);
      const answers = await inParallel(8, (n) => tryCheck(as((n % 2 ? replica : service).api, login)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect((await check(me)).is_ekyc_verified).toBe(true);
      expect(await rowOf(service, id!)).toEqual({
        provider: 'cashfree-ekyc',
        status: 'VERIFIED',
        state: 'SETTLED',
      });
      expect(await effects(id!, 'kyc_link')).toBe(1);
      expect(await aadhaarReadsOf('cashfree', id!)).toEqual({ reads: 1, charges: 1 });
    },
  );

  it.concurrent('keeps the phone out of the logs', async () => {
    const { login } = await aPanHolder(service);
    const { ekyc_request_id: id } = await check(as(service.api, login));
    const link = await fetch(`${sandboxUrl()}/vendors/cashfree/verification/form?verificationID=${id!}`, {
      headers: { 'x-client-id': 'i', 'x-client-secret': 's', 'x-api-version': '2024-12-01' },
    });
    const { phone } = (await link.json()) as { phone: string };
    expect(phone).toMatch(/^\d{10}$/);
    expect(service.logs()).not.toContain(phone);
  });

  it.concurrent('lets the worker verify when no client asks', async () => {
    const { login, pan } = await aPanHolder(service);
    const me = as(service.api, login);
    const { ekyc_request_id: id } = await check(me);
    await verify(id!, pan);
    await eventually(async () => expect(await stepOf(me)).toMatchObject({ status: 'DONE' }));
    expect(await aadhaarReadsOf('cashfree', id!)).toEqual({ reads: 1, charges: 1 });
  });

  it.concurrent('fails when another person was verified, and opens a new link', async () => {
    const { login, pan } = await aPanHolder(service);
    const me = as(service.api, login);
    const { ekyc_request_id: id } = await check(me);
    await verify(id!, pan, 'Xerxes Quillfeather');
    const next = await check(me);
    expect(next).toMatchObject({ is_ekyc_verified: false, ekyc_status: 'FAILED', ekyc_failed: true });
    expect(next.ekyc_request_id).not.toBe(id);
    expect(await rowOf(service, id!)).toMatchObject({ status: 'FAILED', state: 'SETTLED' });
  });

  it.concurrent.each([
    ['failed', 'FAILED'],
    ['expired', 'EXPIRED'],
  ] as const)('reports a link that has %s once, with the next one', async (outcome, status) => {
    const { login } = await aPanHolder(service);
    const me = as(service.api, login);
    const { ekyc_request_id: id, ekyc_url: url } = await check(me);
    await finishEkyc(id!, outcome);
    const next = await check(me);
    expect(next).toMatchObject({ is_ekyc_verified: false, ekyc_status: status });
    expect(next.ekyc_url).not.toBe(url);
    expect((await check(me)).ekyc_status).toBe('LINK_CREATED');
  });

  it.concurrent('returns the same link after a crash has lost it', async () => {
    const { login, pan } = await aPanHolder(service);
    const me = as(service.api, login);
    const { ekyc_request_id: id, ekyc_url: url } = await check(me);
    await service.dataSource.query(
      `UPDATE onboarding.ekyc_requests SET status = 'REQUESTED', state = 'DUE', url_encrypted = NULL, expires_at = NULL
        WHERE id = $1`,
      [id],
    );
    expect(await check(me)).toMatchObject({ ekyc_request_id: id, ekyc_url: url });
    await verify(id!, pan);
    expect((await check(me)).is_ekyc_verified).toBe(true);
    expect(await effects(id!, 'kyc_link')).toBe(1);
  });
});

it('makes pauses between reads of an Aadhaar that fail', async () => {
  const scripted = await ScriptedProvider.start();
  const service = await startService(over('cashfree', { CASHFREE_URL: new URL(scripted.url).origin }));
  const done = { reference_id: 7, type: 'OFFLINE_AADHAAR_VERIFICATION', status: 'SUCCESS' };
  const reads: number[] = [];
  scripted.behaviour = (response) => {
    const { method, path } = scripted.calls.at(-1)!;
    const form_status = method === 'POST' ? 'RECEIVED' : 'SUCCESS';
    const form = { form_link: 'https://forms.example/f', form_status, verification_details: [done] };
    if (!/AADHAAR/.test(path)) return answersJson(200, form)(response);
    reads.push(Date.now());
    answersJson(500, {})(response);
  };
  const { login } = await aPanHolder(service);
  await check(as(service.api, login));
  while (reads.length < 3) {
    for (const { status } of await inParallel(4, () => tryCheck(as(service.api, login))))
      expect([200, 503]).toContain(status);
  }
  expect(Math.min(reads[1]! - reads[0]!, reads[2]! - reads[1]!)).toBeGreaterThan(1_500);
  await service.close();
  await scripted.stop();
});

describe('KYC link unknown to Cashfree', () => {
  const PAGE = 'https://forms.example/f';
  const NOT_FOUND = { type: 'not_found_error', code: 'Resource not found', message: 'No data found' };
  let service: TestService;
  let scripted: ScriptedProvider;
  beforeAll(async () => {
    scripted = await ScriptedProvider.start();
    service = await startService(over('cashfree', { CASHFREE_URL: new URL(scripted.url).origin }));
  });
  afterAll(async () => {
    await service.close();
    await scripted.stop();
  });

  it('keeps a link that Cashfree does not know until the user has opened it', async () => {
    let isUsed = false;
    scripted.behaviour = (response) => {
      const { method } = scripted.calls.at(-1)!;
      const form = { form_link: PAGE, form_status: isUsed ? 'FAILED' : 'RECEIVED' };
      const isKnown = method === 'POST' || isUsed;
      (isKnown ? answersJson(200, form) : answersJson(404, NOT_FOUND))(response);
    };
    const { login } = await aPanHolder(service);
    const me = as(service.api, login);
    const { ekyc_request_id: id } = await check(me);
    for (let time = 0; time < 3; time++)
      expect(await check(me)).toMatchObject({ ekyc_request_id: id, ekyc_status: 'LINK_CREATED' });
    isUsed = true;
    expect((await check(me)).ekyc_status).toBe('FAILED');
  });

  it('replaces a link that Cashfree does not know when its URL is lost', async () => {
    const references: unknown[] = [];
    scripted.behaviour = (response) => {
      const { method, body } = scripted.calls.at(-1)!;
      const taken = { type: 'validation_error', code: 'verification_id_already_exists', message: 'x' };
      if (method === 'POST') references.push(body['verification_id']);
      const isFirst = references.at(-1) === references[0];
      if (method === 'GET') answersJson(404, NOT_FOUND)(response);
      else if (isFirst) answersJson(409, taken)(response);
      else answersJson(200, { form_link: PAGE, form_status: 'RECEIVED' })(response);
    };
    const { login } = await aPanHolder(service);
    const me = as(service.api, login);
    expectRefusal(await tryCheck(me), EkycErrors.unavailable);
    const { ekyc_request_id: id, ekyc_url: url } = await check(me);
    expect([id, url]).toEqual([references[1], PAGE]);
    expect(references).toHaveLength(2);
  });
});

describe('two providers of hosted eKYC', () => {
  let service: TestService;
  let away: ScriptedProvider;
  beforeAll(async () => {
    service = await startService(over('cashfree,hosted'));
    away = await ScriptedProvider.start();
  });
  afterAll(async () => {
    await service.close();
    await away.stop();
  });

  it.each<[what: string, behaviour: Behaviour]>([
    ['is unavailable', answersJson(503, {})],
    ['refuses our key', answersJson(401, { type: 'x', code: 'authentication_failed' })],
    ['has an empty wallet', answersJson(422, { type: 'validation_error', code: 'insufficient_balance' })],
  ])('opens a link at the second one while the first %s', async (_what, behaviour) => {
    away.behaviour = behaviour;
    const replica = await service.replica(
      over('cashfree,hosted', { CASHFREE_URL: new URL(away.url).origin }),
    );
    const { login } = await aPanHolder(service);
    const me = as(replica.api, login);
    const { ekyc_request_id: id } = await check(me);
    expect((await rowOf(service, id!)).provider).toBe('ekyc');
    await finishEkyc(id!, 'verified');
    expect((await check(me)).is_ekyc_verified).toBe(true);
  });

  it('continues a request at the provider that opened it after the order has changed', async () => {
    const { login, pan } = await aPanHolder(service);
    const { ekyc_request_id: id } = await check(as(service.api, login));
    expect((await rowOf(service, id!)).provider).toBe('cashfree-ekyc');
    const turned = await service.replica(over('hosted,cashfree'));
    await verify(id!, pan);
    expect((await check(as(turned.api, login))).is_ekyc_verified).toBe(true);
  });

  it('answers 503 about a request whose provider is unavailable, and opens none elsewhere', async () => {
    const { login } = await aPanHolder(service);
    const { ekyc_request_id: id } = await check(as(service.api, login));
    away.behaviour = answersJson(503, {});
    const replica = await service.replica(
      over('cashfree,hosted', { CASHFREE_URL: new URL(away.url).origin }),
    );
    expectRefusal(await tryCheck(as(replica.api, login)), EkycErrors.unavailable);
    expect((await rowOf(service, id!)).provider).toBe('cashfree-ekyc');
    expect((await check(as(service.api, login))).ekyc_request_id).toBe(id);
  });
});

const SECRET = 'webhook-secret';
/** Longer than any pause between two polls of the worker. */
const PUT_OFF_MS = 3_600_000;

/** A verification at Cashfree that the worker polls again in an hour. */
interface Followed {
  readonly id: string;
  readonly me: ApiClient;
  readonly finish: () => Promise<void>;
}

/** The differences between the products; their webhooks name a verification in the same way. */
const PRODUCTS = {
  ekyc_requests: {
    events: ['KYC_LINK_ACTION_PERFORMED', 'KYC_LINK_SUCCESS', 'KYC_LINK_EXPIRED'],
    slug: 'aravalli',
    open: async (me: ApiClient, pan: VerifiedPan): Promise<Followed> => {
      const { body } = await me.post(issuerPath('aravalli', 'v3/check-status'), {});
      const { ekyc_request_id: id } = body.payload as EkycStatusPayload;
      const person = { name: pan.full_name, date_of_birth: pan.dob };
      return { me, id: id!, finish: () => finishEkyc(id!, 'verified', person) };
    },
  },
  locker_sessions: {
    events: [
      'DIGILOCKER_VERIFICATION_SUCCESS',
      'DIGILOCKER_VERIFICATION_CONSENT_DENIED',
      'DIGILOCKER_VERIFICATION_LINK_EXPIRED',
      'DIGILOCKER_VERIFICATION_FAILURE',
    ],
    slug: 'kaveri',
    open: async (me: ApiClient, pan: VerifiedPan): Promise<Followed> => {
      const path = issuerPath('kaveri', 'v1/document-locker/session');
      const { body } = await me.post(path, { consent_checked: true });
      const { session_id: id, url } = body.payload as LockerSessionPayload;
      const person = { name: pan.full_name, date_of_birth: pan.dob };
      return { me, id, finish: () => finishLocker(url, 'allow', person) };
    },
  },
} as const;

describe.each(Object.keys(PRODUCTS) as (keyof typeof PRODUCTS)[])(
  'webhooks of Cashfree about %s',
  (table) => {
    const { events, slug, open } = PRODUCTS[table];
    const clientId = `ekyc-webhooks-${table}-${process.pid}`;
    let service: TestService;
    beforeAll(async () => {
      service = await startService({
        ...vendorSettings(sandboxUrl()),
        // no other provider setting names the vendor
        ...(table === 'ekyc_requests' ? { EKYC_PROVIDERS: 'cashfree' } : { LOCKER_PROVIDERS: 'cashfree' }),
        CASHFREE_CLIENT_ID: clientId,
        CASHFREE_CLIENT_SECRET: SECRET,
      });
    });
    afterAll(() => service.close());

    const query = <T>(sql: string, parameters: unknown[] = []): Promise<T[]> =>
      service.dataSource.query<T[]>(sql, parameters);

    const putOff = (id: string, ms = PUT_OFF_MS) =>
      query(
        `UPDATE onboarding.${table} SET next_try_at = now() + make_interval(secs => $2) WHERE id = $1 AND lease_id IS NULL`,
        [id, ms / 1_000],
      );

    async function rowOf(id: string): Promise<{ state: string; isPutOff: boolean }> {
      const [row] = await query<{ state: string; isPutOff: boolean }>(
        `SELECT state, next_try_at > now() + interval '50 minutes' AS "isPutOff" FROM onboarding.${table} WHERE id = $1`,
        [id],
      );
      return row!;
    }

    async function aFollowed(): Promise<Followed> {
      const user = await logIn(service);
      const me = as(service.api, user);
      const followed = await open(me, await verifyPan(me));
      await eventually(async () => {
        await putOff(followed.id);
        expect(await rowOf(followed.id)).toEqual({ state: 'FOLLOWED', isPutOff: true });
      });
      return followed;
    }

    const bodyAbout = (id: unknown, event: string = events[0]): string =>
      JSON.stringify({
        event_type: event,
        event_time: new Date().toISOString(),
        data: { verification_id: id, status: 'AUTHENTICATED', form_status: 'SUCCESS' },
      });

    const send = async (body: string, secret = SECRET) => {
      const at = String(Date.now());
      const signature = createHmac('sha256', secret).update(`${at}${body}`).digest('base64');
      const answer = await fetch(`${service.url}/api/v1/webhooks/cashfree`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-webhook-timestamp': at,
          'x-webhook-signature': signature,
        },
        body,
      });
      const { error } = (await answer.json()) as { error?: { errorCode: string }[] };
      return error ? error[0]!.errorCode : answer.status;
    };

    /** Counts genuine webhooks, including repeats. */
    async function taken(): Promise<number> {
      const { text } = await service.api.get('/metrics');
      const counts = [...text.matchAll(/^webhooks_total\{.*outcome="(?:taken|repeated)"\} (\d+)$/gm)];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    }

    const statusOf = async ({ me }: Followed) => {
      const { body } = await me.get(issuerPath(slug, 'v1/journey'));
      return (body.payload.steps as { step: string; status: string }[]).find(({ step }) => step === 'EKYC')
        ?.status;
    };

    it.each(events)('makes the worker poll at once by %s, which decides nothing', async (event) => {
      const followed = await aFollowed();
      expect(await send(bodyAbout(followed.id, event))).toBe(200);
      // still open after the poll, it is followed as before
      await eventually(async () =>
        expect(await rowOf(followed.id)).toEqual({ state: 'FOLLOWED', isPutOff: false }),
      );
      expect(await statusOf(followed)).toBe('IN_PROGRESS');
    });

    it('ignores forged and repeated webhooks and those about other records', async () => {
      const { id } = await aFollowed();
      expect(await send(bodyAbout(id), 'guessed')).toBe(WebhookErrors.notGenuine.code);
      for (const other of [randomUUID(), 'not-ours', 7, null]) expect(await send(bodyAbout(other))).toBe(200);
      expect((await rowOf(id)).isPutOff).toBe(true);
      const body = bodyAbout(id);
      expect(await send(body)).toBe(200);
      await eventually(async () => {
        expect((await rowOf(id)).isPutOff).toBe(false);
        await putOff(id);
        expect((await rowOf(id)).isPutOff).toBe(true);
      });
      expect(await send(body)).toBe(200);
      expect((await rowOf(id)).isPutOff).toBe(true);
    });

    it('ignores webhooks about records of another provider, or settled ones', async () => {
      const { id } = await aFollowed();
      await query(`UPDATE onboarding.${table} SET provider = 'another' WHERE id = $1`, [id]);
      expect(await send(bodyAbout(id))).toBe(200);
      expect((await rowOf(id)).isPutOff).toBe(true);
      await query(
        `UPDATE onboarding.${table} SET provider = $2, state = 'SETTLED', settled_at = now() WHERE id = $1`,
        [id, table === 'ekyc_requests' ? 'cashfree-ekyc' : 'cashfree-locker'],
      );
      expect(await send(bodyAbout(id, events[1]))).toBe(200);
      expect(await rowOf(id)).toEqual({ state: 'SETTLED', isPutOff: true });
    });

    it('completes the eKYC by webhooks delivered twice and out of order, with one payment', async () => {
      await fetch(`${sandboxUrl()}/api/webhooks/${clientId}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ url: `${service.url}/api/v1/webhooks/cashfree` }),
      });
      const followed = await aFollowed();
      const before = await taken();
      await followed.finish();
      // only the webhooks make the record due here
      await eventually(async () => expect(await statusOf(followed)).toBe('DONE'));
      expect(await aadhaarReadsOf('cashfree', followed.id)).toEqual({ reads: 1, charges: 1 });
      // the service must not shut down before the last webhook
      await eventually(async () => expect((await taken()) - before).toBe(3));
    });
  },
);

/** Allows access to the Aadhaar of the PAN holder, or of another person. */
const allow = (
  url: string,
  { full_name: name, dob }: VerifiedPan,
  outcome: 'allow' | 'another_person' = 'allow',
) => finishLocker(url, outcome, { name, date_of_birth: dob });

/** Opens a session at Cashfree behind PROXY, whose answer is lost on its way to the service. */
async function openLosingTheAnswer(me: ApiClient, proxy: HoldingProxy): Promise<Answer> {
  const held = proxy.holdNext(/digilocker$/, 'before the answer');
  const answer = Promise.resolve(tryOpen(me));
  await held.caught;
  await proxy.stop();
  await proxy.turnOn();
  held.release();
  return answer;
}
type Answer = Awaited<ReturnType<typeof tryOpen>>;

const behind = (proxy: HoldingProxy): Environment => ({
  CASHFREE_URL: vendorSettings(proxy.url)['CASHFREE_URL'],
});

interface SessionRow {
  readonly provider: string | null;
  readonly locker_id: string | null;
  readonly state: string;
}

async function sessionRowOf(service: TestService, id: string): Promise<SessionRow> {
  const [row] = await service.dataSource.query<[SessionRow]>(
    'SELECT provider, locker_id, state FROM onboarding.locker_sessions WHERE id = $1',
    [id],
  );
  return row;
}

describe('document locker over a vendor', () => {
  const replicas = new Map<string, { service: TestService; replica: UsersApp }>();
  const of = (vendor: Vendor) => replicas.get(vendor)!;
  beforeAll(async () => {
    for (const vendor of VENDORS) {
      const service = await startService(vendors(vendor));
      replicas.set(vendor, { service, replica: await service.replica() });
    }
  });
  afterAll(async () => {
    for (const { service } of replicas.values()) await service.close();
  });

  it.concurrent.each(VENDORS)('completes the eKYC by the worker when no client asks (%s)', async (vendor) => {
    const { service } = of(vendor);
    const { login, pan } = await aPanHolder(service);
    const me = as(service.api, login);
    const { url, session_id: id } = await open(me);
    await allow(url, pan);
    await eventually(async () => {
      const { body } = await me.get(issuerPath('kaveri', 'v1/journey'));
      const steps = body.payload.steps as { step: string; status: string }[];
      expect(steps.find(({ step }) => step === 'EKYC')).toMatchObject({ status: 'DONE' });
    });
    const { locker_id } = await sessionRowOf(service, id);
    expect(await aadhaarReadsOf(vendor, locker_id!)).toEqual({ reads: 1, charges: 1 });
  });

  it.concurrent.each(VENDORS)('refuses the Aadhaar of another person (%s)', async (vendor) => {
    const { service } = of(vendor);
    const { login, pan } = await aPanHolder(service);
    const me = as(service.api, login);
    const { url, session_id: id } = await open(me);
    await allow(url, pan, 'another_person');
    expectRefusal(await show(me, id), LockerErrors.holderDiffers);
    expectRefusal(await show(me, id), LockerErrors.holderDiffers);
  });

  it.concurrent.each(VENDORS)(
    'opens a new session after a crash has lost the link of the last one (%s)',
    async (vendor) => {
      const { service } = of(vendor);
      const { login, pan } = await aPanHolder(service);
      const me = as(service.api, login);
      const { session_id: lost } = await open(me);
      await service.dataSource.query(
        `UPDATE onboarding.locker_sessions SET locker_id = NULL, url_encrypted = NULL, expires_at = NULL WHERE id = $1`,
        [lost],
      );
      const again = await open(me);
      await allow(again.url, pan);
      expect((await show(me, again.session_id)).body.payload.is_ekyc_verified).toBe(true);
    },
  );

  it.concurrent.each(VENDORS)(
    'ends the session of a person who takes the access back, and keeps asking for others (%s)',
    async (vendor) => {
      const { service } = of(vendor);
      const { login } = await aPanHolder(service);
      const me = as(service.api, login);
      const { url, session_id: id } = await open(me);
      await finishLocker(url, 'take_back');
      expectRefusal(await show(me, id), LockerErrors.consentDenied);
      // nothing is read again
      expect((await sessionRowOf(service, id)).state).toBe('SETTLED');
      const { text } = await service.api.get('/metrics');
      expect(text).toContain(`provider_circuit_open{provider="${vendor}-locker"} 0`);
      const other = await aPanHolder(service);
      const others = as(service.api, other.login);
      const session = await open(others);
      await allow(session.url, other.pan);
      expect((await show(others, session.session_id)).body.payload.is_ekyc_verified).toBe(true);
    },
  );

  // not concurrent, as below
  it.each(VENDORS)(
    'makes pauses between reads of an Aadhaar that fail, on all replicas (%s)',
    async (vendor) => {
      const scripted = await ScriptedProvider.start();
      // its own stores: other workers would poll the session at the sandbox, which does not know it
      const service = await startService(vendors(vendor, { [URL_OF[vendor]]: new URL(scripted.url).origin }));
      const replicas = [service, await service.replica()];
      const page = { id: 's-1', url: 'https://locker.example/s', validUpto: '2999-01-01T00:00:00+05:30' };
      const status = { setu: 'authenticated', cashfree: 'AUTHENTICATED' }[vendor];
      const reads: number[] = [];
      scripted.behaviour = (response) => {
        const { method, path } = scripted.calls.at(-1)!;
        if (!/aadhaar/i.test(path)) return answersJson(200, method === 'POST' ? page : { status })(response);
        reads.push(Date.now());
        answersJson(500, {})(response);
      };
      const { login } = await aPanHolder(service);
      const { session_id: id } = await open(as(replicas[0]!.api, login));
      while (reads.length < 4) {
        const answers = await inParallel(4, (n) => show(as(replicas[n % 2]!.api, login), id));
        for (const { status, body } of answers) {
          // 200 tells the state of the last successful poll: the time was up just when a pause had ended
          expect([200, 202, 503]).toContain(status);
          expect(body.payload?.is_ekyc_verified ?? false).toBe(false);
        }
      }
      const pauses = reads.slice(1).map((at, n) => at - reads[n]!);
      expect(Math.min(...pauses)).toBeGreaterThan(1_500);
      await service.close();
      await scripted.stop();
    },
  );

  it('opens a new session after the answer of Cashfree was lost', async () => {
    const { service } = of('cashfree');
    const proxy = await HoldingProxy.start();
    const replica = await service.replica(vendors('cashfree', behind(proxy)));
    const { login, pan } = await aPanHolder(service);
    const me = as(replica.api, login);
    expectRefusal(await openLosingTheAnswer(me, proxy), EkycErrors.unavailable);
    const { url, session_id: id } = await open(me);
    await allow(url, pan);
    expect((await show(me, id)).body.payload.is_ekyc_verified).toBe(true);
    await proxy.stop();
  });

  // not concurrent, since workers of its replicas would poll the sessions of other tests at the scripted vendor
  it.each(VENDORS)('opens one session for parallel calls on two replicas (%s)', async (vendor) => {
    const scripted = await ScriptedProvider.start();
    // its own stores, as above
    const service = await startService(vendors(vendor, { [URL_OF[vendor]]: new URL(scripted.url).origin }));
    const replicas = [service, await service.replica()];
    let opened = 0;
    scripted.behaviour = (response) => {
      const { method } = scripted.calls.at(-1)!;
      if (method === 'POST') opened++;
      const page = { id: 's-1', url: 'https://locker.example/s', validUpto: '2999-01-01T00:00:00+05:30' };
      const status = { setu: 'unauthenticated', cashfree: 'PENDING' }[vendor];
      const answer = method === 'POST' ? answersJson(200, page) : answersJson(200, { status });
      setTimeout(() => answer(response), 50);
    };
    const { login } = await aPanHolder(service);
    const answers = await inParallel(6, (n) => tryOpen(as(replicas[n % 2]!.api, login)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.payload.session_id as string)).size).toBe(1);
    expect(opened).toBe(1);
    await service.close();
    await scripted.stop();
  });
});

describe('two providers of document lockers', () => {
  let service: TestService;
  let away: ScriptedProvider;
  beforeAll(async () => {
    service = await startService(vendors('setu,cashfree'));
    away = await ScriptedProvider.start();
  });
  afterAll(async () => {
    await service.close();
    await away.stop();
  });

  it.each<[what: string, behaviour: Behaviour]>([
    ['is down', answersJson(503, {})],
    ['refuses our key', answersJson(401, { error: { code: 'unauthorised' } })],
    ['has an empty wallet', answersJson(403, { error: { code: 'insufficient_balance' } })],
  ])('opens a session at the second one while the first %s', async (_what, behaviour) => {
    away.behaviour = behaviour;
    const replica = await service.replica(vendors('setu,cashfree', { SETU_URL: new URL(away.url).origin }));
    const { login, pan } = await aPanHolder(service);
    const me = as(replica.api, login);
    const { url, session_id: id } = await open(me);
    expect((await sessionRowOf(service, id)).provider).toBe('cashfree-locker');
    await allow(url, pan);
    expect((await show(me, id)).body.payload.is_ekyc_verified).toBe(true);
  });

  it.each<[what: string, behaviour: Behaviour]>([
    ['fails', answersJson(500, {})],
    ['answers a web page', BEHAVIOURS.answersHtml],
    ['refuses our request', answersJson(400, { type: 'validation_error', code: 'x', message: 'x' })],
    ['breaks off', BEHAVIOURS.breaksOff],
  ])(
    'opens a session at the second one when the first %s, since an unused session costs nothing',
    async (_what, behaviour) => {
      away.behaviour = behaviour;
      const first = { CASHFREE_URL: new URL(away.url).origin };
      const replica = await service.replica(vendors('cashfree,setu', first));
      const { login } = await aPanHolder(service);
      const { session_id: id } = await open(as(replica.api, login));
      expect((await sessionRowOf(service, id)).provider).toBe('setu-locker');
    },
  );

  it('opens a session at the second one at once when the answer of the first was lost', async () => {
    const proxy = await HoldingProxy.start();
    const replica = await service.replica(vendors('cashfree,setu', behind(proxy)));
    const { login } = await aPanHolder(service);
    const { status, body } = await openLosingTheAnswer(as(replica.api, login), proxy);
    expect(status).toBe(200);
    expect((await sessionRowOf(service, body.payload.session_id as string)).provider).toBe('setu-locker');
    await proxy.stop();
  });

  it('continues a session at the provider that opened it after the order has changed', async () => {
    const { login, pan } = await aPanHolder(service);
    const { url, session_id: id } = await open(as(service.api, login));
    expect((await sessionRowOf(service, id)).provider).toBe('setu-locker');
    const turned = await service.replica(vendors('cashfree,setu'));
    await allow(url, pan);
    expect((await show(as(turned.api, login), id)).body.payload.is_ekyc_verified).toBe(true);
  });

  it('answers 503 about a session whose provider is unavailable, and opens none elsewhere', async () => {
    const { login } = await aPanHolder(service);
    const { session_id: id } = await open(as(service.api, login));
    away.behaviour = answersJson(503, {});
    const replica = await service.replica(vendors('setu,cashfree', { SETU_URL: new URL(away.url).origin }));
    expectRefusal(await show(as(replica.api, login), id), EkycErrors.unavailable);
    expect((await sessionRowOf(service, id)).provider).toBe('setu-locker');
    expect((await show(as(service.api, login), id)).status).toBe(200);
  });

  it('answers 503 when both are unavailable, and opens a session once one is back', async () => {
    away.behaviour = answersJson(503, {});
    const url = new URL(away.url).origin;
    const replica = await service.replica(vendors('setu,cashfree', { SETU_URL: url, CASHFREE_URL: url }));
    const { login } = await aPanHolder(service);
    expectRefusal(await tryOpen(as(replica.api, login)), EkycErrors.unavailable);
    expect((await open(as(service.api, login))).status).toBe('CREATED');
  });
});
