import type { EkycStatusPayload, UserProfilePayload } from '@fd/contracts';
import { PanErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal } from '@fd/testing';
import { v7 as uuidv7 } from 'uuid';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { PanNotices } from '../../src/kyc/pan/pan-notices.js';
import { shortOf, trailOf } from '../support/audit.js';
import { anAadhaar, finishEkyc } from '../support/ekyc.js';
import { anEmail, verifyEmail } from '../support/email.js';
import { inboxOf } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { runPan, WHO } from '../support/operator.js';
import { aPan, panBody, postPan, verifyPan } from '../support/pan.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';
import { vendorSettings } from '../support/settings.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const STATUS = issuerPath('aravalli', 'v3/check-status');
const BIRTH = '1980-01-01';
const ANOTHER_BIRTH = '1999-12-31';

/** At a registry that compares the date of birth, and at one that does not, with the same stores. */
interface User extends LoggedIn {
  readonly compared: ApiClient;
  readonly uncompared: ApiClient;
}

let service: TestService;
let setu: UsersApp;
beforeAll(async () => {
  const vendors = vendorSettings(sandboxUrl());
  service = await startService({ ...vendors, PAN_PROVIDERS: 'cashfree' });
  setu = await service.replica({ PAN_PROVIDERS: 'setu' });
});
afterAll(() => service.close());

async function aUser(): Promise<User> {
  const user = await logIn(service);
  return { ...user, compared: as(service.api, user), uncompared: as(setu.api, user) };
}

const status = async ({ compared }: User): Promise<EkycStatusPayload> =>
  ((await compared.post(STATUS, {})).body as { payload: EkycStatusPayload }).payload;

async function proveAtProvider(user: User): Promise<void> {
  const { ekyc_request_id: id } = await status(user);
  await finishEkyc(id!, 'verified', undefined, user.phone);
}

async function completeEkyc(user: User): Promise<void> {
  await proveAtProvider(user);
  expect(await status(user)).toMatchObject({ is_ekyc_verified: true });
}

const profileOf = async ({ compared }: User): Promise<UserProfilePayload> =>
  ((await compared.get('/api/v1/user-profile')).body as { payload: UserProfilePayload }).payload;

const actionsOf = async ({ user_id }: User): Promise<string[]> =>
  (await trailOf(service, user_id)).map(shortOf);

/** Lets a namesake verify a PAN without a comparison of the date of birth, and complete an own eKYC. */
async function aNamesakeWithEkyc(): Promise<{ namesake: User; number: string }> {
  const [namesake, number] = [await aUser(), aPan()];
  const { dob_match } = await verifyPan(namesake.uncompared, panBody(number, ANOTHER_BIRTH));
  expect(dob_match).toBe(false);
  await completeEkyc(namesake);
  expect(await profileOf(namesake)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
  return { namesake, number };
}

describe('PAN verified without a comparison of the date of birth', () => {
  it('returns dob_match as true only if the registry compared the date of birth', async () => {
    const [one, other, body] = [await aUser(), await aUser(), panBody()];
    // the second answer is the stored one
    for (let time = 0; time < 2; time++)
      expect(await verifyPan(one.uncompared, body)).toMatchObject({ dob_match: false });
    expect(await verifyPan(other.compared)).toMatchObject({ dob_match: true });
  });

  it('returns dob_match as false after a failover from a registry that compares it', async () => {
    const cashfree = await ScriptedProvider.start();
    cashfree.behaviour = answersJson(503, {});
    const both = { PAN_PROVIDERS: 'cashfree,setu', CASHFREE_URL: new URL(cashfree.url).origin };
    const replica = await service.replica(both);
    const api = as(replica.api, await aUser());
    const differing = panBody(aPan({ digits: '0406' }));
    expect(await verifyPan(api, differing)).toMatchObject({ is_pan_verified: true, dob_match: false });
    await cashfree.stop();
  });

  it('moves an uncompared PAN to the holder whose date was compared and who completes the eKYC, although the first user has completed one', async () => {
    const { namesake, number } = await aNamesakeWithEkyc();
    const holder = await aUser();
    expectRefusal(await postPan(holder.compared, panBody(number, BIRTH)), PanErrors.belongsToAnotherUser);
    await completeEkyc(holder);
    expect(await profileOf(holder)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
    expect(await verifyPan(holder.compared, panBody(number, BIRTH))).toMatchObject({ dob_match: true });
    expect(await actionsOf(holder)).toContain('PAN_TAKEN_OVER');

    expect(await profileOf(namesake)).toMatchObject({ is_pan_verified: false, is_ekyc_verified: false });
    expect(await actionsOf(namesake)).toContain(`PAN_RELEASED ${PanErrors.belongsToAnotherUser.code}`);
    await eventually(async () => {
      await service.app.get(DurableCalls).advanceDue(service.app.get(PanNotices));
      expect((await inboxOf(namesake.phone))[0]!.text).toMatch(/proved by eKYC to hold the PAN/);
    });
  });

  it('moves an uncompared PAN to no other user without a comparison until an operator releases it', async () => {
    const { namesake, number } = await aNamesakeWithEkyc();
    const holder = await aUser();
    expectRefusal(await postPan(holder.uncompared, panBody(number, BIRTH)), PanErrors.belongsToAnotherUser);
    const addresses = [anEmail(), anEmail()] as const;
    await verifyEmail(namesake.compared, addresses[0]);
    await verifyEmail(holder.compared, addresses[1]);
    await proveAtProvider(holder);
    expectRefusal(await holder.compared.post(STATUS, {}), PanErrors.belongsToAnotherUser);
    const notices = async (address: string) =>
      (await inboxOf(address)).filter(({ code }) => code === null).map(({ text }) => text);
    await eventually(async () => {
      expect(await notices(addresses[0])).toEqual([expect.stringContaining('It stays in your account')]);
      expect(await notices(addresses[1])).toEqual([
        expect.stringContaining('contact our support, who decides'),
      ]);
    });
    expect(await profileOf(namesake)).toMatchObject({ is_pan_verified: true });
    expect(await runPan(service, '', 'release', '--user', namesake.user_id, ...WHO)).toMatch(/^released/);
    expect(await status(holder)).toMatchObject({ is_ekyc_verified: true });
    expect(await verifyPan(holder.compared, panBody(number, BIRTH))).toMatchObject({ dob_match: false });
  });

  it('moves an uncompared PAN to the holder who was refused without a comparison and repeats the call with one', async () => {
    const { number } = await aNamesakeWithEkyc();
    const holder = await aUser();
    const body = panBody(number, BIRTH);
    expectRefusal(await postPan(holder.uncompared, body), PanErrors.belongsToAnotherUser);
    await proveAtProvider(holder);
    expectRefusal(await holder.compared.post(STATUS, {}), PanErrors.belongsToAnotherUser);
    expectRefusal(await postPan(holder.compared, body), PanErrors.belongsToAnotherUser);
    const { ekyc_request_id: id } = await status(holder);
    // a repeat without a comparison replaces nothing
    expectRefusal(await postPan(holder.uncompared, body), PanErrors.belongsToAnotherUser);
    await finishEkyc(id!, 'verified');
    expect(await status(holder)).toMatchObject({ is_ekyc_verified: true });
    expect(await verifyPan(holder.compared, body)).toMatchObject({ dob_match: true });
  });
});

describe('PAN verified with a comparison of the date of birth', () => {
  it.each(['before', 'after'])(
    'keeps a compared PAN with its holder when a namesake whose date was not compared completes an eKYC %s the holder',
    async (order) => {
      const [holder, namesake, number] = [await aUser(), await aUser(), aPan()];
      await verifyPan(holder.compared, panBody(number, BIRTH));
      const claim = panBody(number, ANOTHER_BIRTH);
      expectRefusal(await postPan(namesake.uncompared, claim), PanErrors.belongsToAnotherUser);
      if (order === 'after') await completeEkyc(holder);
      await proveAtProvider(namesake);
      for (let time = 0; time < 2; time++)
        expectRefusal(await namesake.compared.post(STATUS, {}), PanErrors.belongsToAnotherUser);
      if (order === 'before') await completeEkyc(holder);
      expect(await profileOf(holder)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
      expect(await profileOf(namesake)).toMatchObject({ is_pan_verified: false });
      expect(await actionsOf(holder)).not.toContain('PAN_RELEASED');
    },
  );
});

describe('statements of the former release about PANs', () => {
  const columns = `user_id, verification_id, pan_index, pan_encrypted, dob_encrypted, names_encrypted, pan_status,
    aadhaar_seeding_status`;
  const valuesFrom = (table: string): string =>
    `SELECT $1, $2::uuid, pan_index, pan_encrypted, dob_encrypted, names_encrypted, pan_status, aadhaar_seeding_status
       FROM onboarding.${table} LIMIT 1`;

  it('lets the former release store a claim, and replace it', async () => {
    const [first, { user_id }] = [await aUser(), await aUser()];
    await verifyPan(first.compared);
    const replace = `INSERT INTO onboarding.contested_identities AS c (${columns}) ${valuesFrom('identities')}
      ON CONFLICT (user_id) DO UPDATE SET (${columns}, verified_at) = ROW (excluded.*)
        WHERE c.verification_id <> excluded.verification_id RETURNING verification_id AS id`;
    const ids = [uuidv7(), uuidv7()];
    for (const id of ids) expect(await service.dataSource.query(replace, [user_id, id])).toEqual([{ id }]);
  });

  it('lets the former release store an identity, which does not count as compared', async () => {
    const [first, { user_id }] = [await aUser(), await aUser()];
    await verifyPan(first.compared);
    const [stored] = await service.dataSource.query<object[]>(
      `INSERT INTO onboarding.identities (${columns})
       SELECT $1, $2::uuid, sha256($2::text::bytea), pan_encrypted, dob_encrypted, names_encrypted, pan_status,
              aadhaar_seeding_status
         FROM onboarding.identities LIMIT 1 RETURNING is_dob_compared AS "isCompared"`,
      [user_id, uuidv7()],
    );
    expect(stored).toEqual({ isCompared: false });
  });
});

const HOSTED = issuerPath('sahyadri', 'v3/check-status');
const AADHAAR = issuerPath('sahyadri', 'v1/aadhaar-ekyc');
const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString();

describe('eKYC by a document with only the year of birth', () => {
  /** Plays the provider of hosted eKYC and that of Aadhaar codes. */
  let provider: ScriptedProvider;
  let service: TestService;
  /** The holder of every document. */
  let holder: object;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    const answers: [path: RegExp, status: number, body: () => object][] = [
      [/verify$/, 200, () => ({ reference_id: 'r-1', last_four: '1234', holder })],
      [
        /otp$/,
        200,
        () => ({
          transaction_id: 't-1',
          masked_mobile: null,
          expires_at: IN_AN_HOUR,
          resend_after_seconds: 0,
        }),
      ],
      [/requests$/, 201, () => ({ url: 'https://ekyc.example/r-1', expires_at: IN_AN_HOUR })],
      [/close$/, 200, () => ({ state: 'closed' })],
      [/requests\/[^/]+$/, 200, () => ({ state: 'verified', holder })],
    ];
    provider.behaviour = (response) => {
      const [, status, body] = answers.find(([path]) => path.test(response.req.url!))!;
      answersJson(status, body())(response);
    };
    service = await startService({ EKYC_URL: provider.url, AADHAAR_URL: provider.url });
  });
  afterAll(async () => {
    await service.close();
    await provider.stop();
  });

  const isVerified = async (api: ApiClient): Promise<boolean> => {
    const { body } = await api.get('/api/v1/user-profile');
    return (body as { payload: UserProfilePayload }).payload.is_ekyc_verified;
  };

  const byHostedPage = (api: ApiClient) =>
    eventually(async () => {
      const { body } = await api.post(HOSTED, {});
      expect((body as { payload: EkycStatusPayload }).payload.is_ekyc_verified).toBe(true);
    });

  const byAadhaarCode = async (api: ApiClient) => {
    const asked = { aadhaar_number: anAadhaar(), consent_checked: true };
    const { body } = await api.post(`${AADHAAR}/send-otp`, asked);
    const { ekyc_request_id } = (body as { payload: { ekyc_request_id: string } }).payload;
    const checked = await api.post(`${AADHAAR}/verify-otp`, { ekyc_request_id, otp: '123456' });
    expect(checked.status).toBe(200);
  };

  it.each([
    ['on the hosted page', byHostedPage],
    ['by an Aadhaar code', byAadhaarCode],
  ])('verifies the user %s, and gives way to the holder who proves the full date', async (_way, prove) => {
    const [namesake, owner] = [as(service.api, await logIn(service)), as(service.api, await logIn(service))];
    const body = panBody();
    const { full_name: name } = await verifyPan(namesake, body);
    holder = { name, date_of_birth: null, year_of_birth: body.dob.slice(0, 4) };
    await prove(namesake);
    expect(await isVerified(namesake)).toBe(true);
    expectRefusal(await postPan(owner, body), PanErrors.belongsToAnotherUser);
    holder = { name, date_of_birth: body.dob };
    await byHostedPage(owner);
    expect([await isVerified(namesake), await isVerified(owner)]).toEqual([false, true]);
  });
});
