import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { readJson } from '../files.mjs';
import { chooseExamples, staleErrors } from './example-choice.mjs';
import { DOCUMENTED_SERVICES, documentPath, examplesPath, operationsOf } from './openapi-documents.mjs';

/** Codes in answers with HTTP 202, which are not refusals. */
const IN_202 = ['SVCUSER2210', 'SVCUSER2754'];

/** Called by vendors, with their own bodies and an empty answer. */
const OF_VENDORS = 'POST /api/v1/webhooks/{vendor} 200';

const catalogue = Object.fromEntries(
  readJson('docs/integrators/errors.json').map(({ code, http_status, meaning, message }) => [
    code,
    { httpStatus: http_status, text: meaning, message },
  ]),
);

// lint checks the examples by the schemas
for (const service of DOCUMENTED_SERVICES) {
  const operations = operationsOf(readJson(documentPath(service)));
  const { successes, refusals } = readJson(examplesPath(service));

  test(`finds a recorded success of each call and status of ${service} (else: npm run docs:examples)`, () => {
    const recorded = new Set(successes.map(({ call, status }) => `${call} ${status}`));
    const missing = operations.flatMap(({ call, operation }) =>
      Object.keys(operation.responses)
        .filter((status) => status.startsWith('2') && !recorded.has(`${call} ${status}`))
        .map((status) => `${call} ${status}`),
    );
    assert.deepEqual(
      missing.filter((one) => one !== OF_VENDORS),
      [],
    );
  });

  test(`finds a recorded refusal for each error code of ${service} with the texts of the catalogue`, () => {
    const codes = new Set(operations.flatMap(({ operation }) => operation['x-error-codes']));
    const recorded = new Map(refusals.map((refusal) => [refusal.code, refusal]));
    assert.deepEqual(
      [...codes].filter((code) => !recorded.has(code) && !IN_202.includes(code)),
      [],
    );
    for (const [code, { answered }] of recorded)
      assert.ok(answered.error.some(({ errorCode }) => errorCode === code));
    for (const one of [...successes, ...refusals])
      assert.deepEqual(
        staleErrors(one, (code) => catalogue[code]),
        [],
      );
  });
}

const schema = { type: 'object', properties: { name: { type: 'string' } } };
const json = { content: { 'application/json': { schema } } };
const document = {
  paths: {
    '/people/{id}': {
      get: { responses: { 200: json, 404: {} }, 'x-error-codes': ['CODE1'] },
    },
  },
};
const success = (answered) => ({ call: 'GET /people/{id}', status: 200, answered });
const recording = (overrides) => ({
  at: Date.parse('2027-01-01T00:00:00Z'),
  method: 'get',
  path: '/people/01a20757-0c65-716c-a01a-710955a692f3',
  status: 200,
  ...overrides,
});
const only = (recorded, former = {}) =>
  chooseExamples(document, recorded, former, {
    fixedIds: new Set(),
    errorOf: () => ({ httpStatus: 404, text: 'unknown', message: 'Unknown.' }),
  });

test('removes the person and the time of the recording from an example', () => {
  const id = '01a20757-0c65-716c-a01a-710955a692f3';
  const [example] = only([
    recording({
      sent: { phone: '919812345678', number: 'ABCDE2302X' },
      answered: {
        id,
        masked: ['91XXXXXX5678', 'XXXXXX302X'],
        email: 'somebody@mail.test',
        account: '123456789012',
        access_token: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.abc',
        expires_at: '2027-01-01T00:15:00.4Z',
        dob: '1990-04-21',
        url: `https://localhost:38141/page/${id}`,
      },
    }),
  ]).successes;
  const newId = '0198c0de-0000-7000-8000-000000000001';
  assert.deepEqual(
    [example.path, example.sent],
    [{ id: newId }, { phone: '919999900001', number: 'ABCPR2302K' }],
  );
  assert.deepEqual(example.answered, {
    id: newId,
    masked: ['91XXXXXX0001', 'XXXXXX302K'],
    email: 'asha@mail.example',
    account: '501000129012',
    access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl',
    expires_at: '2026-11-23T09:45:00.000Z',
    dob: '1990-04-21',
    url: `https://localhost:3443/page/${newId}`,
  });
});

test('chooses the success with the most fields, else the shortest exchange, whatever the order of the recordings', () => {
  const refused = (sent) => recording({ status: 404, sent, answered: { error: [{ errorCode: 'CODE1' }] } });
  const answers = [{ name: 'A name that is long' }, { name: 'Ravi', a: 1 }, { name: 'Asha', a: 1 }];
  const all = [...['long', 'b', 'a'].map(refused), ...answers.map((answered) => recording({ answered }))];
  const examples = only(all);
  assert.deepEqual(only(all.toReversed()), examples);
  assert.equal(examples.refusals[0].sent, 'a');
  assert.deepEqual(examples.successes[0].answered, answers[2]);
});

test('keeps a former example unless it is no longer valid or a recorded one shows more', () => {
  const replaced = (before, answered) => {
    const [{ answered: now }] = only([recording({ answered })], { successes: [success(before)] }).successes;
    return isDeepStrictEqual(now, answered);
  };
  const former = { successes: [success({ a: 1 })], refusals: [] };
  assert.deepEqual(only([], former), former);
  assert.equal(replaced({ name: 'Asha', pan: { state: 'DONE' } }, { name: 'Ravi', pan: null }), false);
  assert.equal(replaced({ name: 'Asha', mail: 'x' }, { name: 'Asha', bank: 'x' }), false);
  assert.equal(replaced({ name: 'Asha' }, { name: 'Asha', bank: 'x' }), true);
  assert.equal(replaced({ name: 7 }, { name: 'Asha' }), true);
  const refused = (error) => ({ error: [{ errorCode: 'CODE1', error, f_error_message: 'Unknown.' }] });
  const stale = {
    code: 'CODE1',
    call: 'GET /people/{id}',
    status: 404,
    answered: refused('an earlier text'),
  };
  const { refusals } = only([recording({ status: 404, answered: refused('unknown') })], {
    refusals: [stale],
  });
  assert.deepEqual(refusals[0].answered, refused('unknown'));
});
