import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { parseBody } from './request-body.js';
import { addToRequestStore } from './request-store.js';
import { DEFAULT_CONTRACT, ROUTE_CONTRACT, type RouteContract } from './route-contract.js';

/** Fourth guard: parses the body as the route's contract says. Later checks, pipes and answers use that contract, too. */
@Injectable()
export class RequestBodyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** @throws MalformedJsonError, or AppError for a body that cannot be read */
  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<Request>();
    const declared = this.reflector.get<RouteContract | undefined>(ROUTE_CONTRACT, context.getHandler());
    const contract = declared ?? DEFAULT_CONTRACT;
    addToRequestStore({ contract });
    parseBody(request, contract.acceptsEmptyBody);
    return true;
  }
}
