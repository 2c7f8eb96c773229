import {
  All,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { ErrorFilter } from './error.filter.js';
import { parseBody } from './request-body.js';
import { DEFAULT_CONTRACT, ROUTE_CONTRACT, type RouteContract } from './route-contract.js';

/** As the router knows the route of what has none. */
export const UNKNOWN_ROUTE = '/{*path}';

@ApiExcludeController()
@Controller()
class UnknownRouteController {
  /** Never reached: the RequestGuard refuses before. */
  @All(UNKNOWN_ROUTE)
  refuse(): void {
    throw new Error('the application has no RequestGuard');
  }
}

/** Takes every call that no other module does, so that the RequestGuard sees it. Has to be the last that is imported. */
@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}

/** What a service checks of a request itself. A check throws its refusal, unless it says otherwise. */
export interface RequestChecks {
  /**
   * Finds out who calls.
   * @returns what refuses the call, so that it is counted first; undefined lets it pass
   */
  identify?(context: ExecutionContext): unknown;
  /** Counts the call: a known caller by id, everybody else by address. */
  count?(context: ExecutionContext): Promise<void>;
  /** Decides by the parsed request. */
  permit?(context: ExecutionContext): Promise<void>;
  /**
   * Begins a call that has passed all checks.
   * @throws EarlyAnswer for a success that is known already
   */
  begin?(context: ExecutionContext): Promise<void>;
}

export const REQUEST_CHECKS = Symbol('request checks');

/**
 * The only global guard: checks every request in one order. See docs/adr/0002-guards-in-order.md.
 * A refused call has been counted, whatever refuses it; a call without credentials gets its 401 whatever its body is.
 */
@Injectable()
export class RequestGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly errors: ErrorFilter,
    @Inject(REQUEST_CHECKS) private readonly checks: RequestChecks,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const { fallbacks } = this.errors;
    const request = context.switchToHttp().getRequest<Request>();
    const declared = this.reflector.get<RouteContract | undefined>(ROUTE_CONTRACT, context.getHandler());
    // first, since the error filter answers by it
    const contract = (request.routeContract = declared ?? DEFAULT_CONTRACT);
    const refusal = await this.checks.identify?.(context);
    await this.checks.count?.(context);
    if (context.getClass() === UnknownRouteController) throw fallbacks.routeUnknown();
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- whatever the check threw is passed on
    if (refusal !== undefined) throw refusal;
    const { bodyBytes } = request;
    parseBody(request, contract.acceptsEmptyBody);
    if (contract.keepsBytes) request.bodyBytes = bodyBytes;
    await this.checks.permit?.(context);
    // the checks took all of the time: the client has its 503, so nothing may begin for it
    if (request.isTooLate) throw fallbacks.unavailable();
    await this.checks.begin?.(context);
    return true;
  }
}
