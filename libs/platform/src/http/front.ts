import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';

/** Has a request served, once everything that comes before has been done. */
export type Front = (request: IncomingMessage, response: ServerResponse, serve: () => void) => void;

/** The path that is asked for, as it was sent. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/**
 * What every request passes on its way in, whatever its route. Functions in a row, not layers of Express: its router
 * would look at the path and at the mount point of each of them anew for every request (measured: a tenth of the
 * processor time of a quote). So they see what Node.js gives them: nothing of Express but its types, no `path`, no `ip`.
 * @param fail answers a request whose step has thrown: a defect of one of them must not end the process
 */
export function inFront(
  steps: readonly RequestHandler[],
  fail: (error: unknown, request: Request, response: Response) => void,
): Front {
  return (request, response, serve) => {
    let index = 0;
    const next = (): void => {
      const step = steps[index++];
      if (!step) return serve();
      try {
        void step(request as Request, response as Response, next);
      } catch (error) {
        fail(error, request as Request, response as Response);
      }
    };
    next();
  };
}
