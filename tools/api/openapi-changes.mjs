// Finds the changes from one OpenAPI document to the next that break a client written for the first.
import { operationsOf } from './openapi-documents.mjs';
import { SchemaComparison } from './schema-changes.mjs';

/** Identifies a call without the names of its parameters. */
const keyOf = ({ method, path }) => `${method} ${path.replace(/\{[^{}]+\}/g, '{}')}`;

const isSuccess = (status) => status.startsWith('2');

/**
 * Returns each breaking change as a sentence that begins with the operation and is the same in every run. Clients must expect
 * new calls, new optional fields, new fields and failures in answers, and new error codes (a client handles an unknown one by
 * its status), so these do not break them.
 */
export function breakingChanges(before, after) {
  const current = new Map(operationsOf(after).map((one) => [keyOf(one), one.operation]));
  return operationsOf(before).flatMap(({ call, operation, ...place }) => {
    const now = current.get(keyOf(place));
    if (!now) return [`${call}: the call is gone`];
    return operationChanges({ before, after }, operation, now).map((change) => `${call} ${change}`);
  });
}

/** The parameters of an operation by place and name; those of the path by position, because clients do not see their names. */
function parametersOf({ parameters = [] }) {
  const inPath = parameters.filter((one) => one.in === 'path');
  const nameOf = (one) => (one.in === 'header' ? one.name.toLowerCase() : one.name);
  return new Map(
    parameters.map((one) => [`${one.in} ${one.in === 'path' ? inPath.indexOf(one) : nameOf(one)}`, one]),
  );
}

function operationChanges(documents, before, after) {
  const schemaChanges = (old, now, place, options) =>
    new SchemaComparison(documents, options).breaking(old, now, place);
  const contentChanges = (old = {}, now = {}, place, options) =>
    Object.entries(old).flatMap(([type, { schema }]) => {
      if (now[type]) return schemaChanges(schema, now[type].schema, place, options);
      return [`${place}: ${type} is no longer ${options.isRequest ? 'accepted' : 'returned'}`];
    });
  const request = { isRequest: true };

  const [parameters, parametersNow] = [parametersOf(before), parametersOf(after)];
  const ofParameters = [...new Map([...parameters, ...parametersNow]).keys()].flatMap((key) => {
    const [old, now] = [parameters.get(key), parametersNow.get(key)];
    const place = key.startsWith('path') ? `path ${(old ?? now).name}` : key;
    if (!now) return [`${place}: is no longer read`];
    return [
      ...(now.required && !old?.required ? [`${place}: is required now`] : []),
      ...(old ? schemaChanges(old.schema, now.schema, place, request) : []),
    ];
  });
  const ofResponse = ([status, old]) => {
    const now = after.responses[status];
    if (!now) return isSuccess(status) ? [`${status}: is no longer returned`] : [];
    // new error codes are expected
    const options = { isRequest: false, isOpenEnded: !isSuccess(status) };
    return [
      ...Object.keys(old.headers ?? {})
        .filter((name) => !now.headers?.[name])
        .map((name) => `${status} header ${name}: is no longer returned`),
      ...contentChanges(old.content, now.content, status, options),
    ];
  };
  const [body, bodyNow] = [before.requestBody ?? {}, after.requestBody ?? {}];
  return [
    ...credentialChanges(before.security, after.security),
    ...ofParameters,
    ...(bodyNow.required && !body.required ? ['body: is required now'] : []),
    ...contentChanges(body.content, bodyNow.content, 'body', request),
    ...Object.entries(before.responses).flatMap(ofResponse),
    ...Object.keys(after.responses)
      .filter((status) => isSuccess(status) && !before.responses[status])
      .map((status) => `${status}: is a new kind of success`),
  ];
}

function credentialChanges(...securities) {
  const [old, now] = securities.map((security = []) =>
    security.map((one) => Object.keys(one).sort().join('+')),
  );
  const isOpen = now.length === 0 || now.includes('');
  if (isOpen || (old.length > 0 && old.every((one) => now.includes(one)))) return [];
  return [`credentials: ${now.join(' or ')} is required now`];
}
