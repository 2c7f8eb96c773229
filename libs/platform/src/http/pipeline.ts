import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';

/** Serves a request once every step before Express is done. */
export type Pipeline = (request: IncomingMessage, response: ServerResponse, serve: () => void) => void;

/** The requested path, as it was sent. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/**
 * The middleware that every request passes before Express, whatever its route. Functions in a row, not layers of Express:
 * its router would match the path against the mount point of each layer again for every request (measured: a tenth of
 * the processor time of a quote). So the steps see what Node.js gives them: no `path`, no `ip`.
 * @param fail answers a request whose step has thrown: a defect of one step must not end the process
 */
export function pipelineOf(
  steps: readonly RequestHandler[],
  fail: (error: unknown, request: Request, response: Response) => void,
): Pipeline {
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
