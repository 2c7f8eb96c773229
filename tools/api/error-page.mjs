// Generates the pages about errors for integrators from the error catalogue, its examples, the OpenAPI documents and the
// sandbox's magic values.
import { operationsOf } from './openapi-documents.mjs';

const WHO_ACTS = {
  CUSTOMER: 'the user',
  FRONTEND: 'the frontend',
  OPERATOR: 'us',
  PROVIDER: 'the provider',
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

const row = (entry) => {
  const { code, http_status, meaning, message, who_can_act, is_retryable, sandbox_trigger } = entry;
  const texts = [meaning, message].map(cell).join(' | ');
  const who = `${WHO_ACTS[who_can_act]} | ${is_retryable ? 'yes' : 'no'}`;
  return `| ${code} | ${http_status} | ${texts} | ${who} | ${cell(sandbox_trigger)} |`;
};

const section = ({ title, entries }) => `## ${title}

| code | status | meaning | message for the user | who acts | retry | in the sandbox |
| --- | --- | --- | --- | --- | --- | --- |
${entries.map(row).join('\n')}
`;

const magicRow = ({ what, value, effect, sample }) =>
  `| ${what} | \`${value}\` | ${cell(effect)} | \`${sample}\` |`;

/** Markdown of docs/integrators/errors.md. LIST is the result of errorList(). */
export function errorPage(list, magicValues) {
  const sections = SERVICES.map(({ title, isOf }) => ({
    title,
    entries: list.filter(({ code }) => isOf(code)),
  }));
  return `# Errors

<!-- Made by \`npm run docs\` from the error catalogue, the documents and the sandbox; do not edit. -->

Every code of both services. Branch on the code (\`error[0].errorCode\`) and show the message (\`f_error_message\`), to which the
service may add a sentence with the allowed values. For an unknown code use the HTTP status. A code never changes its status or
meaning. "Retry" says whether the same call, unchanged, may succeed later; \`Retry-After\` says when, if known. The documentation site
has a page for each code: its calls, how to provoke it, and a recorded exchange. All of it as data: [errors.json](errors.json), and
\`GET /api/v1/error-codes\` of both services.

${sections.map(section).join('\n')}
## Magic values of the sandbox

All other values succeed.

| input | value | effect | to try |
| --- | --- | --- | --- |
${magicValues.map(magicRow).join('\n')}
`;
}
