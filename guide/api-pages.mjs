// Pages of the API and of each error code, as Markdown, from the OpenAPI documents and the error index.

const SERVICES = {
  'users-service': { title: 'User service', url: 'http://localhost:3001', client: 'users', folder: 'users' },
  'master-service': {
    title: 'Master service',
    url: 'http://localhost:3002',
    client: 'master',
    folder: 'master',
  },
};

const WHO_ACTS = {
  CUSTOMER: 'the user',
  FRONTEND: 'the frontend',
  OPERATOR: 'the operator of the services',
  PROVIDER: 'no one: a provider is still working, or does not answer',
};

const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
const tagPage = (service, tag) => `api/${SERVICES[service].folder}/${slug(tag)}`;
const anchorOf = (operation) => slug(operation.operationId);
const json = (value) => JSON.stringify(value, null, 2);
const fence = (language, text, label = '') => `\`\`\`${language}${label && ` [${label}]`}\n${text}\n\`\`\``;
const cell = (text) =>
  String(text ?? '')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');

const METHODS = ['get', 'post', 'put', 'delete'];
export const operationsOf = (document) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      method,
      path,
      call: `${method.toUpperCase()} ${path}`,
      operation: item[method],
    })),
  );

const filled = (template, values) =>
  template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? `{${name}}`));

/** The service of the exchange of CALL with the status or error code WHICH, and the exchange. EXAMPLES by service. */
export function exchangeOf(examples, call, which) {
  for (const [service, { successes, refusals }] of Object.entries(examples)) {
    const exchange =
      successes.find((one) => one.call === call && String(one.status) === which) ??
      refusals.find((one) => one.code === which);
    if (exchange) return { service, exchange };
  }
  throw new Error(`no exchange ${call} ${which} was recorded`);
}

/** Variables of the shell in credentials, as JavaScript's. */
const VARIABLES = { 'Bearer $TOKEN': 'token', 'Bearer $BACKEND_KEY': 'backendKey' };

/** The address and the headers of a recorded request. */
function requestOf(service, operation, { call, path, query, sent }) {
  const search = new URLSearchParams(query).toString();
  const address = `${SERVICES[service].url}${filled(call.split(' ')[1], path)}${search && `?${search}`}`;
  const [scheme] = (operation.security ?? []).flatMap(Object.keys);
  const credentials = {
    bearer: ['authorization', 'Bearer $TOKEN'],
    apikey: ['apikey', 'sandbox-api-key'],
    backendKey: ['authorization', 'Bearer $BACKEND_KEY'],
  }[scheme];
  const headers = [
    ...(sent === undefined ? [] : [['content-type', 'application/json']]),
    ...(credentials ? [credentials] : []),
  ];
  return { address, headers };
}

/** Renders a recorded request as a curl command. */
export function curlOf(service, operation, exchange) {
  const { address, headers } = requestOf(service, operation, exchange);
  const [method] = exchange.call.split(' ');
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${address}'`,
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(exchange.sent === undefined ? [] : [`-d '${JSON.stringify(exchange.sent)}'`]),
  ].join(' \\\n  ');
}

/** Calls of the session, which stores their tokens; null: the client makes the call by itself. */
const SESSION_CALLS = {
  'POST /auth/api/v2/register/verify': 'logIn',
  'POST /auth/api/v2/token/refresh': null,
  'POST /auth/api/v2/logout': 'logOut',
  'POST /api/v1/account-confirmation/start-anew': 'startAnew',
};

/** Renders an exchange as curl, fetch and client code in tabs, with the answer. */
export function exampleOf(service, operation, exchange) {
  const { call, path, query, sent, status, answered } = exchange;
  const { client } = SERVICES[service];
  const [method, template] = call.split(' ');
  const { address, headers } = requestOf(service, operation, exchange);
  const shownHeaders = headers.map(([name, value]) =>
    VARIABLES[value] ? `    ${name}: \`Bearer \${${VARIABLES[value]}}\`,` : `    '${name}': '${value}',`,
  );
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...shownHeaders, '  },'] : []),
    ...(sent === undefined ? [] : [`  body: JSON.stringify(${json(sent).replaceAll('\n', '\n  ')}),`]),
  ];
  const fetched = `const response = await fetch('${address}'${options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''});\nconst answer = await response.json();`;
  const parts = Object.entries({ path, query, body: sent }).filter(
    ([, value]) => value !== undefined && (value === sent || Object.keys(value).length > 0),
  );
  const given = parts
    .map(([name, value]) => `  ${name}: ${json(value).replaceAll('\n', '\n  ')},`)
    .join('\n');
  const ofSession = SESSION_CALLS[call];
  const called =
    ofSession === undefined
      ? `const { payload } = await client.${client}.${method.toLowerCase()}('${template}'${given && `, {\n${given}\n}`});`
      : ofSession === 'logIn'
        ? `const { payload } = await client.session.logIn(${json(sent)});`
        : `await client.session.${ofSession}();`;
  return [
    '::: code-group',
    fence('sh', curlOf(service, operation, exchange), 'curl'),
    fence('js', fetched, 'fetch'),
    // the client has the session of a user, not the key of a backend
    ...(ofSession === null || headers.some(([, value]) => value.includes('$BACKEND_KEY'))
      ? []
      : [fence('ts', called, 'client')]),
    ':::',
    '',
    `Answer, HTTP ${status}:`,
    '',
    fence('json', json(answered)),
  ].join('\n');
}

const typeOf = ({ type, enum: values, $ref, format } = {}) =>
  values
    ? values.map((value) => `\`${value}\``).join(', ')
    : $ref
      ? $ref.split('/').at(-1)
      : [[type].flat().join(' or '), format].filter(Boolean).join(', ');

const table = (heads, rows) =>
  rows.length === 0
    ? ''
    : [`| ${heads.join(' | ')} |`, `| ${heads.map(() => '---').join(' | ')} |`, ...rows].join('\n');

const resolved = (document, schema) =>
  schema?.$ref
    ? { ...document.components.schemas[schema.$ref.split('/').at(-1)], ...schema, $ref: undefined }
    : (schema ?? {});

function inputs(document, operation) {
  const parameters = (operation.parameters ?? []).map(
    ({ name, in: place, required, schema, description }) =>
      `| \`${name}\` | ${place} | ${required ? 'yes' : 'no'} | ${cell(typeOf(schema))} | ${cell(description ?? schema?.description)} |`,
  );
  const body = resolved(document, operation.requestBody?.content['application/json']?.schema);
  const fields = Object.entries(body.properties ?? {}).map(
    ([name, schema]) =>
      `| \`${name}\` | body | ${body.required?.includes(name) ? 'yes' : 'no'} | ${cell(typeOf(schema))} | ${cell(schema.description)} |`,
  );
  return table(['name', 'in', 'required', 'type', 'meaning'], [...parameters, ...fields]);
}

const codeLink = (code) => `[${code}](/errors/${code})`;

/** One page for each tag of DOCUMENT: [{path, title, text}]. */
export function apiPages(service, document, { successes }) {
  const { title } = SERVICES[service];
  return document.tags.map(({ name, description }) => {
    const operations = operationsOf(document).filter(({ operation }) => operation.tags.includes(name));
    const sections = operations.map(({ call, operation }) => {
      const examples = successes.filter((one) => one.call === call);
      return [
        `## ${operation.summary} {#${anchorOf(operation)}}`,
        `\`${call}\``,
        operation.description,
        inputs(document, operation),
        ...examples.map((one) => exampleOf(service, operation, one)),
        `Error codes: ${operation['x-error-codes'].map(codeLink).join(', ')}.`,
      ]
        .filter(Boolean)
        .join('\n\n');
    });
    return {
      path: tagPage(service, name),
      title: name,
      text: `# ${title}: ${name}\n\n${description}\n\n${sections.join('\n\n')}\n`,
    };
  });
}

/** One page for each error code. */
export function errorPages(index, documents, examples) {
  const all = Object.entries(documents).flatMap(([service, document]) =>
    operationsOf(document).map((one) => ({ service, ...one })),
  );
  const linkTo = (call) => {
    const found = all.find((one) => one.call === call);
    return found
      ? `[\`${call}\`](/${tagPage(found.service, found.operation.tags[0])}#${anchorOf(found.operation)})`
      : call;
  };
  return index.map((entry) => {
    const service = entry.code.startsWith('SVCMAS') ? 'master-service' : 'users-service';
    const refusal = examples[service].refusals.find(({ code }) => code === entry.code);
    const operation = refusal && all.find((one) => one.service === service && one.call === refusal.call);
    const steps = [...(entry.example.after ?? []), entry.example];
    const provoked = entry.example.none
      ? `Not by calls alone: ${entry.example.none}.`
      : fence(
          'text',
          steps
            .map(
              ({ call, body, times }) =>
                `${call}${times ? `   (${times} times)` : ''}${body ? `\n  ${JSON.stringify(body)}` : ''}`,
            )
            .join('\n'),
        );
    return {
      path: `errors/${entry.code}`,
      title: entry.code,
      text: [
        `# ${entry.code}`,
        `**${entry.meaning}**`,
        [
          `- HTTP status: ${entry.http_status}`,
          `- Token: \`${entry.token}\``,
          `- For the person: ${entry.message}`,
          `- Who has to act: ${WHO_ACTS[entry.who_can_act]}`,
          `- Repeat the same call: ${entry.is_retryable ? 'yes, after `Retry-After` or a pause' : 'no, something has to change first'}`,
        ].join('\n'),
        '## Calls that answer it',
        placesOf(entry, linkTo),
        '## How to provoke it in the sandbox',
        `${entry.sandbox_trigger}.`,
        provoked,
        ...(refusal && operation
          ? ['## A recorded exchange', exampleOf(service, operation.operation, refusal)]
          : []),
        '[All error codes](/errors/)',
      ].join('\n\n'),
    };
  });
}

/** The calls that are refused with a code, else those whose answers name it, else that it refuses unknown paths. */
function placesOf({ calls, named_by: naming }, linkTo) {
  const list = (some) => some.map((call) => `- ${linkTo(call)}`).join('\n');
  if (calls.length > 0) return list(calls);
  if (naming.length > 0)
    return `No call is refused with it. Successful answers of these calls name it:\n\n${list(naming)}`;
  return 'Any path that is no call.';
}

/** The list of all codes. */
export function errorIndex(index) {
  const rows = index.map(
    ({ code, http_status, meaning, message, is_retryable }) =>
      `| ${codeLink(code)} | ${http_status} | ${cell(meaning)} | ${cell(message)} | ${is_retryable ? 'yes' : 'no'} |`,
  );
  return {
    path: 'errors/index',
    title: 'Error codes',
    text: `# Error codes\n\nBranch on the code (\`error[0].errorCode\`), show the message (\`f_error_message\`). For an unknown code use the HTTP status. A code never changes its status or meaning.\n\n${table(['code', 'status', 'meaning', 'message for the user', 'retry'], rows)}\n`,
  };
}

const SECTIONS = { 'User service': 'SVCUSER', 'Booking check': 'SVCINV', 'Master service': 'SVCMAS' };

/** Markdown of docs/integrators/errors.md, which git keeps, from INDEX and the sandbox's MAGIC_VALUES. */
export function errorsPage(index, magicValues) {
  const row = (entry) => {
    const { code, http_status, meaning, message, who_can_act, is_retryable, sandbox_trigger } = entry;
    const texts = [meaning, message, WHO_ACTS[who_can_act], is_retryable ? 'yes' : 'no', sandbox_trigger];
    return `| ${code} | ${http_status} | ${texts.map(cell).join(' | ')} |`;
  };
  const heads = [
    ...['code', 'status', 'meaning', 'message for the user', 'who acts', 'retry', 'in the sandbox'],
  ];
  const sections = Object.entries(SECTIONS).map(([title, prefix]) => {
    const rows = index.filter(({ code }) => code.startsWith(prefix)).map(row);
    return `## ${title}\n\n${table(heads, rows)}\n`;
  });
  const magic = magicValues.map(
    ({ what, value, effect, sample }) => `| ${what} | \`${value}\` | ${cell(effect)} | \`${sample}\` |`,
  );
  return `# Errors

<!-- Made by \`npm run docs\` from the error catalogue, the documents and the sandbox; do not edit. -->

Every code of both services. Branch on the code (\`error[0].errorCode\`) and show the message (\`f_error_message\`), to which the
service may add a sentence with the allowed values. For an unknown code use the HTTP status. A code never changes its status or
meaning. "Retry" says whether the same call, unchanged, may succeed later; \`Retry-After\` says when, if known. The documentation site
has a page for each code: its calls, how to provoke it, and a recorded exchange. All of it as data: [errors.json](errors.json), and
\`GET /api/v1/error-codes\` of both services.

${sections.join('\n')}
## Magic values of the sandbox

All other values succeed.

${table(['input', 'value', 'effect', 'to try'], magic)}
`;
}
