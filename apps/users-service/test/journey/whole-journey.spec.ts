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
import { callUntilServed, eventually, recordEvidence } from '@fd/testing';
import { aadhaarReadsOf, effectsOf } from '../support/effects.js';
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
import { type Answer, JourneyClient } from '../support/journey-client.js';

let service: TestService;
let strict: UsersApp;
beforeAll(async () => {
  service = await startService();
  strict = await service.replica({ STRICT_JOURNEY: 'true' });
});
afterAll(() => service.close());

/** Repeats a call after 503, as a frontend does: on a busy machine a provider's answer can miss its deadline. */
class Customer extends JourneyClient {
  override call(...parts: Parameters<JourneyClient['call']>): Promise<Answer> {
    return callUntilServed(() => super.call(...parts));
  }
}

const codesOf = ({ body }: Answer): string[] => (body.error ?? []).map(({ errorCode }) => errorCode);

/** Returns the blockers of a booking: the missing step, or the code of any other blocker. */
const blockersOf = ({ body }: Answer): string[] =>
  (body.payload['blockers'] as { code: string; step: string }[]).map(({ code, step }) =>
    code === JourneyErrors.stepMissing.code ? step : code,
  );

describe.each(ISSUER_SLUGS)('journey to a deposit with %s', (slug) => {
  it.concurrent('leads a user from registration to a booking check without blockers', async () => {
    const customer = new Customer(service.url, slug, aPerson());
    await customer.all();
    const check = await customer.bookingCheck();
    expect(check.body.payload).toEqual({ is_bookable: true, blockers: [] });
    const { payload } = (await customer.journey()).body;
    expect(payload).toMatchObject({ next_step: null, percent_complete: 100 });
    const profile = (await customer.profile()).body.payload;
    expect(profile).toMatchObject({
      pan: `XXXXXX${customer.person.pan.slice(-4)}`,
      dob: customer.person.dob,
      is_pan_verified: true,
      is_ekyc_verified: true,
      is_email_verified: true,
      is_bank_verified: true,
      nominees_count: 1,
    });
    recordEvidence('journey-every-issuer', { issuer: slug, 'percent complete': 100, blockers: 0 });
  });

  it.concurrent('leads a user to a booking check without blockers even if each step fails once', async () => {
    const customer = new JourneyClient(service.url, slug, aPerson());
    const { person } = customer;
    await customer.register();
    const wrong = verifyBody(person.phone, wrongCode(await codeOf(person.phone)));
    expect(codesOf(await customer.call('POST', '/auth/api/v2/register/verify', wrong))).toEqual([
      LoginErrors.otpWrong.code,
    ]);
    await customer.logIn();
    if (slug === 'sahyadri') {
      expect(codesOf(await customer.call('POST', customer.path('v1/kyc-context'), { lead_id: 'x' }))).toEqual(
        [LeadErrors.unknown.code],
      );
      await customer.kycContext((await customer.lead()).body.payload['lead_id']);
    }
    expect(codesOf(await customer.tryPan(aPan({ digits: '0503' })))).toEqual([
      PanErrors.registryUnavailable.code,
    ]);
    expect(codesOf(await customer.tryPan(aPan({ digits: '0404' })))).toEqual([PanErrors.notFound.code]);
    await customer.pan();
    await customer.etb();
    const first = (await customer.status()).body.payload;
    await finishEkyc(first['ekyc_request_id'] as string, 'failed');
    expect((await customer.status()).body.payload).toMatchObject({
      ekyc_failed: true,
      ekyc_status: 'FAILED',
    });
    await customer.ekyc();
    expect(codesOf(await customer.tryEmail(`person.0503@${crypto.randomUUID()}.example`))).toEqual([
      EmailErrors.mailUnavailable.code,
    ]);
    await customer.email();
    const [missing] = codesOf(await customer.call('POST', '/api/v1/personal-details', {}));
    expect(missing).toBe(PersonalDetailsErrors.missing.code);
    await customer.details();
    expect(codesOf(await customer.tryBank(anAccount('0503')))).toEqual([BankErrors.unavailable.code]);
    expect(codesOf(await customer.tryBank(anAccount('2403')))).toEqual([IssuerErrors.unavailable.code]);
    expect(codesOf(await customer.tryBank(anAccount('0423')))).toEqual([BankErrors.accountBlocked.code]);
    await customer.bank();
    expect(codesOf(await customer.tryNominee({ name: 'Meera', relationship: 'ROBOT' }))).toEqual([
      NomineeErrors.relationshipInvalid.code,
    ]);
    await customer.nominee();
    expect(blockersOf(await customer.bookingCheck())).toEqual([]);
  });

  it.concurrent('reports the missing steps as blockers in the booking check', async () => {
    const customer = new Customer(service.url, slug, aPerson());
    await customer.register();
    await customer.logIn();
    const open = blockersOf(await customer.bookingCheck());
    const steps = ['PAN', 'EKYC', 'EMAIL', 'PERSONAL_DETAILS', 'BANK', 'NOMINEE'];
    expect(open).toEqual(slug === 'sahyadri' ? ['LEAD', 'KYC_CONTEXT', ...steps] : steps);
    await customer.pan();
    expect(blockersOf(await customer.bookingCheck())).toEqual(open.filter((step) => step !== 'PAN'));
  });

  it.concurrent('answers 409 to steps out of order when the strict journey is on', async () => {
    const customer = new Customer(strict.url, slug, aPerson());
    await customer.register();
    await customer.logIn();
    await customer.journey();
    for (const attempt of [
      customer.tryStatus(),
      customer.tryEmail(),
      customer.tryBank(),
      customer.tryNominee(),
    ]) {
      const answer = await attempt;
      expect([answer.status, codesOf(answer)]).toEqual([409, [JourneyErrors.stepLocked.code]]);
    }
    const inOrder = new Customer(strict.url, slug, aPerson());
    await inOrder.all();
    expect(blockersOf(await inOrder.bookingCheck())).toEqual([]);
  });
});

it('registers an account sent before an issuer was chosen once its step is due, in a strict journey', async () => {
  const customer = new Customer(service.url, 'aravalli', aPerson());
  await customer.register();
  await customer.logIn();
  await customer.pan();
  await customer.email();
  await customer.nominee();
  const { account, ifsc } = customer.person;
  expect((await customer.call('POST', '/api/v1/bank/sync-to-issuer', { account, ifsc })).status).toBe(200);
  customer.baseUrl = strict.url;
  const bankOf = async () => {
    const { payload } = (await customer.journey()).body;
    return (payload['steps'] as { step: string; status: string }[]).find(({ step }) => step === 'BANK')!
      .status;
  };
  await customer.etb();
  await customer.status();
  expect(await bankOf()).not.toBe('DONE');
  await customer.ekyc();
  await customer.details();
  await customer.etb();
  await eventually(async () => expect(await bankOf()).toBe('DONE'));
});

describe('journey to a deposit with an issuer that runs Fineract', () => {
  const slugs = ['aravalli', 'kaveri', 'nilgiri', 'vindhya'] as const;
  let replica: UsersApp;
  beforeAll(async () => {
    replica = await service.replica(overFineract(slugs));
  });

  it.concurrent.each(slugs)('leads a user of %s to a booking check without blockers', async (slug) => {
    const customer = new Customer(replica.url, slug, aPerson());
    await customer.all();
    expect((await customer.bookingCheck()).body.payload).toEqual({ is_bookable: true, blockers: [] });
    const { user_id: userId } = (await customer.profile()).body.payload;
    expect(await effectsOf(`issuer:${slug}`, userId as string)).toMatchObject([{ kind: 'customer' }]);
    recordEvidence('journey-every-issuer', { issuer: `${slug} over Fineract`, blockers: 0 });
  });

  it.concurrent(
    'stores the account of an existing customer with the client that the issuer already has',
    async () => {
      const customer = new Customer(replica.url, 'vindhya', {
        ...aPerson(),
        pan: aPan({ digits: '0200' }),
      });
      await customer.all();
      expect((await customer.etb()).body.payload).toMatchObject({ is_etb: true, customer_type: 'ETB' });
      expect((await customer.bookingCheck()).body.payload).toEqual({ is_bookable: true, blockers: [] });
      const { user_id: userId } = (await customer.profile()).body.payload;
      expect(await effectsOf('issuer:vindhya', userId as string)).toEqual([]);
    },
  );
});

describe('strict order of steps', () => {
  it('refuses, without an issuer, the steps that every issuer puts after an open one', async () => {
    const customer = new Customer(strict.url, 'aravalli', aPerson());
    await customer.register();
    await customer.logIn();
    const { account, ifsc } = customer.person;
    const refused = async () => {
      for (const [path, body] of [
        ['/api/v1/email/send-otp', { email: 'asha.rao@mail.example' }],
        ['/api/v1/bank/sync-to-issuer', { account, ifsc, account_holder_full_name: 'Asha Rao' }],
        ['/api/v1/user-nominee', { name: 'Zara Quill', relationship: 'SPOUSE', dob: '1987-03-09' }],
      ] as const) {
        const answer = await customer.call('POST', path, body);
        expect([path, answer.status, codesOf(answer)]).toEqual([path, 409, [JourneyErrors.stepLocked.code]]);
      }
    };
    await refused();
    // sahyadri alone has steps before the PAN
    await customer.pan();
    await refused();
    await customer.etb();
    await customer.status();
    await customer.ekyc();
    await customer.email();
  });

  it('refuses a locked step when the call names a second issuer', async () => {
    const customer = new Customer(strict.url, 'sahyadri', aPerson());
    await customer.register();
    await customer.logIn();
    await customer.pan();
    const status = customer.path('v3/check-status');
    for (const attempt of [
      customer.call('POST', status, {}),
      customer.call('POST', `${status}?issuer_code=ARAVFIN`, {}),
      customer.call('POST', status, { issuer_code: 'ARAVFIN' }),
    ]) {
      expect(codesOf(await attempt)).toEqual([JourneyErrors.stepLocked.code]);
    }
    expect((await customer.call('POST', '/issuer-apis/aravalli/v3/check-status', {})).status).toBe(200);
  });
});

describe('blockers of a booking check', () => {
  it('reports a nominee with the name of the applicant as a blocker', async () => {
    const customer = new Customer(service.url, 'aravalli', aPerson());
    await customer.register();
    await customer.logIn();
    const { full_name: name } = (await customer.pan()).body.payload;
    const named = await customer.tryNominee({ name, relationship: 'OTHER' });
    expect(named.status).toBe(201);
    expect(named.body.payload['warnings']).toEqual([NomineeErrors.isApplicant.code]);
    expect(blockersOf(await customer.bookingCheck())).toContain(NomineeErrors.isApplicant.code);
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

  it.concurrent.each(ISSUER_SLUGS)(
    'leads a user of %s to a booking check without blockers, with one payment per check',
    async (slug) => {
      const customer = new Customer(vendors.url, slug, await aSamplePerson());
      await customer.all();
      const check = await customer.bookingCheck();
      expect(check.body.payload).toEqual({ is_bookable: true, blockers: [] });
      const { pan, account } = customer.person;
      const lookups = await effectsOf(vendor, pan);
      expect(lookups.map(({ kind }) => kind).sort()).toEqual(
        vendor === 'setu' ? ['pan'] : ['pan', 'pan_lite'],
      );
      expect(await effectsOf(vendor, account)).toHaveLength(1);
      const { user_id: userId } = (await customer.profile()).body.payload;
      const verified = await vendors.dataSource.query<{ reference: string }[]>(
        method === 'HOSTED'
          ? "SELECT id AS reference FROM onboarding.ekyc_requests WHERE user_id = $1 AND provider = $2 AND status = 'VERIFIED'"
          : `SELECT s.locker_id AS reference FROM onboarding.locker_sessions s
               JOIN onboarding.ekyc_requests r ON r.id = s.ekyc_request_id
              WHERE r.user_id = $1 AND s.provider = $2 AND s.state = 'SETTLED'`,
        [userId, `${vendor}-${method === 'HOSTED' ? 'ekyc' : 'locker'}`],
      );
      expect(verified).toHaveLength(1);
      expect(await aadhaarReadsOf(vendor, verified[0]!.reference)).toEqual({ reads: 1, charges: 1 });
      recordEvidence('journey-every-issuer', {
        issuer: `${slug} over ${vendor}, ${method} eKYC`,
        blockers: 0,
      });
    },
  );
});
