import { Logger } from '@nestjs/common';
import type { ProviderFailure } from '@fd/errors';
import { Histogram, Registry } from 'prom-client';
import { HttpBankAccountsAdapter } from '../src/bank/adapters/http/http-bank-accounts.adapter.js';
import { HttpAadhaarAdapter } from '../src/ekyc/adapters/http/http-aadhaar.adapter.js';
import { HttpDocumentLockerAdapter } from '../src/ekyc/adapters/http/http-document-locker.adapter.js';
import { HttpHostedEkycAdapter } from '../src/ekyc/adapters/http/http-hosted-ekyc.adapter.js';
import { coreBankingIssuerApi } from '../src/issuers/adapters/core-banking/core-banking-issuer.adapter.js';
import { restIssuerApi } from '../src/issuers/adapters/rest/rest-issuer.adapter.js';
import { HttpPanRegistryAdapter } from '../src/pan/adapters/http/http-pan-registry.adapter.js';
import { ProviderClient } from '../src/providers/provider-client.js';
import { Resilience } from '../src/providers/resilience.js';
import { answersJson, ScriptedProvider } from './support/scripted-provider.js';

type Ask = (client: ProviderClient) => Promise<unknown>;

const PERSON = { name: 'ASHA RAO', dateOfBirth: '1990-04-21' };
const ACCOUNT = { account: '50100012345678', ifsc: 'HDFC0001234', holderName: 'Asha Rao' };
const BENEFICIARY = { ...ACCOUNT, customerReference: 'c-1' };
const CUSTOMER = { pan: 'ABCPR1234K', dateOfBirth: '1990-04-21', phone: '919812345678' };
const LEAD = {
  reference: 'r-1',
  amount: 1,
  tenureDays: null,
  payoutFrequency: null,
  source: null,
  campaign: null,
};
const ORDER = {
  reference: 'r-1',
  issuerCode: 'ARAVFIN',
  method: 'AADHAAR_OTP',
  redirectUrl: null,
  expected: null,
} as const;

const completed = { verification_id: 'v', status: 'COMPLETED' };
const cbs = (responseCode: string, body: object) => ({ header: { responseCode }, body });
const rest = (client: ProviderClient) => restIssuerApi(client, { hasLeads: true });
const time = '2026-03-01T00:00:00Z';
const link = 'https://page.example/x';

/** Each call of each party with a good answer to it, and the paths of the texts in it that we keep or pass on. */
const CALLS: [name: string, ask: Ask, status: number, answer: object, texts: string[]][] = [
  [
    'the bank: a holder',
    (client) => new HttpBankAccountsAdapter(client).verify(ACCOUNT, 'key'),
    200,
    { ...completed, result: 'VALID', name_at_bank: 'ASHA RAO', bank_name: 'HDFC Bank' },
    ['name_at_bank', 'bank_name'],
  ],
  [
    'the bank: no holder',
    (client) => new HttpBankAccountsAdapter(client).outcome('v'),
    200,
    { ...completed, result: 'FROZEN', bank_name: 'HDFC Bank' },
    ['bank_name'],
  ],
  [
    'the bank: a receipt',
    (client) => new HttpBankAccountsAdapter(client).verify(ACCOUNT, 'key'),
    202,
    { verification_id: 'v', status: 'PROCESSING' },
    ['verification_id'],
  ],
  [
    'an issuer (rest): a customer',
    (client) => rest(client).customers.find(CUSTOMER),
    200,
    { found: true, customer: { customer_no: '1', kyc_status: 'DUE', matched_on: [] } },
    ['customer.customer_no'],
  ],
  [
    'an issuer (rest): a registration',
    (client) => rest(client).beneficiaries.register(BENEFICIARY, 'key'),
    201,
    { beneficiary_id: 'b', state: 'ACTIVE' },
    ['beneficiary_id'],
  ],
  [
    'an issuer (rest): a lead',
    (client) => rest(client).leads!.open(LEAD, 'key'),
    201,
    { lead_id: 'l', state: 'OPEN', expires_at: time },
    ['lead_id'],
  ],
  [
    'an issuer (rest): a context',
    (client) => rest(client).leads!.kycContext('l'),
    200,
    { context_id: 'x', documents: ['PAN'], declarations: [{ code: 'FATCA', text: 'I declare.\nTruly.' }] },
    ['context_id', 'documents.0', 'declarations.0.code', 'declarations.0.text'],
  ],
  [
    'an issuer (core banking): a customer',
    (client) => coreBankingIssuerApi(client).customers.find(CUSTOMER),
    200,
    cbs('00', { custId: '1', kycFlag: 'Y', matchFlags: 'P' }),
    ['body.custId', 'body.matchFlags'],
  ],
  [
    'an issuer (core banking): a receipt',
    (client) => coreBankingIssuerApi(client).beneficiaries.register(BENEFICIARY, 'key'),
    200,
    cbs('01', { ackNo: 'a' }),
    ['body.ackNo'],
  ],
  [
    'an issuer (core banking): a registration',
    (client) => coreBankingIssuerApi(client).beneficiaries.outcome('a'),
    200,
    cbs('00', { benStatus: 'A', benId: 'b' }),
    ['body.benId'],
  ],
  [
    'the PAN registry',
    (client) => new HttpPanRegistryAdapter(client).lookUp({ pan: 'ABCPR1234K', dateOfBirth: '1990-04-21' }),
    200,
    {
      status: 'VALID',
      name: { full: 'ASHA K RAO', first: 'ASHA', middle: 'K', last: 'RAO' },
      father_name: 'RAVI RAO',
      date_of_birth_match: true,
      aadhaar_link: 'LINKED',
    },
    ['name.full', 'name.first', 'name.middle', 'name.last', 'father_name'],
  ],
  [
    'the eKYC provider',
    (client) => new HttpHostedEkycAdapter(client).open(ORDER),
    201,
    { url: link, state: 'created', expires_at: time },
    ['url'],
  ],
  [
    'the Aadhaar provider: a code',
    (client) => new HttpAadhaarAdapter(client).send('234567890124'),
    200,
    { transaction_id: 't', masked_mobile: 'XXXXXX1234', expires_at: time, resend_after_seconds: 30 },
    ['transaction_id', 'masked_mobile'],
  ],
  [
    'the Aadhaar provider: a person',
    (client) => new HttpAadhaarAdapter(client).check('t', '123456', PERSON),
    200,
    { reference_id: 'r', last_four: '2346', name_match: 'YES', date_of_birth_match: 'YES' },
    ['reference_id', 'last_four'],
  ],
  [
    'the document locker: a session',
    (client) => new HttpDocumentLockerAdapter(client).open(ORDER),
    201,
    { session_id: 's', url: link, expires_at: time },
    ['session_id', 'url'],
  ],
  [
    'the document locker: an Aadhaar',
    (client) => new HttpDocumentLockerAdapter(client).outcome('s', false),
    200,
    {
      status: 'AUTHORISED',
      aadhaar: { present: true, reference_id: 'r', last_four: '2346', name_match: 'YES' },
    },
    ['aadhaar.reference_id', 'aadhaar.last_four'],
  ],
];

const BAD_SIGNS = ['\u0000', '\u0007', '\u0085', '\ud800'];

/** A copy of an answer with a sign in the middle of one of its texts. */
function withSign(answer: object, path: string, sign: string): object {
  const copy = structuredClone(answer);
  const keys = path.split('.');
  const last = keys.pop()!;
  const holder = keys.reduce(
    (part, key) => part[key] as Record<string, unknown>,
    copy as Record<string, unknown>,
  );
  const text = holder[last] as string;
  expect(typeof text).toBe('string');
  holder[last] = `${text}${sign}${text}`;
  return copy;
}

describe.each(CALLS)('%s', (_name, ask, status, answer, texts) => {
  let provider: ScriptedProvider;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    provider = await ScriptedProvider.start();
  });
  afterAll(() => provider.stop());

  /** A client that remembers no failures of another test. */
  const client = () =>
    new ProviderClient(
      { kind: 'issuer', name: 'party', baseUrl: new URL(provider.url).origin, apiKey: 'our-key' },
      new Resilience('party', 500),
      new Histogram({
        name: 'calls',
        help: 'calls',
        labelNames: ['provider', 'operation', 'outcome'] as const,
        registers: [new Registry()],
      }),
    );

  it('is understood', async () => {
    provider.behaviour = answersJson(status, answer);
    await expect(ask(client())).resolves.toBeDefined();
  });

  it.each(texts)('is garbage with a sign in %s that is none of a text', async (path) => {
    const failure: ProviderFailure = 'malformed';
    for (const sign of BAD_SIGNS) {
      provider.behaviour = answersJson(status, withSign(answer, path, sign));
      await expect(ask(client())).rejects.toEqual(
        expect.objectContaining({ name: 'ProviderError', failure }),
      );
    }
  });
});
