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

/** The router's path of unknown routes. */
export const UNKNOWN_ROUTE = '/{*path}';

@ApiExcludeController()
@Controller()
class UnknownRouteController {
  /** Never called: the RequestGuard refuses the call before. */
  @All(UNKNOWN_ROUTE)
  refuse(): void {
    throw new Error('the application has no RequestGuard');
  }
}

/** Matches every call that no other module does, so that the RequestGuard sees it. Must be imported last. */
@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}

/** A service's own checks of a request. Each throws its refusal, unless stated otherwise. */
export interface RequestChecks {
  /**
   * Identifies the caller.
   * @returns the refusal, so that the call is counted first; undefined accepts the call
   */
  identify?(context: ExecutionContext): unknown;
  /** Counts the call: for a known caller by id, else by address. */
  count?(context: ExecutionContext): Promise<void>;
  /** Decides by the parsed request. */
  permit?(context: ExecutionContext): Promise<void>;
  /**
   * Begins a call that has passed all checks.
   * @throws EarlyAnswer for a success that is stored already
   */
  begin?(context: ExecutionContext): Promise<void>;
}

export const REQUEST_CHECKS = Symbol('request checks');

/**
 * The only global guard: checks every request in one order. See docs/adr/0002-guards-in-order.md.
 * Every refused call is counted; a call without credentials gets 401 with any body.
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
    // first, since the error filter uses it
    const contract = (request.routeContract = declared ?? DEFAULT_CONTRACT);
    const refusal = await this.checks.identify?.(context);
    await this.checks.count?.(context);
    if (context.getClass() === UnknownRouteController) throw fallbacks.routeUnknown();
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- rethrows the error of the check
    if (refusal !== undefined) throw refusal;
    const { bodyBytes } = request;
    parseBody(request, contract.acceptsEmptyBody);
    if (contract.keepsBytes) request.bodyBytes = bodyBytes;
    await this.checks.permit?.(context);
    // the checks took too long: the client has got 503, so the call must have no effect
    if (request.isTooLate) throw fallbacks.unavailable();
    await this.checks.begin?.(context);
    return true;
  }
}
