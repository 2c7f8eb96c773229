import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { pathOf, pipelineOf } from './pipeline.js';

const request = { url: '/here?a=1' } as IncomingMessage;
const response = {} as ServerResponse;

/** What happens, in order, when a request passes these steps. */
function passing(...steps: RequestHandler[]): string[] {
  const seen: string[] = [];
  const noting = steps.map((step, i): RequestHandler => (...args) => {
    seen.push(`step ${i + 1}`);
    return step(...args);
  });
  const pipeline = pipelineOf(noting, (error) => seen.push(`failed: ${(error as Error).message}`));
  pipeline(request, response, () => seen.push('served'));
  return seen;
}

const callNext: RequestHandler = (_request, _response, next) => next();
const answer: RequestHandler = () => undefined;
const fail: RequestHandler = () => {
  throw new Error('a defect');
};

describe('the middleware pipeline', () => {
  it.each<[string, RequestHandler[], string[]]>([
    ['no steps', [], ['served']],
    ['steps that call next', [callNext, callNext], ['step 1', 'step 2', 'served']],
    ['a step that answers', [callNext, answer, callNext], ['step 1', 'step 2']],
    ['a step that throws', [callNext, fail, callNext], ['step 1', 'step 2', 'failed: a defect']],
  ])('runs %s', (_what, steps, seen) => {
    expect(passing(...steps)).toEqual(seen);
  });

  it.each([
    ['/here?a=1', '/here'],
    ['/here', '/here'],
    ['?', ''],
    [undefined, ''],
  ])('reads the path of %j', (url, path) => {
    expect(pathOf({ url } as IncomingMessage)).toBe(path);
  });
});
