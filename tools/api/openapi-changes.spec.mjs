import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breakingChanges, judge } from './openapi-changes.mjs';

const object = (properties, required = []) => ({ type: 'object', properties, required });
const text = { type: 'string' };
const json = (schema) => ({ content: { 'application/json': { schema } } });

/** A document with one call, before each change. */
function aDocument() {
  return {
    openapi: '3.1.0',
    paths: {
      '/deposits/{issuer}': {
        post: {
          security: [],
          parameters: [
            { in: 'path', name: 'issuer', required: true, schema: text },
            { in: 'query', name: 'kind', schema: { type: 'string', enum: ['FD', 'RD'] } },
          ],
          requestBody: {
            required: true,
            ...json({ $ref: '#/components/schemas/Deposit' }),
          },
          responses: {
            200: {
              headers: { 'x-request-id': { schema: text } },
              ...json(
                object(
                  {
                    id: text,
                    state: { type: 'string', enum: ['OPEN', 'DONE'] },
                    rank: { type: ['integer', 'null'] },
                  },
                  ['id', 'state'],
                ),
              ),
            },
            400: json(object({ code: { type: 'string', enum: ['A1'] } }, ['code'])),
          },
        },
      },
    },
    components: {
      schemas: {
        Deposit: object(
          {
            amount: { type: 'integer', minimum: 5000, maximum: 100_000 },
            name: { type: 'string', pattern: '^[A-Z]+$', maxLength: 20 },
            note: { anyOf: [text, { type: 'null' }] },
            tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 3 },
            nominee: { $ref: '#/components/schemas/Person' },
          },
          ['amount'],
        ),
        // contains itself
        Person: object({ name: text, guardian: { $ref: '#/components/schemas/Person' } }, ['name']),
      },
    },
  };
}

const PATH = '/deposits/{issuer}';
const callOf = ({ paths }) => paths[PATH].post;
const depositOf = ({ components }) => components.schemas.Deposit;
const answerOf = (document, status = 200) =>
  callOf(document).responses[status].content['application/json'].schema;

/** [name, change, expected sentences] */
const BREAKING = [
  ['a path goes', (d) => delete d.paths[PATH], ['the call is gone']],
  ['a method goes', (d) => delete d.paths[PATH].post, ['the call is gone']],
  [
    'credentials are asked for',
    (d) => (callOf(d).security = [{ bearer: [] }]),
    ['credentials: bearer is required now'],
  ],
  [
    'a parameter is needed',
    (d) => (callOf(d).parameters[1].required = true),
    ['query kind: is required now'],
  ],
  [
    'a new parameter is needed',
    (d) => callOf(d).parameters.push({ in: 'header', name: 'X-Key', required: true, schema: text }),
    ['header x-key: is required now'],
  ],
  ['a parameter is not read', (d) => callOf(d).parameters.pop(), ['query kind: is no longer read']],
  [
    'a value of a parameter is refused',
    (d) => callOf(d).parameters[1].schema.enum.pop(),
    ['query kind: "RD" is no longer accepted'],
  ],
  [
    'a parameter of the path is a number now',
    (d) => (callOf(d).parameters[0].schema = { type: 'integer' }),
    ['path issuer: string is no longer accepted'],
  ],
  ['a field is needed', (d) => depositOf(d).required.push('name'), ['body.name: is required now']],
  [
    'a new field is needed',
    (d) => {
      depositOf(d).properties.pan = text;
      depositOf(d).required.push('pan');
    },
    ['body.pan: is required now'],
  ],
  ['a field is not read', (d) => delete depositOf(d).properties.note, ['body.note: is no longer read']],
  [
    'a type is narrower',
    (d) => (depositOf(d).properties.note = text),
    ['body.note: null is no longer accepted'],
  ],
  [
    'a list of values is new',
    (d) => (depositOf(d).properties.name.enum = ['X']),
    ['body.name: only ["X"] is accepted now'],
  ],
  [
    'a pattern is another',
    (d) => (depositOf(d).properties.name.pattern = '^[A-Z]$'),
    ['body.name: pattern was "^[A-Z]+$" and is "^[A-Z]$"'],
  ],
  [
    'a format is new',
    (d) => (depositOf(d).properties.note.anyOf[0] = { ...text, format: 'uri' }),
    ['body.note: format was not given and is "uri"'],
  ],
  [
    'less is taken',
    (d) => (depositOf(d).properties.amount.maximum = 10),
    ['body.amount: maximum was 100000 and is 10'],
  ],
  [
    'more is asked for',
    (d) => (depositOf(d).properties.amount.minimum = 6000),
    ['body.amount: minimum was 5000 and is 6000'],
  ],
  ['fewer items', (d) => (depositOf(d).properties.tags.maxItems = 1), ['body.tags: maxItems was 3 and is 1']],
  [
    'an item is refused',
    (d) => depositOf(d).properties.tags.items.enum.pop(),
    ['body.tags[]: "b" is no longer accepted'],
  ],
  [
    'a field deep inside is needed, of a schema that holds itself',
    (d) => d.components.schemas.Person.required.push('guardian'),
    ['body.nominee.guardian: is required now'],
  ],
  [
    'other fields are refused',
    (d) => (depositOf(d).additionalProperties = false),
    ['body: other fields are refused now'],
  ],
  [
    'a keyword that is not compared',
    (d) => (depositOf(d).properties.name.not = { const: 'X' }),
    ['body.name: not was not given and is {"const":"X"}'],
  ],
  [
    'another media type is asked for',
    (d) => (callOf(d).requestBody.content = { 'text/plain': { schema: text } }),
    ['body: application/json is no longer accepted'],
  ],
  ['a success goes', (d) => delete callOf(d).responses[200], ['200: is no longer returned']],
  [
    'a success is new',
    (d) => (callOf(d).responses[202] = json(object({}))),
    ['202: is a new kind of success'],
  ],
  ['a field is not answered', (d) => delete answerOf(d).properties.rank, ['200.rank: is no longer returned']],
  ['a field may be left out', (d) => answerOf(d).required.pop(), ['200.state: may be left out now']],
  [
    'a value is answered',
    (d) => answerOf(d).properties.state.enum.push('LOST'),
    ['200.state: "LOST" is returned now'],
  ],
  [
    'a list of values goes',
    (d) => (answerOf(d).properties.state = text),
    ['200.state: no longer only ["OPEN","DONE"]'],
  ],
  [
    'null is answered',
    (d) => (answerOf(d).properties.id = { type: ['string', 'null'] }),
    ['200.id: null is returned now'],
  ],
  ['a type is another', (d) => (answerOf(d).properties.rank = text), ['200.rank: string is returned now']],
  [
    'a header goes',
    (d) => delete callOf(d).responses[200].headers,
    ['200 header x-request-id: is no longer returned'],
  ],
  [
    'a field of a failure goes',
    (d) => delete answerOf(d, 400).properties.code,
    ['400.code: is no longer returned'],
  ],
];

const HARMLESS = [
  ['nothing', () => undefined],
  ['a new path', (d) => (d.paths['/new'] = { get: { responses: {} } })],
  ['a new method', (d) => (d.paths[PATH].get = { responses: {} })],
  [
    'another name of a parameter of the path',
    (d) => {
      d.paths['/deposits/{slug}'] = d.paths[PATH];
      callOf(d).parameters[0].name = 'slug';
      delete d.paths[PATH];
    },
  ],
  ['a new optional parameter', (d) => callOf(d).parameters.push({ in: 'query', name: 'q', schema: text })],
  ['a new optional field', (d) => (depositOf(d).properties.pan = text)],
  ['a required field becomes optional', (d) => depositOf(d).required.pop()],
  ['an additional accepted value', (d) => callOf(d).parameters[1].schema.enum.push('X')],
  ['any value is accepted', (d) => delete callOf(d).parameters[1].schema.enum],
  ['a wider type', (d) => (depositOf(d).properties.amount.type = 'number')],
  [
    'null is accepted too',
    (d) => (depositOf(d).properties.name = { anyOf: [depositOf(d).properties.name, { type: 'null' }] }),
  ],
  ['a pattern is dropped', (d) => delete depositOf(d).properties.name.pattern],
  ['wider limits', (d) => Object.assign(depositOf(d).properties.amount, { minimum: 1, maximum: 1e9 })],
  ['a new field of an answer', (d) => (answerOf(d).properties.more = text)],
  ['a field that is always returned now', (d) => answerOf(d).required.push('rank')],
  ['a value that is no longer returned', (d) => answerOf(d).properties.state.enum.pop()],
  ['null is no longer returned', (d) => (answerOf(d).properties.rank = { type: 'integer' })],
  ['a limit of an answer', (d) => (answerOf(d).properties.id.maxLength = 3)],
  ['a new failure', (d) => (callOf(d).responses[409] = json(object({})))],
  ['a removed failure', (d) => delete callOf(d).responses[400]],
  ['a new error code', (d) => answerOf(d, 400).properties.code.enum.push('B2')],
  ['another description', (d) => (callOf(d).description = 'new')],
  ['another example', (d) => (depositOf(d).properties.name.example = 'X')],
  [
    'a schema that is written out',
    (d) => (depositOf(d).properties.nominee = structuredClone(d.components.schemas.Person)),
  ],
  ['credentials are no longer required', (d) => (callOf(d).security = [])],
];

const changed = (change) => {
  const document = aDocument();
  change(document);
  return document;
};

for (const [name, change, sentences] of BREAKING) {
  test(`reports: ${name}`, () => {
    const found = breakingChanges(aDocument(), changed(change));
    // a sentence about the call or a place in it
    assert.deepEqual(
      found,
      sentences.map((sentence) =>
        sentence === 'the call is gone' ? `POST ${PATH}: ${sentence}` : `POST ${PATH} ${sentence}`,
      ),
    );
  });
}

for (const [name, change] of HARMLESS) {
  test(`accepts: ${name}`, () => assert.deepEqual(breakingChanges(aDocument(), changed(change)), []));
}

test('reports a changed kind of credentials, and accepts an additional one', () => {
  const secured = (...kinds) => changed((d) => (callOf(d).security = kinds.map((kind) => ({ [kind]: [] }))));
  assert.deepEqual(breakingChanges(secured('bearer'), secured('apikey')), [
    `POST ${PATH} credentials: apikey is required now`,
  ]);
  assert.deepEqual(breakingChanges(secured('bearer'), secured('bearer', 'apikey')), []);
});

test('distinguishes accepted changes by service and sentence', () => {
  const one = { service: 'users-service', change: 'POST /x: the call is gone' };
  const entry = { ...one, reason: 'no client called it' };
  assert.deepEqual(judge([one], [entry]), { refused: [], accepted: [entry] });
  assert.deepEqual(judge([one], [{ ...entry, service: 'master-service' }]), { refused: [one], accepted: [] });
});
