// The files that are generated from the OpenAPI documents.
import { join } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { read, readJson } from '../files.mjs';
import { errorList } from './error-list.mjs';
import { documentPath, examplesPath, operationsOf } from './openapi-documents.mjs';
import { curlOf, errorsPage, exchangeOf } from '../../guide/api-pages.mjs';
import { root } from '../workspace.mjs';

const NOTICE = '// Made by `npm run docs` from docs/openapi; do not edit.';
const GENERATED = 'libs/client/src/generated';
const INTEGRATORS = 'docs/integrators';

/** TypeScript with the types of all calls of DOCUMENT. Refusals have one type, since the client throws them. */
async function typesOf(document) {
  const successes = structuredClone(document);
  for (const { operation } of operationsOf(successes))
    for (const status of Object.keys(operation.responses))
      if (!status.startsWith('2')) delete operation.responses[status];
  // a field with a default is optional in a request
  const tree = await openapiTypescript(successes, { defaultNonNullable: false });
  return `${NOTICE}\n\n${astToString(tree)}`;
}

/** TypeScript with the error codes of all calls of DOCUMENT. */
function errorCodes(name, document) {
  const codes = operationsOf(document).flatMap(({ operation }) => operation['x-error-codes'] ?? []);
  return `export const ${name} = ${JSON.stringify([...new Set(codes)].sort())} as const;`;
}

/** `<!-- example: CALL WHICH -->`, by status or error code, and the exchange that was written below it. */
const EXAMPLE = /<!-- example: (\w+ \S+) (\w+) -->\n(?:[^]*?<!-- end of example -->\n)?/g;

/** Markdown TEXT with each exchange that it names, as a command and the answer, for readers without the documentation site. */
const withExchanges = (text, documents, examples) =>
  text.replace(EXAMPLE, (_, call, which) => {
    const { service, exchange } = exchangeOf(examples, call, which);
    const { operation } = operationsOf(documents[service]).find((one) => one.call === exchange.call);
    return [
      `<!-- example: ${call} ${which} -->`,
      `\`\`\`sh\n${curlOf(service, operation, exchange)}\n\`\`\``,
      `Answer, HTTP ${exchange.status}:`,
      `\`\`\`json\n${JSON.stringify(exchange.answered, null, 2)}\n\`\`\``,
      '<!-- end of example -->\n',
    ].join('\n\n');
  });

/** The files by path, generated from the documents by service. The services and the sandbox must be built. */
export async function apiFiles(documents) {
  const errors = await import(join(root, 'libs/errors/dist/index.js'));
  const { MAGIC_VALUES } = await import(join(root, 'apps/sandbox/dist/magic/magic-values.table.js'));
  const list = errorList(errors, documents);
  const texts = {
    [`${GENERATED}/error-codes.ts`]: [
      NOTICE,
      errorCodes('USERS_ERROR_CODES', documents['users-service']),
      errorCodes('MASTER_ERROR_CODES', documents['master-service']),
    ].join('\n\n'),
    [`${INTEGRATORS}/errors.json`]: JSON.stringify(list),
    [`${INTEGRATORS}/errors.md`]: errorsPage(list, MAGIC_VALUES),
  };
  for (const [service, document] of Object.entries(documents)) {
    texts[documentPath(service)] = JSON.stringify(document);
    texts[`${GENERATED}/${service}.ts`] = await typesOf(document);
  }
  const examples = Object.fromEntries(
    Object.keys(documents).map((service) => [service, readJson(examplesPath(service))]),
  );
  for (const page of ['quickstart', 'polling'])
    texts[`${INTEGRATORS}/${page}.md`] = withExchanges(
      read(`${INTEGRATORS}/${page}.md`),
      documents,
      examples,
    );
  return texts;
}
