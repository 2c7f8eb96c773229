import { eventually, recordEvidence } from '@fd/testing';
import { aadhaarReadsOf, effectsOf } from '../support/effects.js';
import { ISSUER_SLUGS } from '../support/issuers.js';
import { aPerson, type Person } from '../support/person.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { vendorSettings } from '../support/settings.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';
import { type Answer, JourneyClient } from '../support/journey-client.js';

/** Reports when the bank has the account. */
class WaitingCustomer extends JourneyClient {
  whenAtBank = (): void => undefined;

  override async tryBank(account?: string): Promise<Answer> {
    const answer = await super.tryBank(account);
    this.whenAtBank();
    return answer;
  }
}

describe('journey to a deposit', () => {
  let service: TestService;
  let strict: UsersApp;
  beforeAll(async () => {
    service = await startService();
    strict = await service.replica({ STRICT_JOURNEY: 'true' });
  });
  afterAll(() => service.close());

  it('registers an account sent before an issuer was chosen once its step is due, in a strict journey', async () => {
    const customer = new JourneyClient(service.url, 'aravalli', aPerson());
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
});

describe('the journey over vendors', () => {
  const VENDORS = [
    ['cashfree', 'DIGILOCKER'],
    ['cashfree', 'HOSTED'],
    ['setu', 'DIGILOCKER'],
  ] as const;
  const services: TestService[] = [];
  beforeAll(async () => {
    for (const [vendor, method] of VENDORS) {
      const started = await startService({
        ...vendorSettings(sandboxUrl()),
        PAN_PROVIDERS: vendor,
        BANK_PROVIDERS: vendor,
        LOCKER_PROVIDERS: vendor,
        EKYC_PROVIDERS: vendor === 'cashfree' ? vendor : 'hosted',
        EKYC_METHODS: ISSUER_SLUGS.map((slug) => `${slug}=${method}`).join(),
      });
      services.push(started);
    }
  });
  afterAll(async () => {
    for (const started of services) await started.close();
  });

  /**
   * Returns a person whose account and date of birth the sandbox knows: the service sends vendors neither name nor
   * date.
   */
  async function aSamplePerson(): Promise<Person> {
    const sample = await fetch(`${sandboxUrl()}/api/sample-person`);
    return aPerson((await sample.json()) as Partial<Person>);
  }

  async function expectOnePaymentPerCheck(
    { dataSource }: TestService,
    [vendor, method]: (typeof VENDORS)[number],
    customer: JourneyClient,
  ): Promise<void> {
    const { pan, account } = customer.person;
    const lookups = await effectsOf(vendor, pan);
    expect(lookups.map(({ kind }) => kind).sort()).toEqual(vendor === 'setu' ? ['pan'] : ['pan', 'pan_lite']);
    expect(await effectsOf(vendor, account)).toHaveLength(1);
    const { user_id: userId } = (await customer.profile()).body.payload;
    const verified = await dataSource.query<{ reference: string }[]>(
      method === 'HOSTED'
        ? "SELECT id AS reference FROM onboarding.ekyc_requests WHERE user_id = $1 AND provider = $2 AND status = 'VERIFIED'"
        : `SELECT s.locker_id AS reference FROM onboarding.locker_sessions s
             JOIN onboarding.ekyc_requests r ON r.id = s.ekyc_request_id
            WHERE r.user_id = $1 AND s.provider = $2 AND s.state = 'SETTLED'`,
      [userId, `${vendor}-${method === 'HOSTED' ? 'ekyc' : 'locker'}`],
    );
    expect(verified).toHaveLength(1);
    expect(await aadhaarReadsOf(vendor, verified[0]!.reference)).toEqual({ reads: 1, charges: 1 });
  }

  it.concurrent.each(ISSUER_SLUGS)(
    'leads a user of %s to a booking check without blockers at each vendor, with one payment per check',
    async (slug) => {
      // the next user begins while the bank verifies the account of the last one, which takes most of the time
      let turn = Promise.resolve();
      const journey = async (over: (typeof VENDORS)[number], index: number): Promise<void> => {
        const previous = turn;
        let pass = (): void => undefined;
        turn = new Promise((resolve) => (pass = resolve));
        await previous;
        const customer = new WaitingCustomer(services[index]!.url, slug, await aSamplePerson());
        customer.whenAtBank = pass;
        await customer.all().finally(pass);
        const check = await customer.bookingCheck();
        expect([over, check.body.payload]).toEqual([over, { is_bookable: true, blockers: [], warnings: [] }]);
        await expectOnePaymentPerCheck(services[index]!, over, customer);
        recordEvidence('journey-every-issuer', {
          issuer: `${slug} over ${over[0]}, ${over[1]} eKYC`,
          blockers: 0,
        });
      };
      await Promise.all(VENDORS.map(journey));
    },
  );
});
