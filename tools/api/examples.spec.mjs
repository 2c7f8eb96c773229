import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { chooseExamples } from './example-choice.mjs';
import { DOCUMENTED_SERVICES, documentPath, examplesPath, operationsOf } from './openapi-documents.mjs';
import { root } from '../workspace.mjs';

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** Codes in answers with HTTP 202, which are not refusals. */
const IN_202 = ['SVCUSER2210', 'SVCUSER2754'];

/** Called by vendors, with their own bodies and an empty answer. */
const OF_VENDORS = 'POST /api/v1/webhooks/{vendor} 200';

const catalogue = new Map(readJson('docs/integrators/errors.json').map((entry) => [entry.code, entry]));

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
    for (const [code, { status, answered }] of recorded) {
      const { http_status, meaning, message } = catalogue.get(code);
      const { error, f_error_message } = answered.error.find((item) => item.errorCode === code);
      assert.deepEqual([code, status, error], [code, http_status, meaning]);
      // some refusals add a sentence after the message
      const parts = message.split(/\{\w+\}/);
      assert.deepEqual([code, parts.filter((part) => !f_error_message.includes(part))], [code, []]);
    }
    const listed = successes.flatMap(({ answered }) => answered.payload?.error_codes ?? []);
    const stale = listed.filter(({ code, message }) => message !== catalogue.get(code)?.message);
    assert.deepEqual(stale, []);
  });
}

const document = {
  paths: {
    '/people/{id}': {
      get: { responses: { 200: {}, 404: {} }, 'x-error-codes': ['CODE1'] },
    },
  },
};
const recording = (overrides) => ({
  spec: 'any.spec.ts',
  at: Date.parse('2027-01-01T00:00:00Z'),
  method: 'get',
  path: '/people/01a20757-0c65-716c-a01a-710955a692f3',
  status: 200,
  codes: [],
  ...overrides,
});
const only = (recorded, former = {}) => chooseExamples(document, recorded, former, new Set());

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

test('gives the same examples for recordings in any order, and keeps a former one where none was recorded', () => {
  const refused = (sent) =>
    recording({ status: 404, codes: ['CODE1'], sent, answered: { error: [{ errorCode: 'CODE1' }] } });
  const all = [refused({ note: 'long' }), recording({ answered: { a: 1 } }), refused({})];
  assert.deepEqual(only(all), only(all.toReversed()));
  assert.deepEqual(only(all).refusals[0].sent, {});
  const former = { successes: [{ call: 'GET /people/{id}', status: 200, answered: 1 }], refusals: [] };
  assert.deepEqual(only([], former).successes, former.successes);
});
