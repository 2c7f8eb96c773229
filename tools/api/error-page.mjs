// Generates the pages about errors for integrators from the error catalogue, its examples, the OpenAPI documents and the
// sandbox's magic values.
import { operationsOf } from './openapi-documents.mjs';

const WHO_ACTS = {
  CUSTOMER: 'the user',
  FRONTEND: 'the frontend',
  OPERATOR: 'us',
  PROVIDER: 'the provider',
};

const CALLER = {
  anonymous: 'without credentials',
  user: 'as a user who has just logged in',
  'verified user': 'as a user whose PAN is verified',
  'catalogue client': 'with the header `apikey`',
};

const SERVICES = [
  { title: 'User service', isOf: (code) => code.startsWith('SVCUSER') },
  { title: 'Booking check', isOf: (code) => code.startsWith('SVCINV') },
  { title: 'Master service', isOf: (code) => code.startsWith('SVCMAS') },
];

/** The calls that may be refused with each code. A code of most calls of a service counts for any call. */
function callsByCode(documents) {
  const calls = new Map();
  for (const document of Object.values(documents)) {
    const operations = operationsOf(document);
    for (const code of operations.flatMap(({ operation }) => operation['x-error-codes'] ?? [])) {
      const raising = operations.filter(({ operation }) => operation['x-error-codes']?.includes(code));
      const isCommon = raising.length > operations.length / 2;
      calls.set(code, isCommon ? ['any call'] : raising.map(({ call }) => call));
    }
  }
  return calls;
}

const ERROR_CODE = /^SVC[A-Z]+\d+$/;

/** Values of the enumerations in SCHEMA. */
function valuesIn(schema, schemas, seen = new Set()) {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  const named = schema.$ref ? [schemas[schema.$ref.split('/').at(-1)]] : Object.values(schema);
  return [...(schema.enum ?? []), ...named.flatMap((one) => valuesIn(one, schemas, seen))];
}

/** The calls whose successful answers may name each code, such as `blockers[]` of the booking check. */
function namingCallsByCode(documents) {
  const calls = new Map();
  for (const document of Object.values(documents))
    for (const { call, operation } of operationsOf(document)) {
      const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
      const schemas = successes.map(
        (status) => operation.responses[status].content?.['application/json']?.schema,
      );
      const values = schemas.flatMap((schema) => valuesIn(schema, document.components?.schemas ?? {}));
      for (const code of new Set(values.filter((value) => ERROR_CODE.test(value))))
        calls.set(code, [...(calls.get(code) ?? []), call]);
    }
  return calls;
}

/** Everything about each code as data: docs/integrators/errors.json. */
export function errorList(errors, documents) {
  const calls = callsByCode(documents);
  const namingCalls = namingCallsByCode(documents);
  return errors.ERROR_CODES.map((code) => {
    const entry = errors.errorOf(code);
    return {
      code,
      http_status: entry.httpStatus,
      token: entry.token,
      meaning: entry.text,
      message: entry.message,
      who_can_act: entry.actor,
      is_retryable: entry.retryable,
      calls: calls.get(code) ?? [],
      named_by: namingCalls.get(code) ?? [],
      sandbox_trigger: entry.trigger,
      example: errors.EXAMPLES[code],
    };
  });
}

const cell = (text) => String(text).replaceAll('|', '\\|');

const row = ({ code, http_status, meaning, message, who_can_act, is_retryable }) =>
  `| [${code}](#${code.toLowerCase()}) | ${http_status} | ${cell(meaning)} | ${cell(message)} | ${WHO_ACTS[who_can_act]} | ${is_retryable ? 'yes' : 'no'} |`;

const callLines = ({ call, body, headers = {}, times = 1 }) => [
  `${call}${times > 1 ? `   (${times} times)` : ''}`,
  ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
  ...(Object.keys(body ?? {}).length > 0 ? [`  ${JSON.stringify(body)}`] : []),
];

const exampleOf = ({ none, as, after = [], ...last }) =>
  none
    ? `Not by calls alone: ${none}.`
    : `To reproduce ${CALLER[as]}:
\`\`\`text
${[...after, last].flatMap(callLines).join('\n')}
\`\`\``;

const codeList = (calls) => calls.map((call) => (call === 'any call' ? call : `\`${call}\``)).join(', ');

/** Where a client meets a code. A code without calls refuses unknown paths. */
function placesOf({ calls, named_by: naming }) {
  if (calls.length > 0) return `Raised by: ${codeList(calls)}`;
  if (naming.length > 0) return `Refuses no call. Successful answers name it: ${codeList(naming)}`;
  return 'Raised by: any path that is no call';
}

function details(entry) {
  const { code, token, sandbox_trigger: trigger, example } = entry;
  return `### ${code}

\`${token}\`. ${placesOf(entry)}. In the sandbox: ${trigger}.

${exampleOf(example)}
`;
}

const section = ({ title, entries }) => `## ${title}

| code | status | meaning | message for the user | who acts | retry |
| --- | --- | --- | --- | --- | --- |
${entries.map(row).join('\n')}
`;

const magicRow = ({ what, value, effect, sample }) =>
  `| ${what} | \`${value}\` | ${cell(effect)} | \`${sample}\` |`;

/** Markdown of docs/integrators/errors.md. LIST is the result of errorList(). */
export function errorPage(list, placeholders, magicValues) {
  const sections = SERVICES.map(({ title, isOf }) => ({
    title,
    entries: list.filter(({ code }) => isOf(code)),
  }));
  const meanings = Object.entries(placeholders).map(([name, meaning]) => `- \`{${name}}\` for ${meaning};`);
  return `# Errors

<!-- Made by \`npm run docs\` from the error catalogue, its examples, the documents and the sandbox; do not edit. -->

Every code of both services. Branch on the code (\`error[0].errorCode\`) and show the message (\`f_error_message\`), to which the
service may add a sentence with the allowed values. For an unknown code use the HTTP status. A code never changes its status or
meaning. "Retry" says whether the same call, unchanged, may succeed later; \`Retry-After\` says when, if known. As data:
[errors.json](errors.json), and \`GET /api/v1/error-codes\` of both services.

${sections.map(section).join('\n')}
## Each code

A test makes the examples against the sandbox. Their placeholders:
${meanings.join('\n')}
- any other name in braces for that field of an earlier answer's payload.

${list.map(details).join('\n')}
## Magic values of the sandbox

All other values succeed.

| input | value | effect | to try |
| --- | --- | --- | --- |
${magicValues.map(magicRow).join('\n')}
`;
}
