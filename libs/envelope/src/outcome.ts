import type { Request } from 'express';

/** How a call ended: what its handler answered, or what refused it. */
export type Outcome = { readonly payload: unknown } | { readonly thrown: unknown };

/** Waited for before the answer leaves. What it throws is answered instead. */
export type OutcomeListener = (outcome: Outcome) => Promise<void>;

declare global {
  namespace Express {
    interface Request {
      outcomeListeners?: OutcomeListener[] | undefined;
    }
  }
}

/** Thrown by a check instead of letting the handler run: the success that is answered at once. */
export class EarlyAnswer extends Error {
  constructor(readonly payload: unknown) {
    super('answered before the handler');
  }
}

/**
 * Registers who hears how a call ended, before its answer leaves: the last registered first. Also after the deadline, when
 * the client has its 503. A handler that sends its answer itself (`@Res()` without `passthrough`) is not heard.
 */
export function beforeAnswer(request: Request, listener: OutcomeListener): void {
  request.outcomeListeners = [listener, ...(request.outcomeListeners ?? [])];
}

/** Tells the listeners of a call, once, how it ended. */
export async function announce(request: Request, outcome: Outcome): Promise<void> {
  const listeners = request.outcomeListeners ?? [];
  request.outcomeListeners = undefined;
  for (const hear of listeners) await hear(outcome);
}
