import { All, type CanActivate, Controller, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { ErrorFilter } from './error.filter.js';
import { parseBody } from './request-body.js';
import { addToRequestStore, requestStore } from './request-store.js';
import { DEFAULT_CONTRACT, ROUTE_CONTRACT, type RouteContract } from './route-contract.js';

export const UNKNOWN_ROUTE = '/{*path}';

@ApiExcludeController()
@Controller()
class UnknownRouteController {
  /** Never called: the RefusalGuard refuses the call before. */
  @All(UNKNOWN_ROUTE)
  refuse(): void {
    throw new Error('the application has no RefusalGuard');
  }
}

/** Matches every call that no other module does, so that the guards see it. Must be imported last. */
@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}

/**
 * Third guard, after authentication and the rate limit: refuses unknown routes, calls whose credentials were refused, and bodies
 * that cannot be read. So every refused call is counted, and a call without credentials gets 401 with any body.
 */
@Injectable()
export class RefusalGuard implements CanActivate {
  constructor(
    private readonly errors: ErrorFilter,
    private readonly reflector: Reflector,
  ) {}

  /** @throws MalformedJsonError for malformed JSON, else AppError */
  canActivate(context: ExecutionContext): true {
    if (context.getClass() === UnknownRouteController) throw this.errors.fallbacks.routeUnknown();
    const authenticationRefusal = requestStore()?.authenticationRefusal;
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- rethrows what the strategy has thrown
    if (authenticationRefusal !== undefined) throw authenticationRefusal;
    const declared = this.reflector.get<RouteContract | undefined>(ROUTE_CONTRACT, context.getHandler());
    const contract = declared ?? DEFAULT_CONTRACT;
    // also for later checks, pipes and the answer
    addToRequestStore({ contract });
    parseBody(context.switchToHttp().getRequest<Request>(), contract.acceptsEmptyBody);
    return true;
  }
}
