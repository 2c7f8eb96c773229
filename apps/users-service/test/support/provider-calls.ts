import { Clock } from '@fd/platform';
import { Counter, Histogram, Registry } from 'prom-client';
import { CashfreeBankAdapter } from '../../src/banking/verification/adapters/cashfree/cashfree-bank.adapter.js';
import { CashfreeBankClient } from '../../src/banking/verification/adapters/cashfree/cashfree-bank.client.js';
import { HttpBankAccountsAdapter } from '../../src/banking/verification/adapters/http/http-bank-accounts.adapter.js';
import { SetuBankAdapter } from '../../src/banking/verification/adapters/setu/setu-bank.adapter.js';
import { SetuBankClient } from '../../src/banking/verification/adapters/setu/setu-bank.client.js';
import { CashfreeLockerAdapter } from '../../src/kyc/ekyc/adapters/cashfree/cashfree-locker.adapter.js';
import { CashfreeLockerClient } from '../../src/kyc/ekyc/adapters/cashfree/cashfree-locker.client.js';
import { CashfreeLinkAdapter } from '../../src/kyc/ekyc/adapters/cashfree-link/cashfree-link.adapter.js';
import { CashfreeLinkClient } from '../../src/kyc/ekyc/adapters/cashfree-link/cashfree-link.client.js';
import { SetuLockerAdapter } from '../../src/kyc/ekyc/adapters/setu/setu-locker.adapter.js';
import { SetuLockerClient } from '../../src/kyc/ekyc/adapters/setu/setu-locker.client.js';
import { HttpAadhaarAdapter } from '../../src/kyc/ekyc/adapters/http/http-aadhaar.adapter.js';
import { HttpDocumentLockerAdapter } from '../../src/kyc/ekyc/adapters/http/http-document-locker.adapter.js';
import { HttpHostedEkycAdapter } from '../../src/kyc/ekyc/adapters/http/http-hosted-ekyc.adapter.js';
import { CoreBankingIssuer } from '../../src/integrations/issuers/adapters/core-banking/core-banking-issuer.adapter.js';
import { FineractClient } from '../../src/integrations/issuers/adapters/fineract/fineract-client.js';
import { RestIssuer } from '../../src/integrations/issuers/adapters/rest/rest-issuer.adapter.js';
import { CashfreePanClient } from '../../src/kyc/pan/adapters/cashfree/cashfree-pan.client.js';
import { HttpPanRegistryAdapter } from '../../src/kyc/pan/adapters/http/http-pan-registry.adapter.js';
import { SetuPanClient } from '../../src/kyc/pan/adapters/setu/setu-pan.client.js';
import { ProviderClient } from '../../src/integrations/providers/provider-client.js';
import type { ProviderEndpoint } from '../../src/integrations/providers/http-exchange.js';
import { Resilience, type ResilienceLimits } from '../../src/integrations/providers/resilience.js';

/** A provider call as its adapter makes it. */
export interface ProviderCall {
  readonly name: string;
  readonly ask: (client: ProviderClient) => Promise<unknown>;
  /** The status of a successful answer. */
  readonly status: number;
  readonly answer: object;
  /** Paths of the texts in the answer that the service stores or returns. */
  readonly texts: readonly string[];
  /** Paths of the enumerated values in the answer. */
  readonly words: readonly string[];
  /** Set if a call is never retried, because a second one would cost money. */
  readonly isAskedOnce?: true;
}

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
  phone: '919999999999',
  method: 'AADHAAR_OTP',
  redirectUrl: null,
  expected: null,
} as const;

const cashfreeLink = (client: ProviderClient) =>
  new CashfreeLinkAdapter(new CashfreeLinkClient(client), 'form', new Clock());

const completed = { verification_id: 'v', status: 'COMPLETED' };
const cbs = (responseCode: string, body: object) => ({ header: { responseCode }, body });
const RETURN_URL = 'https://app.example/back';
const setuLocker = (client: ProviderClient) =>
  new SetuLockerAdapter(new SetuLockerClient(client), RETURN_URL);
const cashfreeLocker = (client: ProviderClient) =>
  new CashfreeLockerAdapter(new CashfreeLockerClient(client), RETURN_URL, new Clock());
const rest = (client: ProviderClient) => new RestIssuer(client, { hasLeads: true });
const HOLDER = { name: 'ASHA RAO', date_of_birth: '1990-04-21', year_of_birth: '1990' };
const time = '2026-03-01T00:00:00Z';
const link = 'https://page.example/x';

/** Each call of each HTTP provider, except the SMS providers. */
export const PROVIDER_CALLS: readonly ProviderCall[] = [
  {
    name: 'the bank: a holder',
    ask: (client) => new HttpBankAccountsAdapter(client).begin(ACCOUNT, 'key'),
    status: 200,
    answer: { ...completed, result: 'VALID', name_at_bank: 'ASHA RAO', bank_name: 'HDFC Bank' },
    texts: ['name_at_bank', 'bank_name'],
    words: ['status', 'result'],
  },
  {
    name: 'the bank: no holder',
    ask: (client) => new HttpBankAccountsAdapter(client).outcome(ACCOUNT, 'v'),
    status: 200,
    answer: { ...completed, result: 'FROZEN', bank_name: 'HDFC Bank' },
    texts: ['bank_name'],
    words: ['status', 'result'],
  },
  {
    name: 'the bank: a receipt',
    ask: (client) => new HttpBankAccountsAdapter(client).begin(ACCOUNT, 'key'),
    status: 202,
    answer: { verification_id: 'v', status: 'PROCESSING' },
    texts: ['verification_id'],
    words: ['status'],
  },
  {
    name: 'Cashfree: the holder of an account',
    ask: (client) => new CashfreeBankAdapter(new CashfreeBankClient(client)).outcome(ACCOUNT, 'u'),
    status: 200,
    answer: {
      account_status: 'VALID',
      account_status_code: 'ACCOUNT_IS_VALID',
      name_at_bank: 'ASHA RAO',
      bank_name: 'HDFC Bank',
    },
    texts: ['name_at_bank', 'bank_name'],
    words: ['account_status', 'account_status_code'],
    isAskedOnce: true,
  },
  {
    name: 'Setu: the holder of an account',
    ask: (client) => new SetuBankAdapter(new SetuBankClient(client)).outcome(ACCOUNT, 'v'),
    status: 200,
    answer: { verification: 'success', code: 'BAV00', data: { name: 'ASHA RAO' } },
    texts: ['data.name'],
    words: ['verification', 'code'],
    isAskedOnce: true,
  },
  {
    name: 'Setu: a verification that begins',
    ask: (client) => new SetuBankAdapter(new SetuBankClient(client)).begin(ACCOUNT),
    status: 200,
    answer: { id: 'v' },
    texts: ['id'],
    words: [],
    isAskedOnce: true,
  },
  {
    name: 'an issuer (rest): a customer',
    ask: (client) => rest(client).findCustomer(CUSTOMER),
    status: 200,
    answer: { found: true, customer: { customer_no: '1', kyc_status: 'DUE', matched_on: [] } },
    texts: ['customer.customer_no'],
    words: ['customer.kyc_status'],
  },
  {
    name: 'an issuer (rest): a registration',
    ask: (client) => rest(client).registerBeneficiary(BENEFICIARY, 'key'),
    status: 201,
    answer: { beneficiary_id: 'b', state: 'ACTIVE' },
    texts: ['beneficiary_id'],
    words: ['state'],
  },
  {
    name: 'an issuer (rest): a withdrawal',
    ask: (client) =>
      rest(client)
        .withdrawBeneficiary('b', 'key')
        .then(() => 'withdrawn'),
    status: 200,
    answer: { beneficiary_id: 'b', state: 'WITHDRAWN' },
    texts: ['beneficiary_id'],
    words: ['state'],
  },
  {
    name: 'an issuer (rest): a lead',
    ask: (client) => rest(client).leads!.open(LEAD, 'key'),
    status: 201,
    answer: { lead_id: 'l', state: 'OPEN', expires_at: time },
    texts: ['lead_id'],
    words: ['state', 'expires_at'],
  },
  {
    name: 'an issuer (rest): a context',
    ask: (client) => rest(client).leads!.kycContext('l'),
    status: 200,
    answer: {
      context_id: 'x',
      documents: ['PAN'],
      declarations: [{ code: 'FATCA', text: 'I declare.\nTruly.' }],
    },
    texts: ['context_id', 'documents.0', 'declarations.0.code', 'declarations.0.text'],
    words: [],
  },
  {
    name: 'an issuer (core banking): a customer',
    ask: (client) => new CoreBankingIssuer(client).findCustomer(CUSTOMER),
    status: 200,
    answer: cbs('00', { custId: '1', kycFlag: 'Y', matchFlags: 'P' }),
    texts: ['body.custId', 'body.matchFlags'],
    words: ['header.responseCode', 'body.kycFlag'],
  },
  {
    name: 'an issuer (core banking): a receipt',
    ask: (client) => new CoreBankingIssuer(client).registerBeneficiary(BENEFICIARY, 'key'),
    status: 200,
    answer: cbs('01', { ackNo: 'a' }),
    texts: ['body.ackNo'],
    words: ['header.responseCode'],
  },
  {
    name: 'an issuer (core banking): a registration',
    ask: (client) => new CoreBankingIssuer(client).registrationOutcome('a'),
    status: 200,
    answer: cbs('00', { benStatus: 'A', benId: 'b' }),
    texts: ['body.benId'],
    words: ['header.responseCode', 'body.benStatus'],
  },
  {
    name: 'an issuer (Fineract): a client',
    ask: (client) => new FineractClient(client).findClient(4711),
    status: 200,
    answer: { id: 4711, status: { id: 300 }, mobileNo: '9812345678', dateOfBirth: '1990-04-21' },
    texts: ['mobileNo'],
    words: ['dateOfBirth'],
  },
  {
    name: 'the PAN registry',
    ask: (client) =>
      new HttpPanRegistryAdapter(client).lookUp({ pan: 'ABCPR1234K', dateOfBirth: '1990-04-21' }),
    status: 200,
    answer: {
      status: 'VALID',
      name: { full: 'ASHA K RAO', first: 'ASHA', middle: 'K', last: 'RAO' },
      father_name: 'RAVI RAO',
      date_of_birth_match: true,
      aadhaar_link: 'LINKED',
    },
    texts: ['name.full', 'name.first', 'name.middle', 'name.last', 'father_name'],
    words: ['status', 'aadhaar_link'],
    isAskedOnce: true,
  },
  {
    name: 'Cashfree: the name behind a PAN',
    ask: (client) => new CashfreePanClient(client).reveal('ABCPR1234K', 'r'),
    status: 200,
    answer: {
      valid: true,
      pan: 'ABCPR1234K',
      pan_status: 'VALID',
      type: 'Individual',
      registered_name: 'ASHA RAO',
      father_name: 'RAVI RAO',
      aadhaar_seeding_status: 'Y',
    },
    texts: ['registered_name', 'father_name'],
    words: ['pan', 'pan_status', 'aadhaar_seeding_status'],
    isAskedOnce: true,
  },
  {
    name: 'Setu: a PAN',
    ask: (client) => new SetuPanClient(client).verify('ABCPR1234K'),
    status: 200,
    answer: {
      verification: 'success',
      data: {
        full_name: 'ASHA K RAO',
        first_name: 'ASHA',
        middle_name: 'K',
        last_name: 'RAO',
        category: 'Individual',
        aadhaar_seeding_status: 'LINKED',
      },
    },
    texts: ['data.full_name', 'data.first_name', 'data.middle_name', 'data.last_name'],
    words: ['verification', 'data.aadhaar_seeding_status'],
    isAskedOnce: true,
  },
  {
    name: 'the eKYC provider',
    ask: (client) => new HttpHostedEkycAdapter(client).open(ORDER),
    status: 201,
    answer: { url: link, state: 'created', expires_at: time },
    texts: ['url'],
    words: ['url', 'expires_at'],
  },
  {
    name: 'Cashfree: a KYC link',
    ask: (client) => cashfreeLink(client).open(ORDER),
    status: 200,
    answer: { form_link: link, form_status: 'RECEIVED' },
    texts: ['form_link'],
    words: ['form_link'],
  },
  {
    name: 'Cashfree: the status of a KYC link',
    ask: (client) => cashfreeLink(client).state('r-1'),
    status: 200,
    answer: { form_link: link, form_status: 'PENDING', verification_details: [] },
    texts: ['form_link'],
    words: ['form_status'],
  },
  {
    name: 'the Aadhaar provider: a code',
    ask: (client) => new HttpAadhaarAdapter(client).send('234567890124'),
    status: 200,
    answer: { transaction_id: 't', masked_mobile: 'XXXXXX1234', expires_at: time, resend_after_seconds: 30 },
    texts: ['transaction_id', 'masked_mobile'],
    words: ['expires_at'],
  },
  {
    name: 'the Aadhaar provider: a person',
    ask: (client) => new HttpAadhaarAdapter(client).check('t', '123456', PERSON),
    status: 200,
    answer: { reference_id: 'r', last_four: '2346', holder: HOLDER },
    texts: ['reference_id', 'last_four', 'holder.name'],
    words: ['holder.date_of_birth'],
    isAskedOnce: true,
  },
  {
    name: 'the document locker: a session',
    ask: (client) => new HttpDocumentLockerAdapter(client).open(ORDER),
    status: 201,
    answer: { session_id: 's', url: link, expires_at: time },
    texts: ['session_id', 'url'],
    words: ['url', 'expires_at'],
  },
  {
    name: 'the document locker: an Aadhaar',
    ask: (client) => new HttpDocumentLockerAdapter(client).outcome('s'),
    status: 200,
    answer: {
      status: 'AUTHORISED',
      aadhaar: {
        present: true,
        reference_id: 'r',
        last_four: '2346',
        holder: HOLDER,
      },
    },
    texts: ['aadhaar.reference_id', 'aadhaar.last_four', 'aadhaar.holder.name'],
    words: ['status', 'aadhaar.holder.date_of_birth', 'aadhaar.holder.year_of_birth'],
  },
  {
    name: 'Setu: a request at DigiLocker',
    ask: (client) => setuLocker(client).open(ORDER),
    status: 200,
    answer: { id: 's', url: link, validUpto: time },
    texts: ['id', 'url'],
    words: ['url', 'validUpto'],
    isAskedOnce: true,
  },
  {
    name: 'Setu: an Aadhaar',
    ask: (client) => new SetuLockerClient(client).aadhaar('s'),
    status: 200,
    answer: { aadhaar: { name: 'ASHA RAO', dateOfBirth: '21-04-1990', maskedNumber: 'xxxx-xxxx-2346' } },
    texts: ['aadhaar.name'],
    words: ['aadhaar.dateOfBirth', 'aadhaar.maskedNumber'],
    isAskedOnce: true,
  },
  {
    name: 'Cashfree: a link to DigiLocker',
    ask: (client) => cashfreeLocker(client).open(ORDER),
    status: 200,
    answer: { url: link },
    texts: ['url'],
    words: ['url'],
    isAskedOnce: true,
  },
  {
    name: 'Cashfree: an Aadhaar',
    ask: (client) => new CashfreeLockerClient(client).aadhaar('s'),
    status: 200,
    answer: { status: 'SUCCESS', reference_id: 7, uid: 'xxxxxxxx2346', name: 'ASHA RAO', dob: '21-04-1990' },
    texts: ['name'],
    words: ['status', 'uid', 'dob'],
    isAskedOnce: true,
  },
  {
    name: 'an issuer (rest): a lead that it knows',
    ask: (client) => rest(client).leads!.find('l'),
    status: 200,
    answer: { lead_id: 'l', state: 'CONVERTED', expires_at: time },
    texts: ['lead_id'],
    words: ['state', 'expires_at'],
  },
  {
    name: 'the eKYC provider: the status of a request',
    ask: (client) => new HttpHostedEkycAdapter(client).state('r'),
    status: 200,
    answer: { state: 'verified', holder: HOLDER },
    texts: ['holder.name'],
    words: ['state', 'holder.date_of_birth', 'holder.year_of_birth'],
  },
  {
    name: 'the eKYC provider: the end of a request',
    ask: (client) => new HttpHostedEkycAdapter(client).close('r').then(() => 'closed'),
    status: 200,
    answer: { state: 'closed' },
    texts: ['state'],
    words: ['state'],
  },
];

/** Returns a copy of an answer with one text changed. */
export function withText(answer: object, path: string, change: (text: string) => string): object {
  const copy = structuredClone(answer);
  const keys = path.split('.');
  const last = keys.pop()!;
  const holder = keys.reduce(
    (part, key) => part[key] as Record<string, unknown>,
    copy as Record<string, unknown>,
  );
  const text = holder[last] as string;
  expect(typeof text).toBe('string');
  holder[last] = change(text);
  return copy;
}

/** Returns a provider client without the failure history of other tests. */
export function scriptedClient(
  url: string,
  timeoutMs = 500,
  { limits, registry = new Registry(), ...endpoint }: ProviderOptions = {},
): ProviderClient {
  const registers = [registry];
  return new ProviderClient(
    {
      name: 'provider',
      baseUrl: new URL(url).origin,
      credentials: { authorization: 'Bearer our-key' },
      help: { settings: 'PROVIDER_URL' },
      ...endpoint,
    },
    new Resilience('provider', timeoutMs, limits),
    new Histogram({
      name: 'calls',
      help: 'calls',
      labelNames: ['provider', 'operation', 'outcome'] as const,
      registers,
    }),
    new Counter({ name: 'drift', help: 'drift', labelNames: ['provider', 'operation'] as const, registers }),
  );
}

interface ProviderOptions extends Partial<ProviderEndpoint> {
  readonly limits?: ResilienceLimits;
  readonly registry?: Registry;
}
