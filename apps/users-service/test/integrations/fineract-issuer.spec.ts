import type { ProviderFailure } from '@fd/errors';
import { inParallel } from '@fd/testing';
import { randomUUID } from 'node:crypto';
import type { Beneficiary, IssuerApi } from '../../src/integrations/issuers/issuer-api.port.js';
import { ISSUERS } from '../../src/config/issuers.js';
import { effectsOf } from '../support/effects.js';
import { fineractOverride, overFineract, tokenOverride } from '../support/fineract.js';
import { issuerApis } from '../support/issuer-apis.js';
import { anAccount } from '../support/issuers.js';
import { answersJson, BEHAVIOURS, type Behaviour, ScriptedProvider } from '../support/scripted-provider.js';

const KAVERI = ISSUERS.find(({ slug }) => slug === 'kaveri')!;

const CUSTOMER = { pan: 'ABCPR1234K', dateOfBirth: '1990-04-21', phone: '919812345678' };
const BENEFICIARY: Beneficiary = {
  holderName: 'Asha Rao',
  account: '50100012345678',
  ifsc: 'HDFC0001234',
  customerReference: 'c-1',
};

/** Scripted answers by Fineract call, such as `GET /v1/clients`; ids and queries are left out. */
type Answers = Readonly<Record<string, Behaviour>>;

const SEARCH = 'POST /v2/clients/search';
const CLIENT = 'GET /v1/clients/#';
const DOCUMENTS = 'GET /v1/clients/#/identifiers';
const BY_EXTERNAL_ID = 'GET /v1/clients';
const CREATE_CLIENT = 'POST /v1/clients';
const FIND_ROW = 'GET /v1/datatables/fd_payout_accounts/query';
const ADD_ROW = 'POST /v1/datatables/fd_payout_accounts/#';
const CHANGE_ROW = 'PUT /v1/datatables/fd_payout_accounts/#/#';

const ok = (body: unknown): Behaviour => answersJson(200, body);
const refusal = (status: number, code: string): Behaviour =>
  answersJson(status, {
    developerMessage: 'Words for developers.',
    httpStatusCode: String(status),
    defaultUserMessage: 'Words for people.',
    userMessageGlobalisationCode: code,
    errors: [],
  });
const NOT_FOUND = refusal(404, 'error.msg.resource.not.found');
const NO_CLIENT = answersJson(404, {
  userMessageGlobalisationCode: 'error.msg.resource.not.found',
  errors: [{ userMessageGlobalisationCode: 'error.msg.client.id.invalid' }],
});

const aClient = (more: object = {}) => ({
  id: 4711,
  accountNo: '000004711',
  status: { id: 300, code: 'clientStatusType.active', value: 'Active' },
  active: true,
  displayName: 'Asha Rao',
  dateOfBirth: [1990, 4, 21],
  mobileNo: '9812345678',
  ...more,
});
const withStatus = (id: number) => aClient({ status: { id, code: 'c', value: 'V' } });
const aDocument = (documentKey: string, more: object = {}) => ({
  id: 1,
  clientId: 4711,
  documentType: { id: 4, name: 'PAN' },
  documentKey,
  status: 'clientIdentifierStatusType.active',
  ...more,
});

/** Answers about a known customer. */
const KNOWN: Answers = {
  [SEARCH]: ok({ content: [{ id: 4711, displayName: 'Asha Rao' }], totalElements: 1 }),
  [CLIENT]: ok(aClient()),
  [DOCUMENTS]: ok([aDocument('1234 5678'), aDocument('ABCPR1234K')]),
};

/** Answers about an applicant unknown to Fineract. */
const NEW: Answers = {
  [FIND_ROW]: ok([]),
  [BY_EXTERNAL_ID]: ok({ totalFilteredRecords: 0, pageItems: [] }),
  [CREATE_CLIENT]: ok({ officeId: 7, clientId: 4712, resourceId: 4712 }),
  [ADD_ROW]: ok({ officeId: 7, clientId: 4712, resourceId: 12 }),
};
const aRow = (status: string) => ok([{ id: 12, client_id: 4712, status }]);

describe('issuer that runs Fineract', () => {
  let provider: ScriptedProvider;
  let answers: Answers;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    provider.behaviour = (response) => answers[asked().at(-1)!]!(response);
  });
  beforeEach(() => (provider.calls.length = 0));
  afterAll(() => provider.stop());

  const asked = (): string[] =>
    provider.calls.map(({ method, path }) => {
      const { pathname } = new URL(path, 'http://x');
      return `${method} ${pathname.replace('/messages', '').replaceAll(/\/\d+(?=\/|$)/g, '/#')}`;
    });

  const api = (changes: object = {}): IssuerApi => {
    const own = { reviews_accounts: false, timeout_ms: 4_000, ...changes };
    const override = { ...fineractOverride('kaveri', provider.url), ...own };
    const overrides = JSON.stringify({ kaveri: override });
    return issuerApis({ ISSUER_API_OVERRIDES: overrides }).forIssuer(KAVERI);
  };

  const find = (given: Answers) => {
    answers = { ...KNOWN, ...given };
    return api().findCustomer(CUSTOMER);
  };
  const register = (given: Answers, beneficiary = BENEFICIARY, changes: object = {}) => {
    answers = { ...NEW, ...given };
    return api(changes).registerBeneficiary(beneficiary, 'key-1');
  };
  const failing = (failure: ProviderFailure) =>
    expect.objectContaining({ name: 'ProviderError', failure }) as unknown;

  describe('customer search', () => {
    const found = (matchedOn: string[]) => ({ customerId: 'client-4711', isKycComplete: false, matchedOn });

    it.each<[string, Answers, object | undefined]>([
      ['a customer with this PAN and phone', {}, found(['PAN', 'PHONE'])],
      [
        'a phone with country code and spaces',
        { [CLIENT]: ok(aClient({ mobileNo: '+91 98123 45678' })) },
        found(['PAN', 'PHONE']),
      ],
      ['another phone', { [CLIENT]: ok(aClient({ mobileNo: '9812345679' })) }, found(['PAN'])],
      ['a part of a phone', { [CLIENT]: ok(aClient({ mobileNo: '45678' })) }, found(['PAN'])],
      [
        'a customer without phone and date of birth',
        { [CLIENT]: ok(aClient({ mobileNo: undefined, dateOfBirth: undefined })) },
        found(['PAN']),
      ],
      ['a date as text', { [CLIENT]: ok(aClient({ dateOfBirth: '1990-04-21' })) }, found(['PAN', 'PHONE'])],
      ['no customer', { [SEARCH]: ok({ content: [] }) }, undefined],
      ['another date of birth', { [CLIENT]: ok(aClient({ dateOfBirth: [1990, 4, 22] })) }, undefined],
      ['the PAN only in a name', { [DOCUMENTS]: ok([]) }, undefined],
      ['a longer document', { [DOCUMENTS]: ok([aDocument('XABCPR1234K')]) }, undefined],
      [
        'an inactive document',
        { [DOCUMENTS]: ok([aDocument('ABCPR1234K', { status: 'clientIdentifierStatusType.inactive' })]) },
        undefined,
      ],
      ['a client deleted meanwhile', { [CLIENT]: NOT_FOUND }, undefined],
      ...[100, 600, 700, 800].map((status): [string, Answers, undefined] => [
        `a client with the status ${status}`,
        { [CLIENT]: ok(withStatus(status)) },
        undefined,
      ]),
      ['a client in transfer', { [CLIENT]: ok(withStatus(303)) }, found(['PAN', 'PHONE'])],
    ])('reads %s', async (_what, given, expected) => {
      expect(await find(given)).toEqual(expected);
    });

    it('reads no verdict out of an unknown status or an unreadable date', async () => {
      await expect(find({ [CLIENT]: ok(withStatus(999)) })).rejects.toEqual(failing('malformed'));
      const client = ok(aClient({ dateOfBirth: [1990, 13, 1] }));
      await expect(find({ [CLIENT]: client })).rejects.toEqual(failing('malformed'));
    });

    it('sends credentials, and keeps the PAN out of paths', async () => {
      await find({});
      expect(asked()[0]).toBe(SEARCH);
      expect(asked().slice(1).sort()).toEqual([CLIENT, DOCUMENTS].sort());
      const [{ headers, body }] = provider.calls as [(typeof provider.calls)[0]];
      expect(headers.authorization).toBe(`Basic ${Buffer.from('deposits:its-password').toString('base64')}`);
      expect(headers['fineract-platform-tenantid']).toBe('kaveri');
      expect(body).toEqual({ request: { text: 'ABCPR1234K' }, page: 0, size: 5 });
      expect(provider.calls.filter(({ path }) => path.includes('ABCPR1234K'))).toEqual([]);
    });
  });

  it('sends a token in place of the user, and fetches it again once when it is refused', async () => {
    const tokens = await ScriptedProvider.start();
    let issued = 0;
    tokens.behaviour = (response) => ok({ access_token: `t-${++issued}`, expires_in: 60 })(response);
    const isStale = () => provider.calls.at(-1)!.headers.authorization === 'Bearer t-1';
    const unlessStale =
      (answer: Behaviour): Behaviour =>
      (response) =>
        (isStale() ? refusal(401, 'error.msg.not.authenticated') : answer)(response);
    answers = Object.fromEntries(Object.entries(KNOWN).map(([call, answer]) => [call, unlessStale(answer)]));
    const kaveri = tokenOverride('kaveri', provider.url, tokens.url);
    const overrides = JSON.stringify({ kaveri: { ...kaveri, scope: 'fd' } });
    const found = await issuerApis({ ISSUER_API_OVERRIDES: overrides })
      .forIssuer(KAVERI)
      .findCustomer(CUSTOMER);
    expect(found).toMatchObject({ customerId: 'client-4711' });
    expect(provider.calls.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer t-1',
      ...Array<string>(3).fill('Bearer t-2'),
    ]);
    expect(provider.calls.map(({ headers }) => headers['fineract-platform-tenantid'])).toEqual(
      Array(4).fill('kaveri'),
    );
    expect(tokens.calls.map(({ body }) => body)).toEqual(
      Array(2).fill({ grant_type: 'client_credentials', scope: 'fd' }),
    );
    await tokens.stop();
  });

  describe('registration of an account', () => {
    const REGISTERED = { state: 'registered', reference: '4712-12' };
    const ACCEPTED = { state: 'accepted', receipt: 'key-1' };

    it('creates a pending client and stores the account, without an idempotency key of Fineract', async () => {
      expect(await register({})).toEqual(REGISTERED);
      expect(asked()).toEqual([FIND_ROW, BY_EXTERNAL_ID, CREATE_CLIENT, ADD_ROW]);
      const formats = { locale: 'en', dateFormat: 'yyyy-MM-dd' };
      expect(provider.calls.map(({ body }) => body)).toEqual([
        {},
        {},
        { ...formats, officeId: 7, legalFormId: 1, fullname: 'Asha Rao', externalId: 'c-1', active: false },
        {
          ...formats,
          reference: 'key-1',
          holder_name: 'Asha Rao',
          account_number: '50100012345678',
          ifsc: 'HDFC0001234',
          status: 'ACTIVE',
        },
      ]);
      expect(provider.calls[0]!.path).toContain(
        'query?columnFilter=reference&valueFilter=key-1&resultColumns=id%2Cclient_id%2Cstatus',
      );
      expect(provider.calls.filter(({ headers }) => 'idempotency-key' in headers)).toEqual([]);
    });

    it('waits for the decision of an issuer that reviews accounts', async () => {
      expect(await register({}, BENEFICIARY, { reviews_accounts: true })).toEqual(ACCEPTED);
      expect(provider.calls.at(-1)!.body).toMatchObject({ status: 'PENDING' });
    });

    it.each<[string, object]>([
      ['ACTIVE', REGISTERED],
      ['WITHDRAWN', REGISTERED],
      ['PENDING', ACCEPTED],
      ['REJECTED', { state: 'invalid-beneficiary' }],
    ])('answers a repeat, and a poll, by a row that is %s', async (status, expected) => {
      expect(await register({ [FIND_ROW]: aRow(status) })).toEqual(expected);
      expect(asked()).toEqual([FIND_ROW]);
      expect(await api().registrationOutcome('key-1')).toEqual(expected);
    });

    it('stores nothing twice when the answer to a registration was lost', async () => {
      await expect(register({ [ADD_ROW]: BEHAVIOURS.resets })).rejects.toEqual(failing('timeout'));
      expect(asked().filter((call) => call === ADD_ROW)).toHaveLength(1);
      provider.calls.length = 0;
      expect(await register({ [FIND_ROW]: aRow('ACTIVE') })).toEqual(REGISTERED);
      expect(asked()).toEqual([FIND_ROW]);
    });

    it('uses the client left behind by a lost answer', async () => {
      await expect(register({ [CREATE_CLIENT]: BEHAVIOURS.resets })).rejects.toEqual(failing('timeout'));
      const client = { [BY_EXTERNAL_ID]: ok({ pageItems: [{ id: 4712, displayName: 'Asha Rao' }] }) };
      expect(await register(client)).toEqual(REGISTERED);
      expect(asked().filter((call) => call === CREATE_CLIENT)).toHaveLength(1);
    });

    it('uses the client of an existing customer, unless the client was deleted', async () => {
      const customer = { ...BENEFICIARY, customerId: 'client-4711' };
      await register({ [CLIENT]: ok(aClient()) }, customer);
      expect(asked()).toEqual([FIND_ROW, CLIENT, ADD_ROW]);
      expect(provider.calls.at(-1)!.path).toMatch(/\/4711$/);
      provider.calls.length = 0;
      expect(await register({ [CLIENT]: NOT_FOUND }, customer)).toEqual(REGISTERED);
      // customers of another API that the issuer used before
      for (const customerId of ['C-4711', '4711', '0000004711']) {
        provider.calls.length = 0;
        expect(await register({ [CLIENT]: ok(aClient()) }, { ...BENEFICIARY, customerId })).toEqual(
          REGISTERED,
        );
        expect(asked()).not.toContain(CLIENT);
      }
    });

    it.each(['error.msg.datatable.entry.duplicate', 'error.msg.datatable.unknown.data.integrity.issue'])(
      'reads the row again when the account is already stored, as %s says',
      async (code) => {
        let reads = 0;
        const later: Behaviour = (response) => (reads++ === 0 ? ok([]) : aRow('ACTIVE'))(response);
        expect(await register({ [FIND_ROW]: later, [ADD_ROW]: refusal(403, code) })).toEqual(REGISTERED);
        await expect(register({ [ADD_ROW]: refusal(403, code) })).rejects.toEqual(failing('refused'));
      },
    );

    it('searches again when the client already exists', async () => {
      const duplicate = refusal(403, 'error.msg.client.duplicate.externalId');
      let reads = 0;
      const later: Behaviour = (response) => ok({ pageItems: reads++ === 0 ? [] : [{ id: 4712 }] })(response);
      expect(await register({ [BY_EXTERNAL_ID]: later, [CREATE_CLIENT]: duplicate })).toEqual(REGISTERED);
      await expect(register({ [CREATE_CLIENT]: duplicate })).rejects.toEqual(failing('refused'));
    });

    it('reads no verdict out of an unknown status, or of a command that awaits a checker', async () => {
      await expect(register({ [FIND_ROW]: aRow('Active') })).rejects.toEqual(failing('malformed'));
      await expect(register({ [ADD_ROW]: ok({ commandId: 5 }) })).rejects.toEqual(failing('malformed'));
    });
  });

  describe('withdrawal of an account', () => {
    const withdraw = (answer: Behaviour, reference = '4712-12') => {
      answers = { [CHANGE_ROW]: answer };
      return api().withdrawBeneficiary!(reference, 'key-2');
    };

    it('sets the status of its row to WITHDRAWN', async () => {
      await withdraw(ok({ clientId: 4712, resourceId: 12, changes: { status: 'WITHDRAWN' } }));
      const [{ method, path, body }] = provider.calls as [(typeof provider.calls)[0]];
      expect([method, path]).toEqual(['PUT', '/messages/v1/datatables/fd_payout_accounts/4712/12']);
      expect(body).toEqual({ status: 'WITHDRAWN', locale: 'en', dateFormat: 'yyyy-MM-dd' });
    });

    it('succeeds for a deleted row, and for a reference of another API', async () => {
      await withdraw(NOT_FOUND);
      provider.calls.length = 0;
      await withdraw(NOT_FOUND, randomUUID());
      expect(provider.calls).toEqual([]);
    });

    it('fails at a path unknown to Fineract', async () => {
      await expect(withdraw(answersJson(404, { error: 'Not Found' }))).rejects.toEqual(
        failing('misconfigured'),
      );
    });
  });

  it.each<[string, Behaviour, ProviderFailure]>([
    ['a wrong password', refusal(401, 'error.msg.not.authenticated'), 'misconfigured'],
    ['an unknown tenant', refusal(400, 'error.msg.invalid.tenant.identifier'), 'misconfigured'],
    ['a user without the right', refusal(403, 'error.msg.not.authorized'), 'misconfigured'],
    ['a gateway that refuses us', answersJson(403, {}), 'misconfigured'],
    ['a missing data table', NOT_FOUND, 'misconfigured'],
    ['a client deleted meanwhile', NO_CLIENT, 'refused'],
    ['a broken rule', refusal(403, 'validation.msg.domain.rule.violation'), 'refused'],
    ['a request invalid for Fineract', refusal(400, 'validation.msg.validation.errors.exist'), 'refused'],
    ['a change at the same time', refusal(409, 'error.msg.platform.service.client.conflict'), 'unavailable'],
    ['too many calls', answersJson(429, {}), 'unavailable'],
    ['a server that is down', refusal(503, 'error.msg.platform.service.unavailable'), 'unavailable'],
    ['a failing server', refusal(500, 'error.msg.platform.server.side.error'), 'timeout'],
    ['a web page', BEHAVIOURS.answersHtml, 'malformed'],
  ])('fails with a provider error for %s', async (_what, answer, failure) => {
    await expect(register({ [FIND_ROW]: answer })).rejects.toEqual(failing(failure));
  });

  it('creates one client for parallel registrations of two accounts of one person', async () => {
    const customerReference = randomUUID();
    const sandbox = issuerApis(overFineract(['kaveri'])).forIssuer(KAVERI);
    const accounts = [anAccount(), anAccount()];
    await inParallel(6, (index: number) =>
      sandbox.registerBeneficiary(
        { ...BENEFICIARY, customerReference, account: accounts[index % 2]! },
        `${customerReference}-${index % 2}`,
      ),
    );
    expect(await effectsOf('issuer:kaveri', customerReference)).toHaveLength(1);
    for (const account of accounts) expect(await effectsOf('issuer:kaveri', account)).toHaveLength(1);
  });
});
