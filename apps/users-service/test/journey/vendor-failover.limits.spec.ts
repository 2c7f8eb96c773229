import { EkycErrors } from '@fd/errors';
import { eventually } from '@fd/testing';
import { aadhaarReadsOf, effectsOf } from '../support/effects.js';
import { finishLocker } from '../support/ekyc.js';
import { HoldingProxy, type Outage } from '../support/holding-proxy.js';
import { ISSUER_SLUGS } from '../support/issuers.js';
import { type Answer, JourneyClient } from '../support/journey-client.js';
import { aPerson, type Person } from '../support/person.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { vendorSettings } from '../support/settings.js';
import { startService, type TestService } from '../support/users-app.js';

const OUTAGES: readonly Outage[] = ['answers 503', 'refuses connections'];

describe('a journey over Cashfree', () => {
  interface Place {
    readonly service: TestService;
    readonly cashfree: HoldingProxy;
  }

  /** An outage concerns all users of a service, so each outage has a service of its own. */
  const places = new Map<Outage, Place>();
  beforeAll(async () => {
    for (const outage of OUTAGES) {
      const cashfree = await HoldingProxy.start();
      const service = await startService({
        ...vendorSettings(sandboxUrl()),
        CASHFREE_URL: vendorSettings(cashfree.url)['CASHFREE_URL'],
        PAN_PROVIDERS: 'cashfree,setu',
        BANK_PROVIDERS: 'cashfree,setu',
        LOCKER_PROVIDERS: 'cashfree,setu',
        EKYC_METHODS: ISSUER_SLUGS.map((slug) => `${slug}=DIGILOCKER`).join(),
      });
      places.set(outage, { service, cashfree });
    }
  });
  afterAll(async () => {
    for (const { service, cashfree } of places.values()) {
      await service.close();
      await cashfree.stop();
    }
  });

  /** Brings a person whose account the sandbox knows to a verified PAN, over Cashfree. */
  async function aCustomer({ service }: Place): Promise<JourneyClient> {
    const sample = await fetch(`${sandboxUrl()}/api/sample-person`);
    const person = aPerson((await sample.json()) as Partial<Person>);
    const customer = new JourneyClient(service.url, 'kaveri', person);
    await customer.register();
    await customer.logIn();
    await customer.chooseDeposit();
    await customer.pan();
    return customer;
  }

  const kindsOf = async (vendor: string, subject: string): Promise<string[]> =>
    (await effectsOf(vendor, subject)).map(({ kind }) => kind).sort();

  interface Visit {
    readonly provider: string;
    readonly locker_id: string;
  }

  const visitsOf = async ({ service }: Place, customer: JourneyClient): Promise<Visit[]> =>
    service.dataSource.query<Visit[]>(
      `SELECT s.provider, s.locker_id FROM onboarding.locker_sessions s
         JOIN onboarding.ekyc_requests r ON r.id = s.ekyc_request_id WHERE r.user_id = $1`,
      [(await customer.profile()).body.payload['user_id']],
    );

  const errorOf = ({ status, body, headers }: Answer) => [
    status,
    body.error?.[0]?.errorCode,
    /^\d+$/.test(headers.get('retry-after') ?? ''),
  ];

  it.concurrent.each(OUTAGES)(
    'continues over Setu to a booking check without blockers when Cashfree %s',
    async (outage) => {
      const place = places.get(outage)!;
      const { cashfree } = place;
      const customer = await aCustomer(place);
      const { pan, account } = customer.person;
      await cashfree.turnOff(outage);
      await customer.etb();
      await customer.ekyc();
      await customer.email();
      await customer.details();
      await customer.bank();
      await customer.nominee();
      expect((await customer.bookingCheck()).body.payload).toEqual({
        is_bookable: true,
        blockers: [],
        warnings: [],
      });
      expect([await kindsOf('cashfree', pan), await kindsOf('setu', pan)]).toEqual([['pan', 'pan_lite'], []]);
      expect([await kindsOf('cashfree', account), await kindsOf('setu', account)]).toEqual([
        [],
        ['penny_drop'],
      ]);
      const visits = await visitsOf(place, customer);
      expect(visits.map(({ provider }) => provider)).toEqual(['setu-locker']);
      expect(await aadhaarReadsOf('setu', visits[0]!.locker_id)).toEqual({ reads: 1, charges: 1 });
    },
  );

  it.each(OUTAGES)(
    'answers 503 about a session at Cashfree, opens none elsewhere, and completes it after Cashfree %s',
    async (outage) => {
      const place = places.get(outage)!;
      const { cashfree } = place;
      // an earlier test has turned it off
      await cashfree.turnOn();
      const customer = await aCustomer(place);
      const { url, session_id: id } = (await customer.openLocker()).body.payload;
      const show = () => customer.call('GET', customer.path(`v1/document-locker/session/${id as string}`));
      await cashfree.turnOff(outage);
      const { full_name: name } = (await customer.profile()).body.payload;
      await finishLocker(url as string, 'allow', {
        name: name as string,
        date_of_birth: customer.person.dob,
      });
      const unavailable = [503, EkycErrors.unavailable.code, true];
      expect(errorOf(await show())).toEqual(unavailable);
      const again = customer.call('POST', customer.path('v1/document-locker/session'), {
        consent_checked: true,
      });
      // nobody asks Cashfree again within seconds
      expect(errorOf(await again)).toEqual([202, undefined, true]);
      await cashfree.turnOn();
      await eventually(async () => {
        const { status, body } = await show();
        expect([status, body.payload['is_ekyc_verified']]).toEqual([200, true]);
      });
      const visits = await visitsOf(place, customer);
      expect(visits.map(({ provider }) => provider)).toEqual(['cashfree-locker']);
      expect(await aadhaarReadsOf('cashfree', visits[0]!.locker_id)).toEqual({ reads: 1, charges: 1 });
    },
  );
});
