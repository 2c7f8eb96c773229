import type { ProviderFailure } from '@fd/errors';
import type { IssuerApi } from '../../src/integrations/issuers/issuer-api.port.js';
import { ISSUERS } from '../../src/config/issuers.js';
import { issuerApis } from '../support/issuer-apis.js';
import { answersJson, BEHAVIOURS, type Behaviour, ScriptedProvider } from '../support/scripted-provider.js';

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
    api = issuerApis({ ISSUER_API_OVERRIDES: overrides, PROVIDER_TIMEOUT_MS: '200' }).forIssuer(
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
