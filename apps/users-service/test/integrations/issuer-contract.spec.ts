import { randomUUID } from 'node:crypto';
import type { ProviderFailure } from '@fd/errors';
import type { Environment } from '@fd/platform';
import { eventually, inParallel } from '@fd/testing';
import { ISSUERS } from '../../src/config/issuers.js';
import type {
  Beneficiary,
  IssuerApi,
  LeadRequest,
  Registration,
} from '../../src/integrations/issuers/issuer-api.port.js';
import { hasLeads } from '../../src/integrations/issuers/issuer-apis.js';
import { effectsOf } from '../support/effects.js';
import { fineractOverride, overFineract, tokenOverride } from '../support/fineract.js';
import { aPhone } from '../support/inbox.js';
import { issuerApis } from '../support/issuer-apis.js';
import { anAccount } from '../support/issuers.js';
import { aPan } from '../support/pan.js';
import {
  answersJson,
  type Behaviour,
  BEHAVIOURS,
  ScriptedProvider,
  SHORT_WAIT,
} from '../support/scripted-provider.js';
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

const refusal = (type: string) => ({ error: { type, message: 'Words for people.' } });
const cbs = (responseCode: string, body: object = {}) => ({
  header: { responseCode, responseDesc: 'WORDS', txnRef: 't-1' },
  body,
});

const customer = { pan: 'ABCPR1234K', dateOfBirth: '1990-04-21', phone: '919812345678' };
const beneficiary = {
  holderName: 'Asha Rao',
  account: '50100012345678',
  ifsc: 'HDFC0001234',
  customerReference: 'c-1',
};
const lead = {
  reference: 'r-1',
  amount: 50_000.5,
  tenureDays: 365,
  payoutFrequency: 'Maturity',
  source: 'APP',
  campaign: null,
};

type Ask = (api: IssuerApi) => Promise<unknown>;
const find: Ask = (api) => api.findCustomer(customer);
const register: Ask = (api) => api.registerBeneficiary(beneficiary, 'key-1');
const outcome: Ask = (api) => api.registrationOutcome('ack-1');
const withdraw: Ask = (api) => api.withdrawBeneficiary!('b/1', 'key-2');
const open: Ask = (api) => api.leads!.open(lead, 'key-1');
const findLead: Ask = (api) => api.leads!.find('l/1');
const context: Ask = (api) => api.leads!.kycContext('l/1');

const TAKEN_LEAD = { lead_id: 'l-1', state: 'OPEN', expires_at: '2026-03-01T00:00:00.000+05:30' };

/** Messages of each wire format, including those that the sandbox does not send. */
describe.each([
  ['rest', 'sahyadri'],
  ['core-banking', 'kaveri'],
] as const)('the wire format %s', (format, slug) => {
  let issuer: ScriptedProvider;
  let api: IssuerApi;
  beforeAll(async () => {
    issuer = await ScriptedProvider.start();
  });
  beforeEach(() => {
    issuer.calls.length = 0;
    const overrides = JSON.stringify({ [slug]: { url: issuer.url, api_key: `${slug}-key` } });
    api = issuerApis({ ISSUER_API_OVERRIDES: overrides, PROVIDER_TIMEOUT_MS: '1000' }).forIssuer(
      ISSUERS.find((issuer) => issuer.slug === slug)!,
    );
  });
  afterAll(() => issuer.stop());

  const asked = async (ask: Ask, behaviour: Behaviour): Promise<unknown> => {
    issuer.behaviour = behaviour;
    return ask(api);
  };

  const cases: Record<typeof format, [string, Ask, number, unknown, unknown][]> = {
    rest: [
      ['no customer', find, 200, { found: false, customer: null }, undefined],
      [
        'a customer',
        find,
        200,
        {
          found: true,
          customer: { customer_no: 'C-4711', kyc_status: 'COMPLETE', matched_on: ['PAN', 'MOBILE', 'EMAIL'] },
          more: 1,
        },
        { customerId: 'C-4711', isKycComplete: true, matchedOn: ['PAN', 'PHONE'] },
      ],
      [
        'a customer whose KYC is due',
        find,
        200,
        { found: true, customer: { customer_no: '1', kyc_status: 'DUE', matched_on: [] } },
        { customerId: '1', isKycComplete: false, matchedOn: [] },
      ],
      [
        'a registration',
        register,
        201,
        { beneficiary_id: 'b-1', state: 'ACTIVE' },
        { state: 'registered', reference: 'b-1' },
      ],
      ['an invalid account', register, 422, refusal('invalid_beneficiary'), { state: 'invalid-beneficiary' }],
      ['a withdrawal', withdraw, 200, { beneficiary_id: 'b/1', state: 'WITHDRAWN' }, undefined],
      ['an account already withdrawn', withdraw, 404, refusal('unknown_beneficiary'), undefined],
      [
        'a lead',
        open,
        201,
        TAKEN_LEAD,
        { leadId: 'l-1', state: 'OPEN', expiresAt: new Date('2026-02-28T18:30:00Z') },
      ],
      ['an unknown lead', findLead, 404, refusal('unknown_lead'), undefined],
      [
        'a lead that became a deposit',
        findLead,
        200,
        { ...TAKEN_LEAD, state: 'CONVERTED' },
        { leadId: 'l-1', state: 'CONVERTED', expiresAt: new Date('2026-02-28T18:30:00Z') },
      ],
      ['no KYC context for an unknown lead', context, 404, refusal('unknown_lead'), 'unknown-lead'],
      ['no KYC context for an expired lead', context, 410, refusal('lead_expired'), 'lead-expired'],
      [
        'a KYC context',
        context,
        200,
        { context_id: 'x', documents: [], declarations: [] },
        { contextId: 'x', documents: [], declarations: [] },
      ],
    ],
    'core-banking': [
      ['no customer', find, 200, cbs('14'), undefined],
      [
        'a customer',
        find,
        200,
        cbs('00', { custId: '4711', kycFlag: 'Y', matchFlags: 'PME' }),
        { customerId: '4711', isKycComplete: true, matchedOn: ['PAN', 'PHONE'] },
      ],
      [
        'a customer whose KYC is due',
        find,
        200,
        cbs('00', { custId: '4711', kycFlag: 'N', matchFlags: 'M' }),
        { customerId: '4711', isKycComplete: false, matchedOn: ['PHONE'] },
      ],
      [
        'an accepted registration',
        register,
        200,
        cbs('01', { ackNo: 'a-1' }),
        { state: 'accepted', receipt: 'a-1' },
      ],
      [
        'a registration',
        outcome,
        200,
        cbs('00', { benStatus: 'A', benId: 'b-1' }),
        { state: 'registered', reference: 'b-1' },
      ],
      [
        'a pending registration',
        outcome,
        200,
        cbs('01', { benStatus: 'P' }),
        { state: 'accepted', receipt: 'ack-1' },
      ],
      ['an invalid account', outcome, 200, cbs('57', { benStatus: 'R' }), { state: 'invalid-beneficiary' }],
    ],
  };

  it.each(cases[format])('reads an answer with %s', async (_what, ask, status, body, expected) => {
    expect(await asked(ask, answersJson(status, body))).toEqual(expected);
  });

  const failures: Record<typeof format, [string, Ask, number, unknown, ProviderFailure][]> = {
    rest: [
      ['a customer without data', find, 200, { found: true, customer: null }, 'malformed'],
      [
        'an unknown KYC status',
        find,
        200,
        { found: true, customer: { customer_no: '1', kyc_status: 'MAYBE', matched_on: [] } },
        'malformed',
      ],
      ['a request that the issuer rejects', register, 422, refusal('invalid_request'), 'refused'],
      [
        'a registration that is not active',
        register,
        201,
        { beneficiary_id: 'b', state: 'NEW' },
        'malformed',
      ],
      ['an unfinished withdrawal', withdraw, 200, { beneficiary_id: 'b', state: 'ACTIVE' }, 'malformed'],
      ['an unknown path of a withdrawal', withdraw, 404, refusal('no_such_route'), 'misconfigured'],
      ['a key that the issuer rejects', register, 401, refusal('authentication_failed'), 'misconfigured'],
      ['a lead with an unreadable expiry', open, 201, { ...TAKEN_LEAD, expires_at: 'soon' }, 'malformed'],
      ['a lead that the issuer rejects', open, 422, refusal('invalid_request'), 'refused'],
      ['an unknown path of a lead', findLead, 404, refusal('no_such_route'), 'misconfigured'],
      ['an unknown path of a KYC context', context, 410, refusal('gone'), 'misconfigured'],
      ['a web page instead of a refusal', findLead, 404, 'nothing here', 'malformed'],
      ['a receipt, which the format does not have', outcome, 200, {}, 'refused'],
    ],
    'core-banking': [
      ['a customer search that the issuer rejects', find, 200, cbs('30'), 'refused'],
      ['a registration that the issuer rejects', register, 200, cbs('30'), 'refused'],
      ['an unknown receipt', outcome, 200, cbs('14'), 'refused'],
      ['an unknown response code', find, 200, cbs('99'), 'malformed'],
      ['a response code of another call', register, 200, cbs('57', { benStatus: 'R' }), 'malformed'],
      ['a response code with the body of another', outcome, 200, cbs('00', { benStatus: 'P' }), 'malformed'],
      ['an answer without a header', find, 200, { body: { custId: '1' } }, 'malformed'],
      ['an answer without a body', register, 200, { header: { responseCode: '01' } }, 'malformed'],
      ['a failing gateway', register, 502, {}, 'timeout'],
      ['a key that the gateway rejects', find, 403, {}, 'misconfigured'],
    ],
  };

  it.each(failures[format])(
    'fails with a provider error for %s',
    async (_what, ask, status, body, failure) => {
      await expect(asked(ask, answersJson(status, body))).rejects.toEqual(
        expect.objectContaining({ name: 'ProviderError', failure }),
      );
    },
  );

  it('repeats a call with the same idempotency key when the answer is lost', async () => {
    await expect(asked(register, BEHAVIOURS.resets)).rejects.toEqual(
      expect.objectContaining({ failure: 'timeout' }),
    );
    expect(issuer.calls.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'key-1']);
  });

  it('sends each request in the format of the issuer', async () => {
    for (const ask of [find, register, ...(api.leads ? [open, findLead, context, withdraw] : [outcome])]) {
      await asked(ask, answersJson(400, {})).catch(() => undefined);
    }
    expect(
      issuer.calls.map(({ method, path, body }) => [method, path.replace('/messages', ''), body]),
    ).toEqual(WIRE[format]);
    expect(issuer.calls[0]!.headers.authorization).toBe(`Bearer ${slug}-key`);
    expect(issuer.calls[1]!.headers['idempotency-key']).toBe('key-1');
  });
});

const header = { channel: 'DEPOSITS', txnRef: expect.stringMatching(/^[0-9a-f-]{36}$/) as string };

const WIRE = {
  rest: [
    ['POST', '/customers/search', { pan: 'ABCPR1234K', date_of_birth: '1990-04-21', mobile: '919812345678' }],
    [
      'POST',
      '/bank-accounts',
      {
        beneficiary_name: 'Asha Rao',
        account_no: '50100012345678',
        ifsc: 'HDFC0001234',
        customer_ref: 'c-1',
      },
    ],
    [
      'POST',
      '/leads',
      {
        reference: 'r-1',
        amount: 50_000.5,
        tenure_days: 365,
        payout: 'Maturity',
        source: 'APP',
        campaign: null,
      },
    ],
    ['GET', '/leads/l%2F1', {}],
    ['POST', '/leads/l%2F1/kyc-context', {}],
    ['POST', '/bank-accounts/b%2F1/withdrawal', {}],
  ],
  'core-banking': [
    [
      'POST',
      '/cbs/customerEnquiry',
      { header, body: { panNumber: 'ABCPR1234K', birthDate: '21-04-1990', mobileNumber: '+919812345678' } },
    ],
    [
      'POST',
      '/cbs/beneficiaryAdd',
      {
        header,
        body: { benName: 'Asha Rao', benAcctNo: '50100012345678', benIfsc: 'HDFC0001234', custRef: 'c-1' },
      },
    ],
    ['POST', '/cbs/beneficiaryStatus', { header, body: { ackNo: 'ack-1' } }],
  ],
} as const;
