import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';

/** Refuses a request whose body could not be used. Comes after limits and authentication. */
@Injectable()
export class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { bodyError, isBodyEmpty, routeContract } = context.switchToHttp().getRequest<Request>();
    if (bodyError && !(isBodyEmpty && routeContract?.acceptsEmptyBody)) throw bodyError;
    return true;
  }
}
