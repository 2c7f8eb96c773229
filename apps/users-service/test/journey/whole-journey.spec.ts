import type { AddressInfo } from 'node:net';
import {
  BankErrors,
  EmailErrors,
  IssuerErrors,
  JourneyErrors,
  LeadErrors,
  LoginErrors,
  NomineeErrors,
  PanErrors,
  PersonalDetailsErrors,
} from '@fd/errors';
import { eventually, recordEvidence } from '@fd/testing';
import { effectsOf } from '../support/effects.js';
import { finishEkyc } from '../support/ekyc.js';
import { overFineract } from '../support/fineract.js';
import { codeOf, wrongCode } from '../support/inbox.js';
import { anAccount, ISSUER_SLUGS } from '../support/issuers.js';
import { verifyBody } from '../support/login.js';
import { aPan } from '../support/pan.js';
import { aPerson, type Person } from '../support/person.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { vendorSettings } from '../support/settings.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';
import { type Answer, Walk } from '../support/walk.js';

let service: TestService;
let strict: UsersApp;
beforeAll(async () => {
  service = await startService();
  strict = await service.replica({ STRICT_JOURNEY: 'true' });
});
afterAll(() => service.close());

const urlOf = ({ app }: UsersApp): string =>
  `http://127.0.0.1:${(app.getHttpServer() as { address(): AddressInfo }).address().port}`;

const codesOf = ({ body }: Answer): string[] => (body.error ?? []).map(({ errorCode }) => errorCode);

/** Returns the blockers of a booking: the missing step, or the code of any other blocker. */
const blockersOf = ({ body }: Answer): string[] =>
  (body.payload['blockers'] as { code: string; step: string }[]).map(({ code, step }) =>
    code === JourneyErrors.stepMissing.code ? step : code,
  );

describe.each(ISSUER_SLUGS)('journey to a deposit with %s', (slug) => {
  it('leads a user from registration to a booking check without blockers', async () => {
    const walk = new Walk(urlOf(service), slug, aPerson());
    await walk.all();
    const check = await walk.bookingCheck();
    expect(check.body.payload).toEqual({ is_bookable: true, blockers: [] });
    const { payload } = (await walk.journey()).body;
    expect(payload).toMatchObject({ next_step: null, percent_complete: 100 });
    const profile = (await walk.profile()).body.payload;
    expect(profile).toMatchObject({
      pan: `XXXXXX${walk.person.pan.slice(-4)}`,
      dob: walk.person.dob,
      is_pan_verified: true,
      is_ekyc_verified: true,
      is_email_verified: true,
      is_bank_verified: true,
      nominees_count: 1,
    });
    recordEvidence('journey-every-issuer', { issuer: slug, 'percent complete': 100, blockers: 0 });
  });

  it('leads a user to a booking check without blockers even if each step fails once', async () => {
    const walk = new Walk(urlOf(service), slug, aPerson());
    const { person } = walk;
    await walk.register();
    const wrong = verifyBody(person.phone, wrongCode(await codeOf(person.phone)));
    expect(codesOf(await walk.call('POST', '/auth/api/v2/register/verify', wrong))).toEqual([
      LoginErrors.otpWrong.code,
    ]);
    await walk.logIn();
    if (slug === 'sahyadri') {
      expect(codesOf(await walk.call('POST', walk.path('v1/kyc-context'), { lead_id: 'x' }))).toEqual([
        LeadErrors.unknown.code,
      ]);
      await walk.kycContext((await walk.lead()).body.payload['lead_id']);
    }
    expect(codesOf(await walk.tryPan(aPan({ digits: '0503' })))).toEqual([
      PanErrors.registryUnavailable.code,
    ]);
    expect(codesOf(await walk.tryPan(aPan({ digits: '0404' })))).toEqual([PanErrors.notFound.code]);
    await walk.pan();
    await walk.etb();
    const first = (await walk.status()).body.payload;
    await finishEkyc(first['ekyc_request_id'] as string, 'failed');
    expect((await walk.status()).body.payload).toMatchObject({ ekyc_failed: true, ekyc_status: 'FAILED' });
    await walk.ekyc();
    expect(codesOf(await walk.tryEmail(`person.0503@${crypto.randomUUID()}.example`))).toEqual([
      EmailErrors.mailUnavailable.code,
    ]);
    await walk.email();
    expect(codesOf(await walk.call('POST', '/api/v1/personal-details', {}))).toEqual([
      PersonalDetailsErrors.missing.code,
    ]);
    await walk.details();
    expect(codesOf(await walk.tryBank(anAccount('0503')))).toEqual([BankErrors.unavailable.code]);
    expect(codesOf(await walk.tryBank(anAccount('2403')))).toEqual([IssuerErrors.unavailable.code]);
    expect(codesOf(await walk.tryBank(anAccount('0423')))).toEqual([BankErrors.accountBlocked.code]);
    await walk.bank();
    expect(codesOf(await walk.tryNominee({ name: 'Meera', relationship: 'ROBOT' }))).toEqual([
      NomineeErrors.relationshipInvalid.code,
    ]);
    await walk.nominee();
    expect(blockersOf(await walk.bookingCheck())).toEqual([]);
  });

  it('reports the missing steps as blockers in the booking check', async () => {
    const walk = new Walk(urlOf(service), slug, aPerson());
    await walk.register();
    await walk.logIn();
    const open = blockersOf(await walk.bookingCheck());
    const steps = ['PAN', 'EKYC', 'EMAIL', 'PERSONAL_DETAILS', 'BANK', 'NOMINEE'];
    expect(open).toEqual(slug === 'sahyadri' ? ['LEAD', 'KYC_CONTEXT', ...steps] : steps);
    await walk.pan();
    expect(blockersOf(await walk.bookingCheck())).toEqual(open.filter((step) => step !== 'PAN'));
  });

  it('answers 409 to steps out of order when the strict journey is on', async () => {
    const walk = new Walk(urlOf(strict), slug, aPerson());
    await walk.register();
    await walk.logIn();
    await walk.journey();
    for (const attempt of [walk.tryStatus(), walk.tryEmail(), walk.tryBank(), walk.tryNominee()]) {
      const answer = await attempt;
      expect([answer.status, codesOf(answer)]).toEqual([409, [JourneyErrors.stepLocked.code]]);
    }
    const inOrder = new Walk(urlOf(strict), slug, aPerson());
    await inOrder.all();
    expect(blockersOf(await inOrder.bookingCheck())).toEqual([]);
  });
});

it('registers an account sent before an issuer was chosen once its step is due, in a strict journey', async () => {
  const walk = new Walk(urlOf(strict), 'aravalli', aPerson());
  await walk.register();
  await walk.logIn();
  await walk.pan();
  await walk.email();
  await walk.nominee();
  const { account, ifsc } = walk.person;
  expect((await walk.call('POST', '/api/v1/bank/sync-to-issuer', { account, ifsc })).status).toBe(200);
  const bankOf = async () => {
    const { payload } = (await walk.journey()).body;
    return (payload['steps'] as { step: string; status: string }[]).find(({ step }) => step === 'BANK')!
      .status;
  };
  await walk.etb();
  await walk.status();
  expect(await bankOf()).not.toBe('DONE');
  await walk.ekyc();
  await walk.details();
  await walk.etb();
  await eventually(async () => expect(await bankOf()).toBe('DONE'));
});

describe('journey to a deposit with an issuer that runs Fineract', () => {
  const slugs = ['aravalli', 'kaveri', 'nilgiri', 'vindhya'] as const;
  let replica: UsersApp;
  beforeAll(async () => {
    replica = await service.replica(overFineract(slugs));
  });

  it.each(slugs)('leads a user of %s to a booking check without blockers', async (slug) => {
    const walk = new Walk(urlOf(replica), slug, aPerson());
    await walk.all();
    expect((await walk.bookingCheck()).body.payload).toEqual({ is_bookable: true, blockers: [] });
    const { user_id: userId } = (await walk.profile()).body.payload;
    expect(await effectsOf(`issuer:${slug}`, userId as string)).toMatchObject([{ kind: 'customer' }]);
    recordEvidence('journey-every-issuer', { issuer: `${slug} over Fineract`, blockers: 0 });
  });

  it('stores the account of an existing customer with the client that the issuer already has', async () => {
    const walk = new Walk(urlOf(replica), 'vindhya', { ...aPerson(), pan: aPan({ digits: '0200' }) });
    await walk.all();
    expect((await walk.etb()).body.payload).toMatchObject({ is_etb: true, customer_type: 'ETB' });
    expect((await walk.bookingCheck()).body.payload).toEqual({ is_bookable: true, blockers: [] });
    const { user_id: userId } = (await walk.profile()).body.payload;
    expect(await effectsOf('issuer:vindhya', userId as string)).toEqual([]);
  });
});

describe('strict order of steps', () => {
  it('refuses a locked step when the call names a second issuer', async () => {
    const walk = new Walk(urlOf(strict), 'sahyadri', aPerson());
    await walk.register();
    await walk.logIn();
    await walk.pan();
    const status = walk.path('v3/check-status');
    for (const attempt of [
      walk.call('POST', status, {}),
      walk.call('POST', `${status}?issuer_code=ARAVFIN`, {}),
      walk.call('POST', status, { issuer_code: 'ARAVFIN' }),
    ]) {
      expect(codesOf(await attempt)).toEqual([JourneyErrors.stepLocked.code]);
    }
    expect((await walk.call('POST', '/issuer-apis/aravalli/v3/check-status', {})).status).toBe(200);
  });
});

describe('blockers of a booking check', () => {
  it('reports a nominee with the name of the applicant as a blocker', async () => {
    const walk = new Walk(urlOf(service), 'aravalli', aPerson());
    await walk.register();
    await walk.logIn();
    const { full_name: name } = (await walk.pan()).body.payload;
    const named = await walk.tryNominee({ name, relationship: 'OTHER' });
    expect(named.status).toBe(201);
    expect(named.body.payload['warnings']).toEqual([NomineeErrors.isApplicant.code]);
    expect(blockersOf(await walk.bookingCheck())).toContain(NomineeErrors.isApplicant.code);
  });
});

describe.each([
  ['cashfree', 'DIGILOCKER'],
  ['cashfree', 'HOSTED'],
  ['setu', 'DIGILOCKER'],
] as const)('the journey over %s, with %s eKYC', (vendor, method) => {
  let vendors: TestService;
  beforeAll(async () => {
    vendors = await startService({
      ...vendorSettings(sandboxUrl()),
      PAN_PROVIDERS: vendor,
      BANK_PROVIDERS: vendor,
      LOCKER_PROVIDERS: vendor,
      EKYC_PROVIDERS: vendor === 'cashfree' ? vendor : 'hosted',
      EKYC_METHODS: ISSUER_SLUGS.map((slug) => `${slug}=${method}`).join(),
    });
  });
  afterAll(() => vendors.close());

  /**
   * Returns a person whose account and date of birth the sandbox knows: the service sends vendors neither name nor
   * date.
   */
  async function aSamplePerson(): Promise<Person> {
    const sample = await fetch(`${sandboxUrl()}/api/sample-person`);
    return aPerson((await sample.json()) as Partial<Person>);
  }

  it.each(ISSUER_SLUGS)(
    'leads a user of %s to a booking check without blockers, with one payment per check',
    async (slug) => {
      const walk = new Walk(urlOf(vendors), slug, await aSamplePerson());
      await walk.all();
      const check = await walk.bookingCheck();
      expect(check.body.payload).toEqual({ is_bookable: true, blockers: [] });
      const { pan, account } = walk.person;
      const lookups = await effectsOf(vendor, pan);
      expect(lookups.map(({ kind }) => kind).sort()).toEqual(
        vendor === 'setu' ? ['pan'] : ['pan', 'pan_lite'],
      );
      expect(await effectsOf(vendor, account)).toHaveLength(1);
      const verified = await vendors.dataSource.query<{ reference: string }[]>(
        method === 'HOSTED'
          ? "SELECT id AS reference FROM onboarding.ekyc_requests WHERE provider = $1 AND status = 'VERIFIED' ORDER BY created_at DESC"
          : "SELECT locker_id AS reference FROM onboarding.locker_sessions WHERE provider = $1 AND state = 'SETTLED' ORDER BY created_at DESC",
        [`${vendor}-${method === 'HOSTED' ? 'ekyc' : 'locker'}`],
      );
      const paid = (await effectsOf(vendor, verified[0]!.reference)).filter(({ kind }) => kind === 'aadhaar');
      expect(paid).toHaveLength(1);
      recordEvidence('journey-every-issuer', {
        issuer: `${slug} over ${vendor}, ${method} eKYC`,
        blockers: 0,
      });
    },
  );
});
