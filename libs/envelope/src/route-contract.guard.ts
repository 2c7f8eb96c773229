import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { DEFAULT_CONTRACT, ROUTE_CONTRACT, type RouteContract } from './route-contract.js';

/** Lets nobody in or out: it notes the route's contract on the request, where the exception filter can see it. */
@Injectable()
export class RouteContractGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const contract = this.reflector.get<RouteContract | undefined>(ROUTE_CONTRACT, context.getHandler());
    context.switchToHttp().getRequest<Request>().routeContract = contract ?? DEFAULT_CONTRACT;
    return true;
  }
}
