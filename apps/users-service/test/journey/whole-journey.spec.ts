import type { BookingCheckPayload, ConsentNoticesPayload } from '@fd/contracts';
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
import { HINDI, recordEvidence } from '@fd/testing';
import { effectsOf } from '../support/effects.js';
import { finishEkyc } from '../support/ekyc.js';
import { overFineract } from '../support/fineract.js';
import { codeOf, wrongCode } from '../support/inbox.js';
import { anAccount, ISSUER_SLUGS } from '../support/issuers.js';
import { verifyBody } from '../support/login.js';
import { aPan } from '../support/pan.js';
import { aPerson } from '../support/person.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';
import { type Answer, JourneyClient } from '../support/journey-client.js';
import { withOwn } from '../support/with-own.js';

let service: TestService;
let strict: UsersApp;
/**
 * Reaches issuers over Fineract, in the strict order of the steps. A service of its own: a worker of another replica would register over
 * another API.
 */
let fineract: TestService;
const FINERACT_SLUGS = ['aravalli', 'kaveri', 'nilgiri', 'vindhya'] as const;
beforeAll(async () => {
  service = await startService();
  strict = await service.replica({ STRICT_JOURNEY: 'true' });
  fineract = await startService({ ...overFineract(FINERACT_SLUGS), STRICT_JOURNEY: 'true' });
});
afterAll(() => Promise.all([service.close(), fineract.close()]));

const ownService = async () => {
  const own = await startService({});
  return { url: own.url, end: () => own.close() };
};

const codesOf = ({ body }: Answer): string[] => (body.error ?? []).map(({ errorCode }) => errorCode);

/** Returns the blockers of a booking: the missing step, or the code of any other blocker. */
const blockersOf = ({ body }: Answer): string[] =>
  (body.payload['blockers'] as { code: string; step: string }[]).map(({ code, step }) =>
    code === JourneyErrors.stepMissing.code ? step : code,
  );

/** Texts of the notices for the user. */
const noticeTexts = ({ body }: Answer): string[] =>
  (body.payload as unknown as ConsentNoticesPayload).notices.flatMap(
    ({ title, text, data, withdrawal_text: howToWithdraw }) => [title, text, ...data, howToWithdraw],
  );

/** Texts of a booking check for the user. */
function findingTexts({ body }: Answer): string[] {
  const { blockers, warnings } = body.payload as unknown as BookingCheckPayload;
  return [...blockers, ...warnings].flatMap(({ message, way_out: wayOut }) => [message, wayOut]);
}

describe('journey to a deposit', () => {
  it.concurrent.each(ISSUER_SLUGS)(
    'leads a user of %s from registration to a booking check without blockers, in Hindi too',
    async (slug) => {
      const customer = new JourneyClient(service.url, slug, aPerson());
      const notices = await customer.call('GET', '/api/v1/consent-notices?lang=hi');
      await customer.register();
      await customer.logIn();
      const missing = await customer.bookingCheck('?lang=hi');
      expect(blockersOf(missing)).toEqual(blockersOf(await customer.bookingCheck()));
      const texts = [...noticeTexts(notices), ...findingTexts(missing)];
      expect(texts.length).toBeGreaterThan(40);
      for (const text of texts) expect(text).toMatch(HINDI);
      await customer.afterLogin();
      for (const query of ['', '?lang=hi']) {
        const check = await customer.bookingCheck(query);
        expect(check.body.payload).toEqual({ is_bookable: true, blockers: [], warnings: [] });
      }
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
    },
  );

  // each with a service of its own: the failures of five, and their repeats by the worker, can open the circuit of the bank
  it.concurrent.each(ISSUER_SLUGS)(
    'leads a user of %s to a booking check without blockers even if each step fails once',
    withOwn(ownService, async (own, slug) => {
      const customer = new JourneyClient(own.url, slug, aPerson());
      const { person } = customer;
      await customer.register();
      const wrong = verifyBody(person.phone, wrongCode(await codeOf(person.phone)));
      expect(codesOf(await customer.call('POST', '/auth/api/v2/register/verify', wrong))).toEqual([
        LoginErrors.otpWrong.code,
      ]);
      await customer.logIn();
      if (slug === 'sahyadri') {
        expect(
          codesOf(await customer.call('POST', customer.path('v1/kyc-context'), { lead_id: 'x' })),
        ).toEqual([LeadErrors.unknown.code]);
        await customer.kycContext((await customer.lead()).body.payload['lead_id']);
      }
      expect(codesOf(await customer.tryPan(aPan({ digits: '0503' })))).toEqual([
        PanErrors.registryUnavailable.code,
      ]);
      expect(codesOf(await customer.tryPan(aPan({ digits: '0404' })))).toEqual([PanErrors.notFound.code]);
      await customer.pan();
      await customer.etb();
      const { ekyc_request_id: id } = (await customer.status()).body.payload;
      await finishEkyc(id as string, 'failed');
      const failed = await customer.tryStatus();
      expect(failed.body.payload).toMatchObject({ ekyc_failed: true, ekyc_status: 'FAILED' });
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
    }),
  );

  it.concurrent.each(ISSUER_SLUGS)(
    'reports the missing steps as blockers in the booking check with %s',
    async (slug) => {
      const customer = new JourneyClient(service.url, slug, aPerson());
      await customer.register();
      await customer.logIn();
      const open = blockersOf(await customer.bookingCheck());
      const steps = ['PAN', 'EKYC', 'EMAIL', 'PERSONAL_DETAILS', 'BANK', 'NOMINEE'];
      expect(open).toEqual(slug === 'sahyadri' ? ['LEAD', 'KYC_CONTEXT', ...steps] : steps);
      await customer.pan();
      expect(blockersOf(await customer.bookingCheck())).toEqual(open.filter((step) => step !== 'PAN'));
    },
  );

  it.concurrent.each(ISSUER_SLUGS)(
    'answers 409 to steps of %s out of order when the strict journey is on',
    async (slug) => {
      const customer = new JourneyClient(strict.url, slug, aPerson());
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
    },
  );

  // the other issuers' journeys over Fineract are strict
  it.concurrent('accepts the steps of sahyadri in order when the strict journey is on', async () => {
    const inOrder = new JourneyClient(strict.url, 'sahyadri', aPerson());
    await inOrder.all();
    expect(blockersOf(await inOrder.bookingCheck())).toEqual([]);
  });

  it.concurrent.each(FINERACT_SLUGS)(
    'leads a user of %s over Fineract, in the strict order, to a booking check without blockers',
    async (slug) => {
      const customer = new JourneyClient(fineract.url, slug, aPerson());
      await customer.all();
      expect((await customer.bookingCheck()).body.payload).toEqual({
        is_bookable: true,
        blockers: [],
        warnings: [],
      });
      const { user_id: userId } = (await customer.profile()).body.payload;
      expect(await effectsOf(`issuer:${slug}`, userId as string)).toMatchObject([{ kind: 'customer' }]);
      recordEvidence('journey-every-issuer', { issuer: `${slug} over Fineract`, blockers: 0 });
    },
  );

  it.concurrent(
    'stores the account of an existing customer with the client that the issuer already has',
    async () => {
      const customer = new JourneyClient(fineract.url, 'vindhya', {
        ...aPerson(),
        pan: aPan({ digits: '0200' }),
      });
      await customer.all();
      expect((await customer.etb()).body.payload).toMatchObject({ is_etb: true, customer_type: 'ETB' });
      expect((await customer.bookingCheck()).body.payload).toEqual({
        is_bookable: true,
        blockers: [],
        warnings: [],
      });
      const { user_id: userId } = (await customer.profile()).body.payload;
      expect(await effectsOf('issuer:vindhya', userId as string)).toEqual([]);
    },
  );

  it.concurrent(
    'refuses, without an issuer, the steps that every issuer puts after an open one',
    async () => {
      const customer = new JourneyClient(strict.url, 'aravalli', aPerson());
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
          expect([path, answer.status, codesOf(answer)]).toEqual([
            path,
            409,
            [JourneyErrors.stepLocked.code],
          ]);
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
    },
  );

  it.concurrent('refuses a locked step when the call names a second issuer', async () => {
    const customer = new JourneyClient(strict.url, 'sahyadri', aPerson());
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

  it.concurrent('reports a nominee with the name of the applicant as a blocker', async () => {
    const customer = new JourneyClient(service.url, 'aravalli', aPerson());
    await customer.register();
    await customer.logIn();
    const { full_name: name } = (await customer.pan()).body.payload;
    const named = await customer.tryNominee({ name, relationship: 'OTHER' });
    expect(named.status).toBe(201);
    expect(named.body.payload['warnings']).toEqual([NomineeErrors.isApplicant.code]);
    expect(blockersOf(await customer.bookingCheck())).toContain(NomineeErrors.isApplicant.code);
  });
});
