import { randomUUID } from 'node:crypto';
import type { ProviderFailure } from '@fd/errors';
import type { Environment } from '@fd/platform';
import { eventually, inParallel } from '@fd/testing';
import type {
  Beneficiary,
  IssuerApi,
  LeadRequest,
  Registration,
} from '../../src/integrations/issuers/issuer-api.port.js';
import { hasLeads } from '../../src/integrations/issuers/issuer-apis.js';
import { ISSUERS } from '../../src/config/issuers.js';
import { effectsOf } from '../support/effects.js';
import { fineractOverride, overFineract, tokenOverride } from '../support/fineract.js';
import { aPhone } from '../support/inbox.js';
import { issuerApis } from '../support/issuer-apis.js';
import { anAccount } from '../support/issuers.js';
import { aPan } from '../support/pan.js';
import { ScriptedProvider, SHORT_WAIT } from '../support/scripted-provider.js';
import { LIVE_LIMIT_MS, placesOf } from '../support/vendor-places.config.js';

/**
 * Faults of the sandbox: in a customer search by the digits of the PAN, in a registration by the end of the account.
 */
const FAULTS: [name: string, panDigits: string, accountEnd: string, failure: ProviderFailure][] = [
  ['is down', '0603', '2403', 'unavailable'],
  ['hangs', '0604', '2404', 'timeout'],
  ['is broken', '0605', '2405', 'timeout'],
  ['answers a web page', '0602', '2402', 'malformed'],
];

/** Short only for a hanging call, which is tried twice. */
const isHanging = (fault: string): boolean => fault === 'hangs';

/** Issuers of the sandbox that know customers with the PAN digits of CUSTOMERS. */
const HAVE_CUSTOMERS = ['vindhya'];
const CUSTOMERS: [kyc: string, panDigits: string, isKycComplete: boolean][] = [
  ['complete', '0200', true],
  ['due', '0201', false],
];

const query = (digits?: string) => ({
  pan: aPan(digits === undefined ? {} : { digits }),
  dateOfBirth: '1990-04-21',
  phone: aPhone(),
});

const aBeneficiary = (lastFour?: string): Beneficiary => ({
  holderName: 'Asha Rao',
  account: anAccount(lastFour),
  ifsc: 'HDFC0001234',
  customerReference: randomUUID(),
});

const aLead = (): LeadRequest => ({
  reference: randomUUID(),
  amount: 50_000.5,
  tenureDays: 365,
  payoutFrequency: 'Maturity',
  source: 'APP',
  campaign: null,
});

const failing = (failure: ProviderFailure) => expect.objectContaining({ name: 'ProviderError', failure });

/** The API by which an issuer is reached, and the limits of that API. */
interface Way {
  readonly over: string;
  /** @param url of the issuer; the sandbox by default */
  readonly settings: (slug: string, url?: string) => Environment;
  /** The same for the sandbox, with a short limit of calls. */
  readonly impatient: (slug: string) => Environment;
  readonly knowsKyc: boolean;
  readonly matchedOn: readonly string[];
  readonly hasWithdrawalKey: boolean;
}

const OWN_FORMAT: Way = {
  over: 'its own format',
  settings: (_slug, url) => (url === undefined ? {} : { ISSUER_API_URL: url }),
  impatient: () => SHORT_WAIT,
  knowsKyc: true,
  matchedOn: ['PAN', 'PHONE'],
  hasWithdrawalKey: true,
};

const impatientOverride =
  (override: (tenant: string) => object) =>
  (tenant: string): object => ({ ...override(tenant), timeout_ms: 100 });

const FINERACT: Way = {
  over: 'Fineract',
  settings: (slug, url) => overFineract([slug], url),
  impatient: (slug) => overFineract([slug], undefined, impatientOverride(fineractOverride)),
  knowsKyc: false,
  // the sandbox's clients have no phones
  matchedOn: ['PAN'],
  hasWithdrawalKey: false,
};

const FINERACT_TOKEN: Way = {
  ...FINERACT,
  over: 'Fineract with a token',
  settings: (slug, url) => overFineract([slug], url, tokenOverride),
  impatient: (slug) => overFineract([slug], undefined, impatientOverride(tokenOverride)),
};

const WITHOUT_LEADS = ISSUERS.filter((issuer) => !hasLeads(issuer));

/** Each file in `issuers/`, so that a new issuer needs no change here, and those without leads over Fineract too. */
const WAYS = [
  ...ISSUERS.map((issuer) => [issuer, OWN_FORMAT] as const),
  ...WITHOUT_LEADS.map((issuer) => [issuer, FINERACT] as const),
  // one is enough: only the login differs
  [WITHOUT_LEADS[0]!, FINERACT_TOKEN] as const,
];

// the tests of all ways are in one describe, since they mostly wait: those of another describe would wait for its end
describe('adapter', () => {
  for (const [issuer, { over, settings, impatient, knowsKyc, matchedOn, hasWithdrawalKey }] of WAYS) {
    const { slug } = issuer;
    const of = `of ${slug} over ${over}`;
    /** Returns the issuer with closed circuit breakers. */
    const anApi = (isImpatient = false) =>
      issuerApis(isImpatient ? impatient(slug) : settings(slug)).forIssuer(issuer);

    /** Returns the issuer at an unreachable address. */
    const nowhere = async (): Promise<IssuerApi> => {
      const gone = await ScriptedProvider.start();
      const { url } = gone;
      await gone.stop();
      return issuerApis(settings(slug, url)).forIssuer(issuer);
    };

    /** Waits for the final state of a registration that the issuer has accepted. */
    const decided = async (api: IssuerApi, registration: Registration): Promise<Registration> => {
      if (registration.state !== 'accepted') return registration;
      return eventually(async () => {
        const outcome = await api.registrationOutcome(registration.receipt);
        expect(outcome.state).not.toBe('accepted');
        return outcome;
      });
    };

    const registrationOf = async (api: IssuerApi, beneficiary: Beneficiary, key: string = randomUUID()) =>
      decided(api, await api.registerBeneficiary(beneficiary, key));

    it.concurrent.each(FAULTS)(
      `${of} fails the customer search when the issuer %s`,
      async (name, digits, _end, failure) => {
        await expect(anApi(isHanging(name)).findCustomer(query(digits))).rejects.toEqual(failing(failure));
      },
    );

    it.concurrent.each(FAULTS)(
      `${of} fails the registration when the issuer %s`,
      async (name, _digits, lastFour, failure) => {
        const registration = anApi(isHanging(name)).registerBeneficiary(aBeneficiary(lastFour), randomUUID());
        await expect(registration).rejects.toEqual(failing(failure));
      },
    );

    it.concurrent(`${of} finds no customer for an unknown PAN`, async () => {
      expect(await anApi().findCustomer(query())).toBeUndefined();
    });

    const has = HAVE_CUSTOMERS.includes(slug);
    it.concurrent.each(CUSTOMERS)(
      `${of} ${has ? 'finds' : 'does not find'} the customer whose KYC is %s`,
      async (_kyc, digits, isKycComplete) => {
        const customerId = expect.stringMatching(/^.{4,}$/) as string;
        const customer = { customerId, isKycComplete: knowsKyc && isKycComplete, matchedOn };
        expect(await anApi().findCustomer(query(digits))).toEqual(has ? customer : undefined);
      },
    );

    it.concurrent(`${of} fails the customer search when the issuer cannot be reached`, async () => {
      const unreachable = await nowhere();
      await expect(unreachable.findCustomer(query())).rejects.toEqual(failing('unavailable'));
    });

    it.concurrent(`${of} registers an account and returns a reference`, async () => {
      expect(await registrationOf(anApi(), aBeneficiary())).toEqual({
        state: 'registered',
        reference: expect.stringMatching(/./) as string,
      });
    });

    it.concurrent(`${of} reports an account that the issuer rejects as invalid`, async () => {
      expect(await registrationOf(anApi(), aBeneficiary('1454'))).toEqual({ state: 'invalid-beneficiary' });
    });

    it.concurrent(`${of} registers an account once for parallel calls with one idempotency key`, async () => {
      const api = anApi();
      const beneficiary = aBeneficiary();
      const key = randomUUID();
      const registrations = await inParallel(3, () => registrationOf(api, beneficiary, key));
      expect(new Set(registrations.map((registration) => JSON.stringify(registration))).size).toBe(1);
      expect(await effectsOf(`issuer:${slug}`, beneficiary.account)).toEqual([
        expect.objectContaining({ kind: 'account_registration', idempotency_key: key }),
      ]);
    });

    it.concurrent(
      `${of} removes a registration once, and succeeds for an unknown one, where the API can`,
      async () => {
        const api = anApi();
        if (!api.withdrawBeneficiary) return;
        const beneficiary = aBeneficiary();
        const registered = await registrationOf(api, beneficiary);
        const { reference } = registered as Extract<Registration, { state: 'registered' }>;
        const key = randomUUID();
        await inParallel(3, () => api.withdrawBeneficiary!(reference, key));
        expect(await effectsOf(`issuer:${slug}`, beneficiary.account)).toEqual([
          expect.objectContaining({
            kind: 'account_withdrawal',
            idempotency_key: hasWithdrawalKey ? key : null,
          }),
          expect.objectContaining({ kind: 'account_registration' }),
        ]);
        await expect(api.withdrawBeneficiary(randomUUID(), randomUUID())).resolves.toBeUndefined();
        const unreachable = await nowhere();
        await expect(unreachable.withdrawBeneficiary!(reference, key)).rejects.toEqual(
          failing('unavailable'),
        );
      },
    );

    it.concurrent(`${of} rejects an unknown receipt of a registration`, async () => {
      await expect(anApi().registrationOutcome(randomUUID())).rejects.toEqual(failing('refused'));
    });

    it(`${of} supports leads exactly when the journey of the issuer has the lead step`, () => {
      expect(anApi().leads !== undefined).toBe(issuer.steps.includes('LEAD'));
    });

    if (!hasLeads(issuer)) continue;

    it.concurrent(
      `${of} opens one lead for parallel calls with one idempotency key, and finds it again`,
      async () => {
        const leads = anApi().leads!;
        const request = aLead();
        const key = randomUUID();
        const [lead, ...repeats] = await inParallel(3, () => leads.open(request, key));
        expect(lead).toEqual({
          leadId: expect.stringMatching(/./) as string,
          state: 'OPEN',
          expiresAt: expect.any(Date) as Date,
        });
        expect(lead!.expiresAt.getTime()).toBeGreaterThan(Date.now());
        expect(repeats).toEqual([lead, lead]);
        expect(await effectsOf(`issuer:${slug}`, request.reference)).toEqual([
          expect.objectContaining({ kind: 'lead', idempotency_key: key, calls: 3 }),
        ]);
        expect(await leads.find(lead!.leadId)).toEqual(lead);
      },
    );

    it.concurrent(`${of} opens a lead without details of the deposit`, async () => {
      const nothing = {
        amount: null,
        tenureDays: null,
        payoutFrequency: null,
        source: null,
        campaign: null,
      };
      const lead = await anApi().leads!.open({ reference: randomUUID(), ...nothing }, randomUUID());
      expect(lead.state).toBe('OPEN');
    });

    it.concurrent(`${of} finds no lead and no KYC context for an unknown lead id`, async () => {
      const leads = anApi().leads!;
      expect(await leads.find(randomUUID())).toBeUndefined();
      expect(await leads.kycContext(randomUUID())).toBe('unknown-lead');
    });

    it.concurrent(`${of} encodes a lead id that looks like a path`, async () => {
      await expect(anApi().leads!.find('../leads?x=/y')).resolves.toBeUndefined();
    });

    it.concurrent(`${of} returns the same KYC context at each call`, async () => {
      const leads = anApi().leads!;
      const { leadId } = await leads.open(aLead(), randomUUID());
      const context = await leads.kycContext(leadId);
      expect(context).toEqual({
        contextId: expect.stringMatching(/./) as string,
        documents: expect.arrayContaining(['PAN']) as string[],
        declarations: expect.arrayContaining([
          { code: expect.any(String) as string, text: expect.any(String) as string },
        ]) as object[],
      });
      expect(await leads.kycContext(leadId)).toEqual(context);
    });

    it.concurrent(`${of} fails the calls about leads when the issuer cannot be reached`, async () => {
      const { leads } = await nowhere();
      await expect(leads!.open(aLead(), randomUUID())).rejects.toEqual(failing('unavailable'));
      await expect(leads!.find(randomUUID())).rejects.toEqual(failing('unavailable'));
      await expect(leads!.kycContext(randomUUID())).rejects.toEqual(failing('unavailable'));
    });
  }
});

/** Creates a pending client and a row for an account that no bank has: for a tenant that is used for tests only. */
describe.each(placesOf('fineract'))('adapter of an issuer over Fineract at $where', ({ account: own }) => {
  const [issuer] = ISSUERS.filter((candidate) => !hasLeads(candidate));
  const api = (password = own['FINERACT_PASSWORD']): IssuerApi => {
    const override = {
      api: 'fineract',
      url: own['FINERACT_URL'],
      tenant: own['FINERACT_TENANT'],
      user: own['FINERACT_USER'],
      password,
      office_id: Number(own['FINERACT_OFFICE_ID']),
    };
    return issuerApis({ ISSUER_API_OVERRIDES: JSON.stringify({ [issuer!.slug]: override }) }).forIssuer(
      issuer!,
    );
  };

  it(
    'finds no customer for an unknown PAN',
    async () => {
      expect(await api().findCustomer(query())).toBeUndefined();
    },
    LIVE_LIMIT_MS,
  );

  it(
    'registers an account once, finds its row, and withdraws it',
    async () => {
      const beneficiary = aBeneficiary();
      const key = randomUUID();
      const registered = await api().registerBeneficiary(beneficiary, key);
      expect(registered).toEqual({ state: 'registered', reference: expect.stringMatching(/./) as string });
      expect(await api().registerBeneficiary(beneficiary, key)).toEqual(registered);
      expect(await api().registrationOutcome(key)).toEqual(registered);
      const { reference } = registered as Extract<Registration, { state: 'registered' }>;
      await expect(api().withdrawBeneficiary!(reference, randomUUID())).resolves.toBeUndefined();
    },
    LIVE_LIMIT_MS,
  );

  it(
    'reports an unknown receipt as refused',
    async () => {
      await expect(api().registrationOutcome(randomUUID())).rejects.toEqual(failing('refused'));
    },
    LIVE_LIMIT_MS,
  );

  it(
    'reports a refused password',
    async () => {
      await expect(api('unknown!wrong-key').findCustomer(query())).rejects.toEqual(failing('misconfigured'));
    },
    LIVE_LIMIT_MS,
  );
});
