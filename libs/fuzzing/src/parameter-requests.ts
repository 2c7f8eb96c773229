import type { Operation, Parameter } from './api-operations.js';
import { type FuzzRequest, headerOf, segmentOf } from './hostile-requests.js';

/** Headers outside of the document that a service or its libraries read in any call. */
const COMMON_HEADERS = ['accept', 'if-none-match', 'origin', 'user-agent', 'x-forwarded-for', 'x-request-id'];

/** A request with a text as one parameter. */
interface ParameterRequest extends FuzzRequest {
  readonly parameter: string;
}

/**
 * Requests of an operation with a text as one parameter: each of its path, query and headers, and of some other headers.
 * @param fillers values of the other required parameters by name
 */
export function parameterRequests(
  operation: Operation,
  text: string,
  fillers: Readonly<Record<string, string>> = {},
  headers: readonly string[] = COMMON_HEADERS,
): ParameterRequest[] {
  const beside = headers.map((name): Parameter => ({ name, in: 'header', schema: {} }));
  return [...operation.parameters, ...beside].map((parameter) =>
    requestWith(operation, parameter, text, fillers),
  );
}

function requestWith(
  operation: Operation,
  { name, in: place }: Parameter,
  text: string,
  fillers: Readonly<Record<string, string>>,
): ParameterRequest {
  const valueOf = (parameter: Parameter): string | undefined =>
    parameter.name === name && parameter.in === place ? text : fillers[parameter.name];
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const segments = inPath.map((parameter) => segmentOf(valueOf(parameter) ?? 'x'));
  const path = inPath.reduce(
    (template, parameter, i) => template.replace(`{${parameter.name}}`, () => segments[i]!),
    operation.template,
  );
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => [parameter.name, valueOf(parameter)] as const)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([key, value]) => `${key}=${segmentOf(value)}`);
  return {
    operation,
    parameter: name,
    target: query.length > 0 ? `${path}?${query.join('&')}` : path,
    isPathIntact: segments.every((segment) => /^[\w-]+$/.test(segment)),
    headers: {
      ...(operation.body ? { 'content-type': 'application/json' } : {}),
      ...(place === 'header' ? { [name]: headerOf(text) } : {}),
    },
    body: operation.body ? Buffer.from('{}') : undefined,
    mustBeRefused: false,
  };
}
