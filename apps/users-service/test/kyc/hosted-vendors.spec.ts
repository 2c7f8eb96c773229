import { EkycErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel } from '@fd/testing';
import { aadhaarReadsOf, effectsOf } from '../support/effects.js';
import { finishEkyc } from '../support/ekyc.js';
import { check, over, stepOf, tryCheck } from '../support/hosted-ekyc.js';
import { as } from '../support/login.js';
import { aPanHolder, type VerifiedPan } from '../support/pan.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { answersJson, type Behaviour, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';

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
