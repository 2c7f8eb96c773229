// What libs/client has of the OpenAPI documents: the types of all calls, and the error codes.
import openapiTypescript, { astToString } from 'openapi-typescript';

const NOTICE = '// Made by `npm run api:docs` from docs/openapi; do not edit.';

/** TypeScript with the types of all calls of DOCUMENT. A refusal is the same for all of them, and thrown. */
export async function typesOf(document) {
  const successes = structuredClone(document);
  for (const { operation } of operationsOf(successes))
    for (const status of Object.keys(operation.responses))
      if (!status.startsWith('2')) delete operation.responses[status];
  // a field with a default may be left out of a request
  const tree = await openapiTypescript(successes, { defaultNonNullable: false });
  return `${NOTICE}\n\n${astToString(tree)}`;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** Each call of DOCUMENT: [{call: "POST /x", operation}]. */
export const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      call: `${method.toUpperCase()} ${path}`,
      operation: item[method],
    })),
  );

/** The codes that any call of DOCUMENT may be refused with. */
export const codesOf = (document) =>
  [...new Set(operationsOf(document).flatMap(({ operation }) => operation['x-error-codes'] ?? []))].sort();

/** TypeScript with the error codes of both services. */
export function errorCodesOf({ 'users-service': users, 'master-service': master }) {
  const list = (name, document) => `export const ${name} = ${JSON.stringify(codesOf(document))} as const;`;
  return [NOTICE, list('USERS_ERROR_CODES', users), list('MASTER_ERROR_CODES', master)].join('\n\n');
}
