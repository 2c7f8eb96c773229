// The pages about errors for integrators, made from the error catalogue, its examples, the OpenAPI documents and the
// sandbox's magic values.
import { operationsOf } from './openapi-documents.mjs';

const WHO_ACTS = {
  CUSTOMER: 'the user',
  FRONTEND: 'the frontend',
  OPERATOR: 'us',
  PROVIDER: 'nobody: an outside party is at work',
};

const CALLER = {
  nobody: 'without credentials',
  user: 'as a user who has just logged in',
  'verified user': 'as a user whose PAN is verified',
  'catalogue client': 'with the header `apikey`',
};

const SERVICES = [
  { title: 'User service', isOf: (code) => code.startsWith('SVCUSER') },
  { title: 'Booking check', isOf: (code) => code.startsWith('SVCINV') },
  { title: 'Master service', isOf: (code) => code.startsWith('SVCMAS') },
];

/** Calls by code: those that may be refused with it. A code of most calls of a service is one of any call. */
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

/** Everything about each code as data: docs/integrators/errors.json. */
export function errorList(errors, documents) {
  const calls = callsByCode(documents);
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
      sandbox_trigger: entry.trigger,
      example: errors.EXAMPLES[code],
    };
  });
}

const cell = (text) => String(text).replaceAll('|', '\\|');

const row = ({ code, http_status, meaning, message, who_can_act, is_retryable }) =>
  `| [${code}](#${code.toLowerCase()}) | ${http_status} | ${cell(meaning)} | ${cell(message)} | ${WHO_ACTS[who_can_act]} | ${is_retryable ? 'yes' : 'no'} |`;

function callLine({ call, body, headers = {}, times = 1 }) {
  const given = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
  return [
    `${call}${times > 1 ? `   (${times} times)` : ''}`,
    ...given,
    ...(body && Object.keys(body).length > 0 ? [`  ${JSON.stringify(body)}`] : []),
  ];
}

function details({ code, token, calls, sandbox_trigger: trigger, example }) {
  const where =
    calls.length > 0
      ? calls.map((call) => (call === 'any call' ? call : `\`${call}\``)).join(', ')
      : 'no call: it is told in an answer, or about a path that does not exist';
  const how =
    'none' in example
      ? [`Not by calls alone: ${example.none}.`]
      : [
          `Provoked ${CALLER[example.as]} by`,
          '',
          '```text',
          ...[...(example.after ?? []), example].flatMap(callLine),
          '```',
        ];
  return [
    '',
    `### ${code}`,
    '',
    `\`${token}\`. Raised by: ${where}. In the sandbox: ${trigger}.`,
    '',
    ...how,
  ];
}

/** Markdown of the page: docs/integrators/errors.md. */
export function errorPage(list, placeholders, magicValues) {
  const sections = SERVICES.map(({ title, isOf }) => ({
    title,
    entries: list.filter(({ code }) => isOf(code)),
  }));
  return [
    '# Errors',
    '',
    '<!-- Made by `npm run api:docs` from the error catalogue, its examples, the documents and the sandbox; do not edit. -->',
    '',
    'Every code of both services. Branch on the code (`error[0].errorCode`), show the message (`f_error_message`), and for a',
    'code that you do not know go by the HTTP status. A code keeps its status and meaning for ever. "Again" says whether the same',
    'call, unchanged, may succeed later; `Retry-After` says when, where it is known. The same as data: [errors.json](errors.json),',
    'and `GET /api/v1/error-codes` of both services.',
    '',
    ...sections.flatMap(({ title, entries }) => [
      `## ${title}`,
      '',
      '| code | status | meaning | what a person may read | who has to act | again |',
      '| --- | --- | --- | --- | --- | --- |',
      ...entries.map(row),
      '',
    ]),
    '## Each code',
    '',
    'The examples are made by a test against the sandbox. In them stands',
    '',
    ...Object.entries(placeholders).map(([name, meaning]) => `- \`{${name}}\` for ${meaning};`),
    '- any other name in braces for a field of the payload that was answered before.',
    ...list.flatMap(details),
    '',
    '## Magic values of the sandbox',
    '',
    'What is not listed succeeds.',
    '',
    '| input | value | effect | to try |',
    '| --- | --- | --- | --- |',
    ...magicValues.map(
      ({ what, value, effect, sample }) => `| ${what} | \`${value}\` | ${cell(effect)} | \`${sample}\` |`,
    ),
    '',
  ].join('\n');
}
