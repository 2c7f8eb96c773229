import type { Request } from 'express';

/** The outcome of a call: the handler's answer or the refusal. */
export type Outcome = { readonly payload: unknown } | { readonly thrown: unknown };

/** Awaited before the answer is sent. Its error is answered instead. */
type OutcomeListener = (outcome: Outcome) => Promise<void>;

declare global {
  namespace Express {
    interface Request {
      outcomeListeners?: OutcomeListener[] | undefined;
    }
  }
}

/** Thrown by a check to answer a success without the handler. */
export class EarlyAnswer extends Error {
  constructor(readonly payload: unknown) {
    super('answered before the handler');
  }
}

/**
 * Registers a listener for the outcome of a call, called before the answer is sent, the last registered first; also after the
 * deadline, when the client has got 503. Not called for a handler that sends its answer itself (`@Res()` without
 * `passthrough`).
 */
export function beforeAnswer(request: Request, listener: OutcomeListener): void {
  request.outcomeListeners = [listener, ...(request.outcomeListeners ?? [])];
}

/** Calls the listeners of a call once with its outcome. */
export async function announce(request: Request, outcome: Outcome): Promise<void> {
  const listeners = request.outcomeListeners ?? [];
  request.outcomeListeners = undefined;
  for (const hear of listeners) await hear(outcome);
}
