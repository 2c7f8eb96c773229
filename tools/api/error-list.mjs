// The error codes with the calls that they concern: docs/integrators/errors.json, from which the pages about errors are made.
import { operationsOf } from './openapi-documents.mjs';

/** Values of the enumerations in SCHEMA. */
function valuesIn(schema, schemas, seen = new Set()) {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  const named = schema.$ref ? [schemas[schema.$ref.split('/').at(-1)]] : Object.values(schema);
  return [...(schema.enum ?? []), ...named.flatMap((one) => valuesIn(one, schemas, seen))];
}

/** The calls of DOCUMENT, each with the codes that may refuse it, and the values that its successes may contain. */
function callsOf(document) {
  return operationsOf(document).map(({ call, operation }) => {
    const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
    const schemas = successes.map(([, { content }]) => content?.['application/json']?.schema);
    return {
      call,
      refusing: operation['x-error-codes'] ?? [],
      named: valuesIn(schemas, document.components?.schemas ?? {}),
    };
  });
}

/** Everything about each code as data. A code of most calls of a service counts for any call. */
export function errorList(errors, documents) {
  const services = Object.values(documents).map(callsOf);
  const refused = (code) =>
    services.flatMap((calls) => {
      const found = calls.filter(({ refusing }) => refusing.includes(code)).map(({ call }) => call);
      return found.length > calls.length / 2 ? ['any call'] : found;
    });
  const naming = (code) => services.flat().filter(({ named }) => named.includes(code));
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
      calls: [...new Set(refused(code))],
      // such as `blockers[]` of the booking check
      named_by: naming(code).map(({ call }) => call),
      sandbox_trigger: entry.trigger,
      example: errors.EXAMPLES[code],
    };
  });
}
