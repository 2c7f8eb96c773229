// Chooses the examples of an OpenAPI document from the exchanges that a run of the tests has recorded.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { operationsOf } from './openapi-documents.mjs';

/** The time in examples, instead of that of the recording. */
const PUBLISHED_AT = Date.parse('2026-11-23T09:30:00Z');
const DAY_MS = 86_400_000;
const NEAR_MS = 2_000 * DAY_MS;

/** Longer lists are cut. */
const MAX_ITEMS = 12;

/** Replacements of well-formed values by field name. Digits with a meaning in the sandbox remain. */
const FIELDS = {
  account: [/^\d{9,18}$/, (text) => `50100012${text.slice(-4)}`],
  aadhaar_number: [/^\d{12}$/, (text) => (text.startsWith('2345678') ? text : '234567891238')],
  otp: [/^\d{6}$/, () => '123456'],
  refresh_token: [/^.{20,}$/, () => 'c2FtcGxlLXJlZnJlc2gtdG9rZW4tb2YtYW4tZXhhbXBsZQ'],
};
/** In any field. */
const TEXTS = [
  [/^eyJ[\w-]+(\.[\w-]*){2,4}$/, () => 'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl'],
  [/^91[6-9]\d{9}$/, (text) => (/0(408|50\d)$/.test(text) ? `91987654${text.slice(-4)}` : '919999900001')],
  [/^91X{6}\d{4}$/, (text) => (/0(408|50\d)$/.test(text) ? text : '91XXXXXX0001')],
  [/^[A-Z]{5}\d{4}[A-Z]$/, (text) => `ABCPR${text.slice(5, 9)}K`],
  [/^X{6}\d{3}[A-Z]$/, (text) => `${text.slice(0, 9)}K`],
  [/^[^@\s]+@[\w.-]+$/, (text) => `asha${/\.?\d{4}(?=@)/.exec(text)?.[0] ?? ''}@mail.example`],
];
const UUIDS = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const ISO_DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * Replaces values that differ between runs or could be a person's: ids, times, tokens, numbers and addresses. Equal ids remain
 * equal within an exchange. FIXED_IDS, such as those of the catalogue, remain.
 */
function publisher(at, fixedIds) {
  const ids = new Map();
  const shift = PUBLISHED_AT - at;
  const idOf = (id) => {
    if (fixedIds.has(id)) return id;
    if (!ids.has(id)) ids.set(id, `0198c0de-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`);
    return ids.get(id);
  };
  const moved = (text) => Math.round((Date.parse(text) + shift) / 1_000) * 1_000;
  const published = (value, key) => {
    if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => published(item, key));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, published(item, name)]));
    if (typeof value !== 'string') return value;
    const isNear = Math.abs(Date.parse(value) - at) < NEAR_MS;
    if (ISO_TIME.test(value) && isNear) return new Date(moved(value)).toISOString();
    if (ISO_DAY.test(value) && isNear && !/birth|dob|version/.test(key ?? ''))
      return new Date(Date.parse(value) + Math.round(shift / DAY_MS) * DAY_MS).toISOString().slice(0, 10);
    const rules = FIELDS[key] ? [FIELDS[key]] : TEXTS;
    const [, replace] = rules.find(([pattern]) => pattern.test(value)) ?? [];
    if (replace) return replace(value);
    return value.replace(UUIDS, idOf).replace(/localhost:\d+/g, 'localhost:3443');
  };
  return published;
}

/** Whether DOCUMENT describes what an exchange sent and what it answered: services also accept undocumented forms. */
function conformity(document) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  const accepts = (call, place, value) => {
    const [method, path] = call.split(' ');
    const keys = ['paths', path, method.toLowerCase(), ...place, 'content', 'application/json', 'schema'];
    if (value === undefined || !keys.reduce((node, key) => node?.[key], document)) return true;
    const pointer = keys.map((key) => encodeURIComponent(String(key).replaceAll('/', '~1'))).join('/');
    return ajv.validate({ $ref: `document#/${pointer}` }, value);
  };
  return ({ call, status, sent, answered }) =>
    accepts(call, ['requestBody'], sent) && accepts(call, ['responses', status], answered);
}

/** The errors in an answer that do not have the status and texts of ERROR_OF, the catalogue. */
export const staleErrors = ({ status, answered }, errorOf) => [
  ...(Array.isArray(answered?.error) ? answered.error : []).filter(
    ({ errorCode, error, f_error_message }) => {
      const { httpStatus, text, message } = errorOf(errorCode);
      // some refusals add a sentence after the message
      const hasMessage = message.split(/\{\w+\}/).every((part) => f_error_message.includes(part));
      return httpStatus !== status || text !== error || !hasMessage;
    },
  ),
  ...(answered?.payload?.error_codes ?? []).filter(({ code, message }) => message !== errorOf(code).message),
];

/** The paths of the values in an answer; null and an empty text show nothing. */
function shownIn(value, path = '', found = new Set()) {
  if (typeof value === 'object')
    for (const [name, inner] of Object.entries(value ?? {}))
      shownIn(inner, Array.isArray(value) ? path : `${path}.${name}`, found);
  else if (value !== '') found.add(path);
  return found;
}

/** Whether ONE shows every field of OTHER, and more. */
function showsMore(one, other) {
  const [own, others] = [one, other].map(({ answered }) => shownIn(answered));
  return own.size > others.size && [...others].every((path) => own.has(path));
}

/** The calls of OPERATIONS, each with the pattern of its requests; literal paths come before those with parameters. */
const callsOf = (operations) =>
  operations
    .map(({ call }) => {
      const source = call.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
      return { call, pattern: new RegExp(`^${source}$`) };
    })
    .sort((one, other) => Number(one.call.includes('{')) - Number(other.call.includes('{')));

/** A recorded exchange as an example of one of CALLS; undefined if it is of none. */
function exampleOf({ at, method, path, sent, status, answered }, calls, fixedIds) {
  const [own, search = ''] = path.split('?');
  const request = `${method.toUpperCase()} ${own}`;
  const found = calls.find(({ pattern }) => pattern.test(request));
  if (!found) return undefined;
  const publish = publisher(at, fixedIds);
  return {
    call: found.call,
    status,
    path: publish({ ...found.pattern.exec(request).groups }),
    query: publish(Object.fromEntries(new URLSearchParams(search))),
    ...(sent === undefined ? {} : { sent: publish(sent) }),
    answered: publish(answered),
  };
}

/** Different EXAMPLES, the shortest first; in the order of their texts, so that the order of the recordings does not matter. */
const shortestFirst = (examples) =>
  [...new Set(examples.map((example) => JSON.stringify(example)))]
    .sort((one, other) => one.length - other.length || (one < other ? -1 : 1))
    .map((text) => JSON.parse(text));

/** The first of EXAMPLES that shows the most fields. */
const richest = (examples) =>
  examples.toSorted((one, other) => shownIn(other.answered).size - shownIn(one.answered).size)[0];

/**
 * The examples of DOCUMENT: a success of each call and status, in the order of the document, and a refusal for each error
 * code. A FORMER example remains unless it no longer fits DOCUMENT or the catalogue ERROR_OF, or a recorded one shows all of its
 * fields and more: a call that only prepares a spec replaces no richer example.
 */
export function chooseExamples(document, recorded, former, { fixedIds, errorOf }) {
  const operations = operationsOf(document);
  const calls = callsOf(operations);
  const examples = shortestFirst(recorded.flatMap((exchange) => exampleOf(exchange, calls, fixedIds) ?? []));
  const isDescribed = conformity(document);
  const isCurrent = (one) =>
    calls.some(({ call }) => call === one.call) && staleErrors(one, errorOf).length === 0;
  const pick = (now, before) => {
    if (!now || !before) return now ?? before;
    // many refusals are of requests that the document does not describe
    const isBetter = isDescribed(now) && !isDescribed(before) && now.call === before.call;
    return isCurrent(before) && !isBetter && !showsMore(now, before) ? before : now;
  };
  const successes = operations.flatMap(({ call, operation }) =>
    Object.keys(operation.responses)
      .filter((status) => status.startsWith('2'))
      .map((status) => {
        const isOf = (one) => one.call === call && one.status === Number(status);
        const now = richest(examples.filter((one) => isOf(one) && isDescribed(one)));
        return pick(now, former.successes?.find(isOf));
      }),
  );
  const codes = new Set(operations.flatMap(({ operation }) => operation['x-error-codes'] ?? []));
  const refusals = [...codes].sort().map((code) => {
    const isIn = ({ answered }) =>
      Array.isArray(answered?.error) && answered.error.some(({ errorCode }) => errorCode === code);
    const all = examples.filter(isIn);
    const now = all.find(isDescribed) ?? all[0];
    return pick(
      now && { code, ...now },
      former.refusals?.find((one) => one.code === code),
    );
  });
  return { successes: successes.filter(Boolean), refusals: refusals.filter(Boolean) };
}
