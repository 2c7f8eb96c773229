import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breakingChanges } from './openapi-changes.mjs';

const text = { type: 'string' };
const object = (properties, required = []) => ({ type: 'object', properties, required });
const json = (schema) => ({ content: { 'application/json': { schema } } });
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
const CALL = 'POST /deposits/{issuer}';

/** A document with one call, and its parts to change. */
function parts() {
  const kind = { in: 'query', name: 'kind', schema: { type: 'string', enum: ['FD', 'RD'] } };
  const issuer = { in: 'path', name: 'issuer', required: true, schema: text };
  const state = { type: 'string', enum: ['OPEN', 'DONE'] };
  const answer = object({ id: text, state, rank: { type: ['integer', 'null'] } }, ['id', 'state']);
  const refusal = object({ code: { type: 'string', enum: ['A1'] } }, ['code']);
  const person = object({ name: text, guardian: ref('Person') }, ['name']);
  const deposit = object(
    {
      amount: { type: 'integer', minimum: 5000, maximum: 100_000 },
      name: { type: 'string', pattern: '^[A-Z]+$', maxLength: 20 },
      note: { anyOf: [text, { type: 'null' }] },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 3 },
      nominee: ref('Person'),
    },
    ['amount'],
  );
  const call = {
    security: [],
    parameters: [issuer, kind],
    requestBody: { required: true, ...json(ref('Deposit')) },
    responses: {
      200: { headers: { 'x-request-id': { schema: text } }, ...json(answer) },
      400: json(refusal),
    },
  };
  const paths = { '/deposits/{issuer}': { post: call } };
  const document = { openapi: '3.1.0', paths, components: { schemas: { Deposit: deposit, Person: person } } };
  const all = {
    document,
    call,
    issuer,
    kind,
    answer,
    state,
    refusal,
    person,
    deposit,
    fields: deposit.properties,
  };
  return structuredClone(all);
}

const changesAfter = (change) => {
  const changed = parts();
  change(changed);
  return breakingChanges(parts().document, changed.document);
};

/** The change in the sentence that reports it. */
const BREAKING = {
  'credentials: bearer is required now': ({ call }) => (call.security = [{ bearer: [] }]),
  'query kind: is required now': ({ kind }) => (kind.required = true),
  'header x-key: is required now': ({ call }) =>
    call.parameters.push({ in: 'header', name: 'X-Key', required: true, schema: text }),
  'query kind: is no longer read': ({ call }) => call.parameters.pop(),
  'query kind: "RD" is no longer accepted': ({ kind }) => kind.schema.enum.pop(),
  'path issuer: string is no longer accepted': ({ issuer }) => (issuer.schema = { type: 'integer' }),
  'body.name: is required now': ({ deposit }) => deposit.required.push('name'),
  'body.pan: is required now': ({ deposit, fields }) => (fields.pan = text) && deposit.required.push('pan'),
  'body.note: is no longer read': ({ fields }) => delete fields.note,
  'body.note: null is no longer accepted': ({ fields }) => (fields.note = text),
  'body.name: only ["X"] is accepted now': ({ fields }) => (fields.name.enum = ['X']),
  'body.name: pattern was "^[A-Z]+$" and is "^[A-Z]$"': ({ fields }) => (fields.name.pattern = '^[A-Z]$'),
  'body.name: maxLength was 20 and is 10': ({ fields }) => (fields.name.maxLength = 10),
  'body.amount: minimum was 5000 and is 6000': ({ fields }) => (fields.amount.minimum = 6000),
  'body.tags: maxItems was 3 and is 1': ({ fields }) => (fields.tags.maxItems = 1),
  'body.tags[]: "b" is no longer accepted': ({ fields }) => fields.tags.items.enum.pop(),
  'body.nominee.guardian: is required now': ({ person }) => person.required.push('guardian'),
  'body: other fields are refused now': ({ deposit }) => (deposit.additionalProperties = false),
  'body.name: not was not given and is {"const":"X"}': ({ fields }) => (fields.name.not = { const: 'X' }),
  'body: application/json is no longer accepted': ({ call }) =>
    (call.requestBody.content = { 'text/plain': {} }),
  '200: is no longer returned': ({ call }) => delete call.responses[200],
  '202: is a new kind of success': ({ call }) => (call.responses[202] = json(object({}))),
  '200.rank: is no longer returned': ({ answer }) => delete answer.properties.rank,
  '200.state: may be left out now': ({ answer }) => answer.required.pop(),
  '200.state: "LOST" is returned now': ({ state }) => state.enum.push('LOST'),
  '200.state: no longer only ["OPEN","DONE"]': ({ state }) => delete state.enum,
  '200.id: null is returned now': ({ answer }) => (answer.properties.id = { type: ['string', 'null'] }),
  '200 header x-request-id: is no longer returned': ({ call }) => delete call.responses[200].headers,
  '400.code: is no longer returned': ({ refusal }) => delete refusal.properties.code,
};

const HARMLESS = {
  'a new path': ({ document }) => (document.paths['/new'] = { get: { responses: {} } }),
  'another name of a parameter of the path': ({ document, issuer, call }) => {
    issuer.name = 'slug';
    document.paths = { '/deposits/{slug}': { post: call } };
  },
  'a new optional parameter': ({ call }) => call.parameters.push({ in: 'query', name: 'q', schema: text }),
  'a new optional field': ({ fields }) => (fields.pan = text),
  'a required field becomes optional': ({ deposit }) => deposit.required.pop(),
  'an additional accepted value': ({ kind }) => kind.schema.enum.push('X'),
  'a wider type': ({ fields }) => (fields.amount.type = 'number'),
  'null is accepted too': ({ fields }) => (fields.name = { anyOf: [fields.name, { type: 'null' }] }),
  'wider limits': ({ fields }) => Object.assign(fields.amount, { minimum: 1, maximum: 1e9 }),
  'a new field of an answer': ({ answer }) => (answer.properties.more = text),
  'a value that is no longer returned': ({ state }) => state.enum.pop(),
  'null is no longer returned': ({ answer }) => (answer.properties.rank = { type: 'integer' }),
  'a new failure': ({ call }) => (call.responses[409] = json(object({}))),
  'a removed failure': ({ call }) => delete call.responses[400],
  'a new error code': ({ refusal }) => refusal.properties.code.enum.push('B2'),
  'another description': ({ call }) => (call.description = 'new'),
  'a schema that is written out': ({ fields, person }) => (fields.nominee = structuredClone(person)),
};

for (const [sentence, change] of Object.entries(BREAKING))
  test(`reports: ${sentence}`, () => assert.deepEqual(changesAfter(change), [`${CALL} ${sentence}`]));

for (const [name, change] of Object.entries(HARMLESS))
  test(`accepts: ${name}`, () => assert.deepEqual(changesAfter(change), []));

test('reports a call that is gone', () => {
  assert.deepEqual(
    changesAfter(({ document }) => (document.paths = {})),
    [`${CALL}: the call is gone`],
  );
});
