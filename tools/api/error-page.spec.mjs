import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorList, errorPage } from './error-page.mjs';

const CODES = ['SVCUSER2711', 'SVCUSER2201', 'SVCUSER2901'];
const errors = {
  ERROR_CODES: CODES,
  errorOf: (code) => ({
    httpStatus: 400,
    token: `TOKEN_OF_${code}`,
    text: '',
    message: '',
    actor: 'CUSTOMER',
  }),
  EXAMPLES: Object.fromEntries(CODES.map((code) => [code, { none: 'no call does it' }])),
};
const answers = (code) => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${code}` } } },
});
const blocker = {
  type: 'object',
  properties: { code: { enum: ['SVCUSER2711'] }, next: { $ref: '#/components/schemas/Check' } },
};
const documents = {
  service: {
    paths: {
      '/pan': { post: { responses: { 400: answers('Check') }, 'x-error-codes': ['SVCUSER2201'] } },
      '/check': { get: { responses: { 200: answers('Check') } } },
      '/ping': { get: { responses: { 204: {} } } },
    },
    components: { schemas: { Check: { type: 'array', items: blocker } } },
  },
};

test('lists the refused calls of a code, and the calls whose successful answers name it', () => {
  assert.deepEqual(
    errorList(errors, documents).map(({ calls, named_by: naming }) => [calls, naming]),
    [
      [[], ['GET /check']],
      [['POST /pan'], []],
      [[], []],
    ],
  );
});

test('says of each code where a client meets it', () => {
  const page = errorPage(errorList(errors, documents), {}, []);
  for (const [code, place] of [
    ['SVCUSER2711', 'Refuses no call. Successful answers name it: `GET /check`.'],
    ['SVCUSER2201', 'Raised by: `POST /pan`.'],
    ['SVCUSER2901', 'Raised by: any path that is no call.'],
  ])
    assert.ok(page.includes(`\`TOKEN_OF_${code}\`. ${place}`), code);
});
