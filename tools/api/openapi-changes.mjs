// Finds the changes from one OpenAPI document to the next that break a client written for the first.
import { operationsOf } from './openapi-documents.mjs';
import { resolved, SchemaComparison } from './schema-changes.mjs';

/** A path without the names of its parameters. */
const shapeOf = (path) => path.replace(/\{[^{}]+\}/g, '{}');

const isSuccess = (status) => status.startsWith('2');

/**
 * Returns each breaking change as a sentence that begins with the operation and is the same in every run. Clients must expect
 * new calls, new optional fields, new fields and failures in answers, and new error codes (a client handles an unknown one by
 * its status), so these do not break them.
 */
export function breakingChanges(before, after) {
  const paths = new Map(Object.entries(after.paths).map(([path, item]) => [shapeOf(path), item]));
  return operationsOf(before).flatMap(({ call, path, method }) => {
    const now = paths.get(shapeOf(path));
    if (!now?.[method]) return [`${call}: the call is gone`];
    const [old, current] = [operationOf(before, before.paths[path], method), operationOf(after, now, method)];
    return operationChanges({ before, after }, old, current).map((change) => `${call} ${change}`);
  });
}

/** An operation with its body, its responses and all of its parameters: `{"query kind": parameter}`. */
function operationOf(document, item, method) {
  const { parameters = [], requestBody, responses, security = [] } = item[method];
  const nameOf = (place, name) => `${place} ${place === 'header' ? name.toLowerCase() : name}`;
  const all = [...(item.parameters ?? []), ...parameters].map((one) => resolved(document, one));
  return {
    // path parameters are identified by position, not by name
    pathParameters: all.filter((one) => one.in === 'path'),
    parameters: Object.fromEntries(
      all.filter((one) => one.in !== 'path').map((one) => [nameOf(one.in, one.name), one]),
    ),
    body: resolved(document, requestBody),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, resolved(document, response)]),
    ),
    credentials: security.map((one) => Object.keys(one).sort().join('+')),
  };
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

  const ofPath = before.pathParameters.flatMap(({ name, schema }, index) =>
    schemaChanges(schema, after.pathParameters[index]?.schema, `path ${name}`, request),
  );
  const ofParameters = Object.keys({ ...before.parameters, ...after.parameters }).flatMap((name) => {
    const [old, now] = [before.parameters[name], after.parameters[name]];
    if (!now) return [`${name}: is no longer read`];
    return [
      ...(now.required && !old?.required ? [`${name}: is required now`] : []),
      ...(old ? schemaChanges(old.schema, now.schema, name, request) : []),
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
  return [
    ...credentialChanges(before.credentials, after.credentials),
    ...ofPath,
    ...ofParameters,
    ...(after.body.required && !before.body.required ? ['body: is required now'] : []),
    ...contentChanges(before.body.content, after.body.content, 'body', request),
    ...Object.entries(before.responses).flatMap(ofResponse),
    ...Object.keys(after.responses)
      .filter((status) => isSuccess(status) && !before.responses[status])
      .map((status) => `${status}: is a new kind of success`),
  ];
}

function credentialChanges(old, now) {
  const isOpen = now.length === 0 || now.includes('');
  if (isOpen || (old.length > 0 && old.every((one) => now.includes(one)))) return [];
  return [`credentials: ${now.join(' or ')} is required now`];
}

const isSame = (one) => (other) => one.service === other.service && one.change === other.change;

/** Splits CHANGES ({service, change}) into accepted and other ones by ACCEPTED ({service, change, reason}). */
export const judge = (changes, accepted) => ({
  refused: changes.filter((change) => !accepted.some(isSame(change))),
  accepted: accepted.filter((entry) => changes.some(isSame(entry))),
});
