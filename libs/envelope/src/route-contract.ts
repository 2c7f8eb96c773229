import type { ErrorDefinition } from '@fd/errors';

/** Another success of a route, chosen by the handler with the status that it sets. */
export interface Alternative {
  /** HTTP status, and `statusCode` in the body. */
  readonly status: number;
  /** `message`, where it differs from the usual success. */
  readonly message?: string;
}

/** What a route declares about its answers. */
export interface RouteContract {
  /** HTTP status of a success. */
  readonly status: number;
  /** `statusCode` in the body of a success, where it differs from the HTTP status. */
  readonly bodyStatus: number;
  /** `message` of a success. */
  readonly message: string;
  /** `message` of a 400, where it differs from "Bad Request". */
  readonly badRequestMessage: string;
  /** Whether the body is sent as it is, without the envelope. */
  readonly isRaw: boolean;
  /** Successes with other statuses. */
  readonly alternatives: readonly Alternative[];
  /** Whether a request without a body is taken for an empty object. */
  readonly acceptsEmptyBody: boolean;
  /** Errors this route may refuse with, beside those that any route may. */
  readonly raises: readonly ErrorDefinition[];
}

export const DEFAULT_CONTRACT: RouteContract = {
  status: 200,
  bodyStatus: 200,
  message: 'SUCCESS',
  badRequestMessage: 'Bad Request',
  isRaw: false,
  acceptsEmptyBody: false,
  alternatives: [],
  raises: [],
};

export const ROUTE_CONTRACT = Symbol('route contract');

declare global {
  namespace Express {
    interface Request {
      routeContract?: RouteContract;
    }
  }
}
