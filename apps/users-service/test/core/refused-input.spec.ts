import { ApiDocument } from '@fd/platform';
import type { ApiClient } from '@fd/testing';
import type { Response } from 'supertest';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { aNominee } from '../support/nominees.js';
import { startService, type TestService } from '../support/users-app.js';

const SAHYADRI = { issuer_slug: 'sahyadri' };
const FLOW = { flow_id: 'NOWHERE' };

const NOMINEE = {
  name: '',
  relationship: 'NEIGHBOUR',
  dob: '1990-02-30',
  email: 'nobody',
  phone: '12',
  pan: 'ABC',
  address: 5,
  share_percentage: 0,
  nomination_type: 'NONE',
  priority: 0,
  guardian: 'none',
};

interface Refused {
  /** Values that are each refused. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly path?: Readonly<Record<string, string>>;
  /** Fields of the answer, in its order, where they are not simply those of the body. */
  readonly fields?: readonly string[];
}

/** Each call with a body, with a value in every field that it refuses. */
const CALLS: readonly (readonly [call: string, refused: Refused])[] = [
  ['POST /auth/register', { body: { phone: '12' }, fields: ['phone', 'phone'] }],
  [
    'POST /auth/api/v2/register/verify',
    {
      body: { phone: '12', otp: '1', partner_url: 'partner', consent: false },
      fields: ['phone', 'phone', 'otp', 'partner_url', 'consent'],
    },
  ],
  [
    'POST /auth/api/v2/register/verify',
    {
      body: { phone: '919999900001', otp: '123456', partner_url: 'https://nobody.example', consent: false },
      fields: ['partner_url', 'consent'],
    },
  ],
  ['POST /auth/api/v2/token/refresh', { body: { refresh_token: 5 } }],
  ['POST /auth/api/v2/logout', { body: { all_devices: 'yes' } }],
  ['POST /api/v1/account-confirmation', { body: { number: 'ABC', dob: '1990-02-30' } }],
  ['POST /api/v1/account-confirmation/start-anew', { body: { start_anew: false } }],
  ['POST /api/v1/user-data-export', { body: { number: 'ABC', dob: '1990-02-30' } }],
  ['POST /api/v1/consents', { body: { purpose: 'NOTHING', notice_version: '2020-01' } }],
  [
    'POST /api/v1/insights-tracking',
    {
      body: {
        event_id: 'one',
        event_name: 'NOTHING',
        step: 'NOWHERE',
        issuer_code: 'NOBODY',
        occurred_at: 'today',
        properties: [],
      },
    },
  ],
  ['POST /api/v1/pan-verification', { body: { number: 'ABC', dob: '1990-02-30', consent_checked: false } }],
  [
    'POST /issuer-apis/{issuer_slug}/v2/check-etb',
    {
      path: SAHYADRI,
      body: { flowId: 'NOWHERE', ...FLOW },
    },
  ],
  [
    'POST /issuer-apis/{issuer_slug}/v1/lead',
    {
      path: SAHYADRI,
      body: {
        fd_info: { amount: 'much', tenure: 'long', payout_frequency: 5 },
        utm: 'none',
        source: 5,
      },
      fields: ['fd_info.amount', 'fd_info.tenure', 'fd_info.payout_frequency', 'utm', 'source'],
    },
  ],
  [
    'POST /issuer-apis/{issuer_slug}/v3/check-status',
    {
      path: SAHYADRI,
      body: { redirection_url: 'http://app.partner.example', fd_info: 5, ...FLOW },
    },
  ],
  [
    'POST /issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/send-otp',
    {
      path: SAHYADRI,
      body: { aadhaar_number: '12', consent_checked: false },
    },
  ],
  ['POST /issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/verify-otp', { path: SAHYADRI, body: { otp: '1' } }],
  [
    'POST /issuer-apis/{issuer_slug}/v1/document-locker/session',
    {
      path: SAHYADRI,
      body: { redirection_url: 'http://app.partner.example', consent_checked: false },
    },
  ],
  ['POST /api/v1/email/send-otp', { body: { email: 'nobody' } }],
  ['POST /api/v1/email/verify-otp', { body: { email: 'nobody', otp: '1' } }],
  [
    'POST /api/v1/personal-details',
    {
      body: {
        gender: 'NONE',
        marital_status: 'NONE',
        mother_name: '',
        occupation: 'NONE',
        annual_income_range: 'NONE',
        source_of_funds: 'NONE',
        place_of_birth: 5,
        nationality: 'NONE',
        residential_status: 'NONE',
        communication_address: 5,
        is_pep: 'no',
        is_tax_resident_india_only: 'no',
        declarations: 5,
      },
    },
  ],
  [
    'POST /api/v1/bank/sync-to-issuer',
    {
      body: {
        account: '12',
        ifsc: 'HDFC',
        account_holder_full_name: 'Asha 1',
        account_holder_first_name: '1',
        account_holder_last_name: 5,
        ask_for_review: 'yes',
      },
    },
  ],
  [
    'POST /api/v1/user-nominee',
    {
      body: { ...NOMINEE, issuer_code: 5, declaration_accepted: 'no' },
    },
  ],
  ['POST /api/v1/user-nominee', { body: { issuer_code: 5, skip_nominee: 'no', declaration_accepted: 'no' } }],
  ['POST /api/v1/user-nominee', { body: { nominees: 5, issuer_code: 5, declaration_accepted: 'no' } }],
  ['PUT /api/v1/user-nominee/{nominee_id}', { body: NOMINEE }],
];

/** Calls whose body has no field that can be refused. */
const WITHOUT_FIELDS = [
  'POST /api/v1/consents/{consent_id}/withdraw',
  // a refused id is another user's, which is a 404
  'POST /issuer-apis/{issuer_slug}/v1/kyc-context',
  // a refused signature is a 401
  'POST /api/v1/webhooks/{vendor}',
  // takes no body
  'POST /partner/v1/events/{event_id}/replay',
];

describe('refused fields', () => {
  let service: TestService;
  let api: ApiClient;
  let nominee: string;
  beforeAll(async () => {
    service = await startService();
    api = as(service.api, await logIn(service));
    const { body } = await api.post('/api/v1/user-nominee', aNominee());
    nominee = (body as { payload: { nominee_id: string } }).payload.nominee_id;
  });
  afterAll(() => service.close());

  const send = (call: string, { body, path = {} }: Refused): Promise<Response> => {
    const [method, template] = call.split(' ') as [string, string];
    const values: Readonly<Record<string, string>> = { ...path, nominee_id: nominee };
    const url = template.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!);
    return method === 'PUT' ? api.put(url, body) : api.post(url, body);
  };
  const fieldsOf = (response: Response): unknown[] =>
    (response.body as { error: { field: string }[] }).error.map(({ field }) => field);

  it('covers every call with a body', () => {
    const { paths } = service.app.get(ApiDocument).get();
    const calls = Object.entries(paths).flatMap(([path, item]) =>
      (['post', 'put', 'patch'] as const)
        .filter((method) => item[method])
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const covered = [...new Set(CALLS.map(([call]) => call)), ...WITHOUT_FIELDS];
    const place = 'CALLS in apps/users-service/test/core/refused-input.spec.ts';
    expect([
      ...calls.filter((call) => !covered.includes(call)).map((call) => `add to ${place}: ${call}`),
      ...covered.filter((call) => !calls.includes(call)).map((call) => `remove from ${place}: ${call}`),
    ]).toEqual([]);
  });

  it.each(CALLS)('reports all refused fields in their order: %s, body %#', async (call, refused) => {
    const { body, fields = Object.keys(body) } = refused;
    expect(fieldsOf(await send(call, refused))).toEqual(fields);
  });
});

describe('bad input', () => {
  let service: TestService;
  let user: LoggedIn;
  beforeAll(async () => {
    service = await startService();
    user = await logIn(service);
  });
  afterAll(() => service.close());

  it.each([
    ['a repeated parameter', '?a=1&a=2'],
    ['a key that reaches a prototype', '?__proto__[x]=1'],
    ['an encoded NUL', '?%00'],
    ['an array', '?a[]=1'],
    ['1,500 parameters', '?' + 'a=1&'.repeat(1_500)],
  ])('ignores a query of %s', async (_name, query) => {
    expect((await as(service.api, user).get(`/api/v1/user-profile${query}`)).status).toBe(200);
  });

  it.each([
    '/%00',
    '/%E0%A4%A',
    '/api/v1/user-sessions/%E0%A4%A',
    '//',
    '/..%2f..%2fetc',
    '/api/v1/user-sessions/%00',
  ])('returns 400 or 404 in the envelope for the path %s', async (path) => {
    // not through the test client, which knows only documented paths
    const response = await fetch(`${service.url}${path}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${user.access_token}` },
    });
    expect([400, 404]).toContain(response.status);
    expect(await response.json()).toMatchObject({ success: 0, payload: {} });
  });

  it('logs no defect for bad input', () => {
    expect(service.logs().match(/"level":"(error|fatal)"/g)).toBeNull();
  });
});
